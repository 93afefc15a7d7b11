// Translate a reader's sentence by several systems, side by side.

import { STOP, meanLogP, sampled } from "./decoding.js";
import { button, make } from "./dom.js";
import { RETRY, asksFor, load, size } from "./live.js";
import { Seed, range } from "./player.js";
import { Sentence } from "./sentence.js";
import { WordSwitches, headSwitches } from "./switches.js";
import { writeEnglish, writeFrench } from "./tokens.js";
import { Weights, heads } from "./weights.js";

const PAUSE = 110; // milliseconds between two words
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const pause = () => new Promise((done) => setTimeout(done, PAUSE));

// Which words of a translation are not among those that it shares with the reference, in
// order: the longest common subsequence.
export const strangers = (words, reference) => {
  const zeros = () => Array(reference.length + 1).fill(0);
  const best = [...words.map(zeros), zeros()];
  for (let i = words.length - 1; i >= 0; i--)
    for (let j = reference.length - 1; j >= 0; j--)
      best[i][j] =
        words[i] === reference[j]
          ? 1 + best[i + 1][j + 1]
          : Math.max(best[i + 1][j], best[i][j + 1]);
  const found = words.map(() => true);
  for (let i = 0, j = 0; i < words.length && j < reference.length; )
    if (words[i] === reference[j]) [found[i++]] = [false, j++];
    else if (best[i + 1][j] >= best[i][j + 1]) i++;
    else j++;
  return found;
};

// One system: its name, its button or its translation.
class System {
  constructor(name, label, desk) {
    Object.assign(this, { name, label, desk });
    this.text = make("p", { class: "lb-written", lang: "fr" });
    this.note = make("p", { class: "lb-note" });
    this.sure = make("p", { class: "lb-note" });
    this.map = make("div", { class: "lb-map" });
    const full = { "aria-label": `Load ${label}, ${size(name)}` };
    this.button = button(`Load (${size(name)})`, () => this.load(), full);
    const head = make("p", { class: "lb-system-name" }, make("strong", {}, label), this.button);
    this.root = make("div", {
      class: "lb-system", role: "group", "aria-label": label, tabindex: -1,
    });
    this.root.append(head, this.text, this.note, this.sure, this.map);
  }

  async load() {
    const held = document.activeElement === this.button;
    this.button.disabled = true;
    this.note.textContent = "Loading …";
    try {
      this.model = await load(this.name);
    } catch (error) {
      console.info(`lookback: ${error.message}`);
      this.button.disabled = false;
      this.note.textContent = `${error.message}.`;
      this.desk.say(`${error.message}. ${RETRY}`);
      return false;
    }
    this.note.textContent = "";
    const free = [this.button, document.body].includes(document.activeElement);
    this.button.remove();
    if (held && free) this.root.focus();
    this.desk.loaded(this);
    return true;
  }

  // Write the translation word by word, until another sentence takes its turn.
  async run(words, reference, turn) {
    this.clear();
    const [kind, layer, head] = this.desk.chosen.view;
    const { model } = this;
    const { hidden } = model.options(words, this.desk.chosen);
    const source = [...model.cut(words).map(model.shown), STOP];
    const map = new Weights(source, ...this.how());
    if (model.model.hides) map.strike(hidden);
    const steps = [];
    const pieces = []; // what it wrote: words, or pieces of them
    const inner = []; // weights of the decoder's self-attention
    for (const step of this.steps(words)) {
      const { word, weights, cross, self } = step;
      if (!still() && pieces.length) await pause();
      if (turn !== this.desk.turn) return null;
      steps.push(step);
      if (self && kind === "self") inner.push(self[layer][head]);
      if (word === STOP) break;
      const row = cross && kind === "cross" ? cross[layer][head] : weights;
      pieces.push(word);
      if (row && (!cross || !kind || kind === "cross")) map.add(model.shown(word), row);
      if (map.rows.length === 1) this.map.append(map.root);
      this.text.textContent = writeFrench(model.joined(pieces));
    }
    const written = model.joined(pieces);
    if (!written.length) this.text.textContent = "(no word)";
    this.finish(written, reference, map);
    if (hidden.length && !model.model.hides)
      this.note.prepend("It does not attend, so that nothing is hidden from it. ");
    if (inner.length) this.square(["<s>", ...pieces.map(model.shown)], inner, [], "fr");
    if (kind === "encoder") this.square(source, this.encoder(words)[layer][head], hidden, "en");
    return [this.text.textContent, this.doubt(steps)].filter(Boolean).join(" ");
  }

  // Show how sure the model was; a warning where it was less so than in nine of ten
  // sentences of validation. Phrases have scores, and no probabilities.
  doubt(steps) {
    if (this.model.name === "stack_decoder") return "";
    const score = meanLogP(steps);
    const piece = this.model.bpe ? "piece" : "word";
    const below = this.desk.options.unsure?.[this.name];
    const reasons = [];
    if (steps.at(-1).word !== STOP) reasons.push("it came to no end");
    if (score < below) reasons.push("nine of ten translations on validation have a higher mean");
    const warning = reasons.length ? `The model is unsure: ${reasons.join(", and ")}.` : "";
    this.sure.replaceChildren(`mean ln P a ${piece}: ${score.toFixed(3).replace("-", "−")}`);
    if (warning) this.sure.append(". ", make("strong", { class: "lb-unsure" }, warning));
    return warning;
  }

