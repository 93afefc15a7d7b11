// The next word as the reader types: its likeliest candidates, at a temperature, out of the
// top k or the top p; and words drawn from them.

import { END, distribution, draw } from "./decoding.js";
import { button, load, make, textField } from "./live.js";
import { percent, range } from "./player.js";
import { read, writeEnglish } from "./tokens.js";

const SHOWN = 10;
const MOST = 40; // words of a sentence that is drawn

class Next {
  constructor(place, options, status, model) {
    Object.assign(this, { place, options, status, model });
    this.known = { has: (word) => model.words.has(word) };
    this.input = textField();
    this.input.value = writeEnglish(options.sentence);
    this.input.addEventListener("input", () => this.follow());
    const label = make("label", {}, "A sentence begins ", this.input);
    const field = make("div", { class: "lb-say" }, label);
    const some = (k) => (k > 20 ? `all ${model.model.vocab.length}` : String(k));
    this.knobs = [
      ["Temperature", { min: 0, max: 2, step: 0.1, value: 1 }, String],
      ["Top k", { min: 1, max: 21, step: 1, value: 21 }, some],
      ["Top p", { min: 0.1, max: 1, step: 0.05, value: 1 }, (p) => p.toFixed(2)],
    ].map((knob) => range(...knob, () => this.follow()));
    const knobs = make("div", { class: "lb-pickers" }, ...this.knobs.map(({ root }) => root));
    const buttons = make("div", { class: "lb-buttons" },
      button("Draw a word", () => this.sample(1)),
      button("Draw to the end", () => this.sample(MOST)),
      button("Start anew", () => this.set([])));
    this.list = make("div", { class: "lb-next", role: "group", "aria-label": "The next word" });
    this.root = make("div", { class: "lb-desk" }, field, knobs, buttons, status, this.list);
    place.querySelector(".lb-start").after(this.root);
    this.follow();
  }

  // The words in the field; one that is not known is read as <unk>.
  words() {
    return this.input.value.toLowerCase().split(/\s+/).filter(Boolean).flatMap((piece) => {
      const { words } = read(piece, this.known);
      return words.length ? words : [piece];
    });
  }

  probabilities(words) {
    const [temperature, k, topP] = this.knobs.map(({ input }) => Number(input.value));
    const topK = k > 20 ? undefined : k;
    return distribution(this.model.next(words), { temperature, topK, topP });
  }

  follow() {
    const words = this.words();
    const { entries } = this.model.words;
    const p = this.probabilities(words);
    const possible = [...p.keys()].filter((id) => p[id] > 0);
    const best = possible.sort((a, b) => p[b] - p[a]).slice(0, SHOWN);
    const held = this.list.contains(document.activeElement);
    this.list.replaceChildren(...best.map((id) => this.candidate(entries[id], p[id], p[best[0]])));
    if (held) this.list.firstChild?.focus();
    const seen = words.slice(1 - this.model.model.order).join(" ") || "the beginning";
    const unknown = words.filter((word) => !this.model.words.has(word));
    const hint = unknown.length ? ` (${unknown.join(", ")} is read as an unknown word)` : "";
    const three = best.slice(0, 3).map((id) => `${entries[id]} ${percent(p[id])}`);
    this.status.textContent = `After ${seen}${hint}: ${three.join(", ")}`;
    this.place.dataset.done = words.join(" ");
  }

  candidate(word, p, most) {
    const bar = make("i", { style: `--lb-share: ${p / most}` });
    const name = word === END ? "(end)" : word;
    const action = () => this.set(word === END ? [] : [...this.words(), word]);
    const made = button("", action, { "aria-label": `${name} ${percent(p)}` });
    made.append(...[name, percent(p), bar].map((part) => make("span", {}, part)));
    return made;
  }

  set(words) {
    this.input.value = words.length ? `${writeEnglish(words)} ` : "";
    this.follow();
  }

  sample(most) {
    const words = this.words();
    for (let n = 0; n < most; n++) {
      const id = draw(this.probabilities(words), Math.random());
      const word = this.model.words.entries[id];
      if (word === END) {
        this.set(words);
        this.status.textContent = `The sentence ends: ${writeEnglish(words)}`;
        return;
      }
      words.push(word);
    }
    this.set(words);
  }
}

export const open = async (place, options, status, clicked) => {
  const next = new Next(place, options, status, await load(options.first));
  if (clicked) next.input.focus();
};
