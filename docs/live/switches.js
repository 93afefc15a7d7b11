// Switches: words that attention may reach, and heads that may give something. One that is
// off is struck through.

import { button, make } from "./dom.js";
import { heads } from "./weights.js";

const flip = (all, one) => (all.includes(one) ? all.filter((other) => other !== one) : [...all, one]);

// The words of a sentence; `places` are those of the hidden ones, from 0.
export class WordSwitches {
  // change  () → what is done when a word is hidden, or comes back
  constructor(change) {
    Object.assign(this, { change, words: [], places: [] });
    const label = "Words that attention may reach";
    this.root = make("div", { class: "lb-switches lb-reach", role: "group", "aria-label": label });
    this.root.hidden = true;
  }

  // Words that follow or go leave the others as they were; in another sentence all are on.
  show(words) {
    const same = words.every((word, k) => k >= this.words.length || word === this.words[k]);
    if (same && words.length === this.words.length) return;
    this.places = same ? this.places.filter((k) => k < words.length) : [];
    this.words = words;
    const one = (word, k) =>
      button(word, ({ currentTarget }) => this.flip(k, currentTarget),
        { "aria-pressed": !this.places.includes(k), lang: "en" });
    this.root.replaceChildren(make("span", {}, "Hide a word from attention"), ...words.map(one));
    this.root.hidden = !words.length;
  }

  flip(k, switched) {
    this.places = flip(this.places, k);
    switched.setAttribute("aria-pressed", !this.places.includes(k));
    this.change();
  }

  // "Hidden from attention: not. ", or nothing.
  get said() {
    const words = [...this.places].sort((a, b) => a - b).map((k) => this.words[k]);
    return words.length ? `Hidden from attention: ${words.join(", ")}. ` : "";
  }
}

// The heads of some layers, in one group; `off` holds "cross 1 2" for each that is off: its
// kind, its layer, its number, from 0.
export const headSwitches = (kind, name, layers, h, off, change) => {
  const group = make("div", { class: "lb-switches", role: "group", "aria-label": name });
  group.append(make("span", {}, name));
  for (const [l, head] of heads(layers, h)) {
    const id = `${kind} ${l} ${head}`;
    const one = button(`${l + 1}.${head + 1}`, () => {
      one.setAttribute("aria-pressed", off.has(id));
      if (!off.delete(id)) off.add(id);
      change();
    }, { "aria-pressed": "true", "aria-label": `${name}: layer ${l + 1}, head ${head + 1}` });
    group.append(one);
  }
  return group;
};