  // Of a map: what its rows are called, its room, who says a row.
  how() {
    return [`Words of ${this.label}`, this.root.clientWidth, (text) => this.desk.say(text)];
  }

  square(words, rows, hidden, lang) {
    this.map.replaceChildren(Weights.square(words, rows, hidden, ...this.how(), lang));
  }

  encoder(words) {
    const options = this.model.options(words, this.desk.chosen);
    return this.model.model.start(this.model.ids(words), options).heads;
  }

  *steps(words) {
    const { off, hidden, beam, random, temperature } = this.desk.chosen;
    if (beam > 1) {
      yield* this.model.beam(words, beam, { off, hidden });
      return;
    }
    let n = 0;
    const choose = beam ? undefined : sampled(() => random[n++], { temperature });
    yield* this.model.write(words, { off, hidden, choose });
  }

  // Say how it compares with the grammar's own translation, where there is one.
  finish(written, reference, map) {
    if (!reference) return;
    const wrong = strangers(written, reference);
    const many = wrong.filter(Boolean).length;
    const right = written.length === reference.length && !many;
    const differ = many === 1 ? "one word differs" : `${many} words differ`;
    const wrongly = many
      ? `${differ} from the grammar's translation`
      : "the grammar writes more words";
    this.note.textContent = right ? "as the grammar writes it" : wrongly;
    this.note.classList.toggle("lb-right", right);
    map.rows.forEach((row, t) => wrong[t] && row.wrong());
    let shown = 0;
    const parts = written.map((_, t) => {
      const text = writeFrench(written.slice(0, t + 1)).slice(shown);
      shown += text.length;
      const word = text.trimStart();
      const space = text.slice(0, text.length - word.length);
      return wrong[t] ? [space, make("span", { class: "lb-wrong" }, word)] : [text];
    });
    this.text.replaceChildren(...parts.flat());
  }

  clear() {
    for (const part of [this.text, this.map, this.note, this.sure]) part.replaceChildren();
  }
}

class Desk {
  constructor(place, options, status) {
    Object.assign(this, { place, options, status, turn: 0 });
    this.off = new Set();
    this.chosen = { off: [], hidden: [], view: [], beam: 1, temperature: 1 };
    const known = [...(options.examples ?? []), ...(options.lengths ?? [])];
    this.references = new Map(known.map(({ source, target }) => [source.join(" "), target]));
    const systems = Object.entries(options.systems);
    this.systems = systems.map(([name, label]) => new System(name, label, this));
    this.build();
  }

  // heard  is it for those who hear the page alone, since all can read it elsewhere?
  say(text, heard = false) {
    if (this.status.textContent !== text) this.status.textContent = text;
    this.status.classList.toggle("lb-heard", heard);
  }

  build() {
    const say = (text) => this.say(text);
    this.sentence = new Sentence("Translate", this.options.sentence, say, () => this.run());
    this.input = this.sentence.input;
    this.reach = new WordSwitches(() => this.run());
    this.reference = make("p", { class: "lb-note lb-reference" });
    const systems = make("div", { class: "lb-systems" }, ...this.systems.map(({ root }) => root));
    this.root = make("div", { class: "lb-desk" }, this.sentence.form, this.status,
      this.sentence.chips);
    this.root.append(...this.pickers(), this.reach.root, ...this.switches());
    this.root.append(this.reference, systems);
    this.place.querySelector(".lb-start").after(this.root);
  }

  // Examples, a slider over lengths, the rest of the systems, the address.
  pickers() {
    const { examples, lengths } = this.options;
    const bar = make("div", { class: "lb-pickers" });
    if (examples) bar.append(this.sentence.examples(examples, (text) => this.run(text)));
    if (lengths) {
      const slider = make("input", { type: "range", min: 0, max: lengths.length - 1, value: 0 });
      const [least, most] = [lengths[0], lengths.at(-1)].map(({ source }) => source.length);
      const shown = make("span", { class: "lb-degrees" }, `${least} to ${most} words`);
      slider.setAttribute("aria-valuetext", shown.textContent);
      slider.addEventListener("input", () => {
        const { source } = lengths[slider.value];
        shown.textContent = `${source.length} words`;
        slider.setAttribute("aria-valuetext", shown.textContent);
        clearTimeout(this.later);
        this.later = setTimeout(() => this.run(writeEnglish(source)), 150);
      });
      bar.append(make("label", {}, "Test sentences by length ", slider, shown));
    }
    const buttons = make("div", { class: "lb-buttons" });
    if (this.systems.length > 2) {
      const names = this.systems.map(({ name }) => name);
      const rest = names.filter((name) => name !== this.options.first);
      this.all = button(`Load all systems (${size(...rest)})`, () => this.loadAll());
      buttons.append(this.all);
    }
    buttons.append(button("Link to this sentence", () => this.share()));
    bar.append(buttons);
    return [bar];
  }

