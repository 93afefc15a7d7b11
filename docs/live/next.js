// The next word as the reader types: its likeliest candidates, what a temperature, the top k
// and the top p make of their probabilities, and words drawn from them.

import { distribution, sample, sampled } from "./decoding.js";
import { button, load, make, textField } from "./live.js";
import { percent, range } from "./player.js";
import { typed, writeEnglish } from "./tokens.js";
import { END } from "./vocabulary.js";

const SHOWN = 10;
const MOST = 40; // words of a sentence that is drawn

// Random numbers from 0 to 1 that are the same for the same seed: mulberry32.
const numbers = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
};

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
    this.seed = make("input", { type: "number", min: 0, value: 1 });
    this.seed.addEventListener("input", () => this.again());
    const buttons = make("div", { class: "lb-buttons" },
      button("Draw a word", () => this.sample(1)),
      button("Draw to the end", () => this.sample(MOST)),
      button("Start anew", () => this.set([])),
      make("label", { class: "lb-seed" }, "seed ", this.seed));
    this.list = make("div", { class: "lb-next", role: "group", "aria-label": "The next word" });
    this.note = make("p", { class: "lb-note" });
    this.root = make("div", { class: "lb-desk" }, field, knobs, buttons, status, this.list, this.note);
    place.querySelector(".lb-start").after(this.root);
    this.again();
    this.follow();
  }

  // The random numbers from the first one on.
  again() {
    this.random = numbers(Number(this.seed.value));
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
    const words = this.words();
    const { entries } = this.model.words;
    const log = this.model.next(words);
    const own = distribution(log);
    const p = distribution(log, this.chosen());
    const best = [...own.keys()].filter((id) => own[id] > 0).sort((a, b) => own[b] - own[a]);
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
    this.status.textContent = `After ${seen}${hint}: ${three.join(", ")}`;
    this.place.dataset.done = words.join(" ");
  }

  // A word; one that cannot be drawn is no button.
  candidate(word, p, own, most) {
    const name = word === "</s>" ? "(end)" : word;
    const bars = make("span", {}, make("i", { style: `--lb-share: ${p / most}` }));
    if (Math.abs(p - own) > 1e-9) bars.append(make("b", { style: `--lb-share: ${own / most}` }));
    const parts = [make("span", {}, name), make("span", {}, percent(p)), bars];
    if (!p) return make("div", { class: "lb-cut" }, ...parts);
    const action = () => this.set(word === "</s>" ? [] : [...this.words(), word]);
    const made = button("", action, { "aria-label": `${name} ${percent(p)}` });
    made.append(...parts);
    return made;
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
    const next = (ids) => this.model.next(ids.map((id) => entries[id]));
    const drawn = sample(next, ids, sampled(this.random, this.chosen()), END, longest);
    const ends = drawn.at(-1) === END;
    if (ends) drawn.pop();
    const all = [...words, ...drawn.map((id) => entries[id])];
    this.set(all);
    if (ends) this.status.textContent = `The sentence ends: ${writeEnglish(all)}`;
  }
}

export const open = async (place, options, status, clicked) => {
  const next = new Next(place, options, status, await load(options.first));
  if (clicked) next.input.focus();
};
