// Show the likeliest next words of what a reader types, what a temperature, the top k and
// the top p make of their probabilities, and sample from them.

import { STOP, distribution, sample, sampled } from "./decoding.js";
import { button, make, textField, tooLong } from "./dom.js";
import { load } from "./live.js";
import { Seed, bar, percent, range } from "./player.js";
import { WordSwitches, headSwitches } from "./switches.js";
import { largest } from "./tensor.js";
import { typed, writeEnglish } from "./tokens.js";
import { END } from "./vocabulary.js";
import { Weights, heads } from "./weights.js";

const SHOWN = 10;
const MOST = 40; // words of a sentence that is drawn

class Next {
  constructor(place, options, status, model) {
    Object.assign(this, { place, options, status, model });
    this.input = textField();
    this.input.value = writeEnglish(options.sentence);
    this.input.addEventListener("input", () => this.follow());
    const label = make("label", {}, "A sentence begins ", this.input);
    const field = make("div", { class: "lb-say" }, label);
    const all = (model.model.vocab ?? model.words.entries).length;
    const some = (k) => (k > 20 ? `all ${all}` : String(k));
    this.knobs = [
      ["Temperature", { min: 0, max: 2, step: 0.1, value: 1 }, String],
      ["Top k", { min: 1, max: 21, step: 1, value: 21 }, some],
      ["Top p", { min: 0.1, max: 1, step: 0.05, value: 1 }, (p) => p.toFixed(2)],
    ].map((knob) => range(...knob, () => this.follow()));
    const knobs = make("div", { class: "lb-pickers" }, ...this.knobs.map(({ root }) => root));
    this.seed = new Seed(() => this.again());
    const buttons = make("div", { class: "lb-buttons" },
      button("Draw a word", () => this.sample(1)),
      button("Draw to the end", () => this.sample(MOST)),
      button("Start anew", () => this.set([])),
      this.seed.root);
    this.list = make("div", { class: "lb-next", role: "group", "aria-label": "The next word" });
    this.note = make("p", { class: "lb-note" });
    this.root = make("div", { class: "lb-desk" }, field, knobs, buttons, status, this.list,
      this.note, ...this.views(model.model));
    place.querySelector(".lb-start").after(this.root);
    this.again();
    this.follow();
  }

  // The attention of GPT's heads, one by one.
  views({ blocks, h }) {
    if (!blocks) return [];
    this.view = make("select", {}, make("option", { value: "" }, "mean of the last layer"));
    for (const [l, head] of heads(blocks, h))
      this.view.append(make("option", { value: `${l} ${head}` }, `head ${l + 1}.${head + 1}`));
    this.view.addEventListener("change", () => this.draw());
    this.map = make("div", { class: "lb-map" });
    const label = make("label", {}, "Attention shown ", this.view);
    const change = () => this.follow();
    this.reach = new WordSwitches(change);
    this.off = new Set();
    const off = headSwitches("self", "Heads", blocks, h, this.off, change);
    const more = make("details", {}, make("summary", {}, "Switch heads off"), off);
    return [this.reach.root, more, make("div", { class: "lb-pickers" }, label), this.map];
  }

  // Words over words: what each of them attends to.
  draw() {
    const rows = this.model.model.attention(...this.view.value.split(" "));
    const all = this.words();
    const words = ["<s>", ...all.slice(1 - rows.length)];
    const say = (text) => (this.status.textContent = text);
    const { clientWidth } = this.root;
    const columns = this.reach.places.map((k) => k + rows.length - all.length);
    const hidden = columns.filter((column) => column > 0);
    const map = Weights.square(words, rows, hidden, "Attention", clientWidth, say, "en");
    this.map.replaceChildren(map);
  }

  // The log-probabilities of what follows these words, with what is switched off.
  log(words) {
    this.reach?.show(words);
    return this.model.next(words, { hidden: this.reach?.places, off: [...(this.off ?? [])] });
  }

  // The random numbers from the first one on.
  again() {
    this.random = this.seed.numbers();
  }

  // The words in the field; one that is not known is read as <unk>.
  words() {
    return typed(this.input.value, this.model.words);
  }

  chosen() {
    const [temperature, k, topP] = this.knobs.map(({ input }) => Number(input.value));
    return { temperature, topK: k > 20 ? undefined : k, topP };
  }

  follow() {
    const long = tooLong(this.input.value);
    if (long) {
      this.status.textContent = long;
      return;
    }
    const words = this.words();
    const { entries } = this.model.words;
    const log = this.log(words);
    const own = distribution(log);
    const p = distribution(log, this.chosen());
    const best = largest(own).filter((id) => own[id] > 0);
    const most = Math.max(own[best[0]], p[best[0]]);
    const held = this.list.contains(document.activeElement);
    this.list.replaceChildren(...best.slice(0, SHOWN).map((id) =>
      this.candidate(entries[id], p[id], own[id], most)));
    if (held) this.list.querySelector("button").focus();
    const left = best.filter((id) => p[id] > 0);
    const changed = best.some((id) => Math.abs(p[id] - own[id]) > 1e-9);
    this.note.textContent = changed
      ? `Outlines: the model's own probabilities. ${left.length} of ${best.length} words are left.`
      : "";
    const { order = words.length + 1 } = this.model.model;
    const seen = words.slice(order > 1 ? 1 - order : words.length).join(" ") || "the beginning";
    const unknown = words.filter((word) => !this.model.words.has(word));
    const hint = unknown.length ? ` (${unknown.join(", ")} is read as an unknown word)` : "";
    const three = left.slice(0, 3).map((id) => `${entries[id]} ${percent(p[id])}`);
    const said = this.reach?.said ?? "";
    this.status.textContent = `${said}After ${seen}${hint}: ${three.join(", ")}`;
    if (this.view) this.draw();
    this.place.dataset.done = words.join(" ");
  }

  // A word; one that cannot be drawn is no button.
  candidate(word, p, own, most) {
    const name = word === STOP ? "(end)" : word;
    const action = () => this.set(word === STOP ? [] : [...this.words(), word]);
    const made = bar(name, percent(p), p / most, action);
    if (Math.abs(p - own) > 1e-9)
      made.lastChild.append(make("b", { style: `--lb-share: ${own / most}` }));
    if (p) return made;
    return make("div", { class: "lb-cut" }, ...made.childNodes);
  }

  set(words) {
    if (!words.length) this.again();
    this.input.value = words.length ? `${writeEnglish(words)} ` : "";
    this.follow();
  }

  sample(longest) {
    const words = this.words();
    const { entries } = this.model.words;
    const ids = words.map((word) => this.model.words.id(word));
    const next = (ids) => this.log(ids.map((id) => entries[id]));
    const drawn = sample(next, ids, sampled(this.random, this.chosen()), END, longest);
    const ends = drawn.at(-1) === END;
    if (ends) drawn.pop();
    const all = [...words, ...drawn.map((id) => entries[id])];
    this.set(all);
    if (ends) this.status.textContent = `The sentence ends: ${writeEnglish(all)}`;
  }
}

export const open = async (place, options, status, held) => {
  const next = new Next(place, options, status, await load(options.first));
  if (held) next.input.focus();
};