  // Heads of the Transformer, to look at one by one and to switch off; and how to decode.
  switches() {
    if (!this.options.heads) return [];
    const view = make("select", {}, make("option", { value: "" }, "mean of the last layer"));
    const beam = make("select");
    for (const value of [1, 3, 5, 10])
      beam.append(make("option", { value }, value === 1 ? "greedy" : `beam of ${value}`));
    beam.append(make("option", { value: 0 }, "drawn at random"));
    view.addEventListener("change", () => {
      this.chosen.view = view.value ? view.value.split(" ") : [];
      this.run();
    });
    const heat = range("Temperature", { min: 0, max: 2, step: 0.1, value: 1 }, String, () => {
      this.chosen.temperature = Number(heat.input.value);
      this.run();
    });
    // The same numbers at each temperature: what changes then is its work alone.
    const again = () => {
      this.chosen.random = Array.from({ length: 200 }, seed.numbers());
      this.run();
    };
    const seed = new Seed(again);
    const other = () => {
      seed.input.value++;
      again();
    };
    const drawing = make("span", { class: "lb-buttons", hidden: "" }, heat.root, seed.root,
      button("Draw again", other));
    beam.addEventListener("change", () => {
      this.chosen.beam = Number(beam.value);
      view.disabled = this.chosen.beam > 1;
      drawing.hidden = this.chosen.beam > 0;
      again();
    });
    const labels = {
      encoder: "encoder",
      self: "decoder, self-attention",
      cross: "decoder, cross-attention",
    };
    this.fill = (model) => {
      const groups = Object.entries(labels).map(([kind, name]) =>
        headSwitches(kind, name, model.below, model.h, this.off, () => this.run()));
      for (const kind of ["cross", "encoder", "self"])
        for (const [l, head] of heads(model.below, model.h)) {
          const name = `${labels[kind]} ${l + 1}.${head + 1}`;
          view.append(make("option", { value: `${kind} ${l} ${head}` }, name));
        }
      more.append(...groups);
    };
    const more = make("details", {}, make("summary", {}, "Switch heads off"));
    const bar = make("div", { class: "lb-pickers" },
      make("label", {}, "Attention shown ", view), make("label", {}, "Decoding ", beam),
      drawing);
    return [bar, more];
  }

  async begin(held) {
    const asked = asksFor(this.options);
    const first = this.systems.find(({ name }) => name === this.options.first);
    if (asked) this.input.value = asked;
    await first.load();
    if (held) this.input.focus();
  }

  // A system has come: the first one opens the desk, another joins it.
  loaded(system) {
    this.sentence.use(system.model);
    if (this.fill && system.model.model.above && system.model.model.h) {
      this.fill(system.model.model);
      this.fill = null;
    }
    if (this.systems.every(({ model }) => model)) this.all?.remove();
    if (!this.loadingAll) this.run();
  }

  async loadAll() {
    this.loadingAll = true;
    this.say(`Loading ${this.all.textContent.match(/\((.*)\)/)[1]} …`);
    const left = this.systems.filter(({ model }) => !model);
    const held = document.activeElement === this.all;
    const came = await Promise.all(left.map((system) => system.load()));
    this.loadingAll = false;
    if (held) this.input.focus();
    if (came.some(Boolean)) await this.run();
  }

  // Translate what the field holds, or this text.
  async run(text = this.input.value) {
    const turn = ++this.turn;
    const words = this.sentence.words(text);
    this.reference.replaceChildren();
    if (!words) {
      for (const system of this.systems) if (system.model) system.clear();
      this.reach.show([]);
      return;
    }
    const reference = this.references.get(words.join(" "));
    if (reference) {
      const french = make("span", { lang: "fr" }, writeFrench(reference));
      this.reference.append("The grammar's translation: ", french);
    }
    this.say("Translating …");
    this.reach.show(words);
    Object.assign(this.chosen, { off: [...this.off], hidden: this.reach.places });
    const ready = this.systems.filter(({ model }) => model);
    const written = await Promise.all(ready.map((system) => system.run(words, reference, turn)));
    if (turn !== this.turn) return;
    const all = ready.map(({ label }, i) => `${label}: ${written[i]}`).join(" · ");
    this.say(this.reach.said + all, true);
    this.place.dataset.done = words.join(" ");
  }

  async share() {
    const url = new URL(location.href);
    const { first } = this.options;
    url.search = new URLSearchParams({ sentence: this.input.value.trim(), for: first });
    url.hash = this.place.querySelector("figure").id; // comes into sight, and starts
    history.replaceState(null, "", url);
    try {
      await navigator.clipboard.writeText(url.href);
      this.say("The address of this sentence is copied.");
    } catch {
      this.say("The address of this sentence stands in the address bar.");
    }
  }
}

export const open = (place, options, status, held) =>
  new Desk(place, options, status).begin(held);
