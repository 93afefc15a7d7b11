// Start what figures.Live writes: its drawing stays until the first weights are loaded,
// and so do all other modules.

import { button, make } from "./dom.js";
import { fetchFile } from "./fetch.js";

const VERBS = {
  translator: "Translate a sentence of yours",
  next: "Try words of yours",
  vectors: "Ask questions of yours",
  gates: "Read a sentence of yours",
  step: "Go through it step by step",
  tree: "Search with a beam of yours",
};
const LOOK = {
  translator:
    "What to look at: the darkest cell of a row is the English word that the French word comes from. " +
    "Where a row has no dark cell, the model attends to several words.",
  next: "What to look at: the longest bars, and how they change when you add or change one word.",
  step:
    "What to look at: the largest weight, and whether the next word translates that source word. " +
    "The numbers of the context have no names. Compare their pattern from step to step: it changes " +
    "where the weights move to another word.",
  tree:
    "What to look at: hypotheses that lead early and are dropped later, which are dashed, and the " +
    "step at which the best one takes the lead.",
  vectors:
    "What to look at: whether the first answer is the word that you expect, and how far its cosine " +
    "is above the next one.",
  gates:
    "What to look at: columns that change at one word. A dark cell is an open gate. Choose such a " +
    "unit with the slider, and pass over the others.",
};
const models = {}; // name → url, integrity, bytes
export const RETRY = "The button tries again; if that does not help, reload the page.";

export const size = (...names) => {
  const bytes = names.reduce((sum, name) => sum + models[name].bytes, 0);
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
};

// The sentence in the address, if it is for the piece with this first model; without a
// model's name it is for the piece that starts by itself.
export const asksFor = ({ first, start }) => {
  const asked = new URLSearchParams(location.search);
  const mine = asked.has("for") ? asked.get("for") === first : start === "sight";
  return mine ? asked.get("sentence") : null;
};

const lost = new Set(); // modules that have failed to load

// Loaded when they are needed: a page that is only read needs none of them. Firefox never
// asks again for a module, or one that it imports, which has failed: then the page has to
// be loaded again, once there is a connection.
const module = async (name) => {
  const what = `The script ${name}.js`;
  try {
    return await import(`./${name}.js`);
  } catch {
    if (lost.has(name)) {
      await fetchFile(what, new URL(`${name}.js`, import.meta.url).href, "text");
      location.reload();
    }
    lost.add(name);
    throw new Error(`${what}, or another that it imports, did not load`);
  }
};

export const load = async (name) => {
  if (!models[name]) throw new Error(`this page has ${Object.keys(models)}, and no ${name}`);
  return (await module("models")).load(name, models[name]);
};

let styles;
const styled = () =>
  (styles ??= new Promise((done, fail) => {
    const link = make("link", { rel: "stylesheet", href: new URL("live.css", import.meta.url) });
    link.onload = done;
    link.onerror = () => {
      styles = undefined;
      link.remove();
      fail(new Error("The style sheet live.css did not load"));
    };
    document.head.append(link);
  }));

class Live {
  constructor(place) {
    this.place = place;
    this.options = JSON.parse(place.dataset.options);
    Object.assign(models, JSON.parse(place.dataset.models));
    this.first = this.options.first;
    this.status = make("p", { class: "lb-told", role: "status" });
    const words = `${this.options.verb ?? VERBS[this.options.kind]} (${size(this.first)})`;
    this.button = button(words, () => this.open());
    this.bar = place.querySelector(".lb-start");
    this.bar.append(this.button, this.status);
    const opens = this.options.start === "sight" || asksFor(this.options);
    if (opens && !navigator.connection?.saveData) this.wait();
  }

  wait() {
    // Several crossings may come together: any of them counts, not the first alone.
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      this.open();
    });
    observer.observe(this.place);
  }

  async open() {
    if (this.opening) return;
    this.opening = true;
    this.status.textContent = `Loading ${size(this.first)} of weights …`;
    const still = [...this.place.children].filter((part) => part !== this.bar && !part.hidden);
    try {
      const [{ open }] = await Promise.all([
        module(this.options.kind),
        load(this.first),
        styled(),
      ]);
      const held = this.place.contains(document.activeElement); // the keyboard is in what goes
      for (const part of still) part.hidden = true;
      this.button.remove();
      await open(this.place, this.options, this.status, held);
      const line = make("p", { class: "lb-note lb-look" }, LOOK[this.options.kind]);
      this.place.querySelector(".lb-desk").prepend(line);
    } catch (error) {
      console.info(`lookback: ${error.message}`);
      this.opening = false;
      this.place.querySelector(".lb-desk")?.remove();
      for (const part of still) part.hidden = false;
      if (!this.button.isConnected) this.bar.append(this.button, this.status);
      this.status.textContent = `${error.message}. The figure stays as it is. ${RETRY}`;
    }
  }
}

// For the curious, and for tests.
window.lookback = {
  translate: async (name, words, more) => {
    const { words: written, weights } = (await load(name)).translate(words, more);
    return { words: written, weights: weights.map((row) => (row ? [...row] : null)) };
  },
  next: async (name, words, more) => {
    const model = await load(name);
    const log = model.next(words, more);
    return Object.fromEntries(model.words.entries.map((word, id) => [word, Math.exp(log[id])]));
  },
};

for (const place of document.querySelectorAll('[data-live="live"]')) new Live(place);
