// Controls that several live figures share: steps, sliders, bars, seeds, and numbers as
// they are written.

import { button, make } from "./dom.js";

export const signed = (x) => x.toFixed(2).replace(/^-(?!0\.00)/, "−").replace("-", "");
export const percent = (p) =>
  `${p >= 0.0995 || p === 0 ? Math.round(100 * p) : (100 * p).toFixed(1)} %`;

// A slider with its name before it and its value after it, which `text` writes.
export const range = (name, attributes, text, follow) => {
  const input = make("input", { type: "range", ...attributes });
  const shown = make("span", { class: "lb-degrees" });
  const show = () => {
    shown.textContent = text(Number(input.value));
    input.setAttribute("aria-valuetext", shown.textContent);
  };
  input.addEventListener("input", () => {
    show();
    follow();
  });
  show();
  return { root: make("label", {}, `${name} `, input, shown), input };
};

// A word, a number and a bar that takes this share of its room, to be pressed.
export const bar = (word, text, share, action, attributes = {}) => {
  const made = button("", action, { "aria-label": `${word} ${text}`, ...attributes });
  const long = make("i", { style: `--lb-share: ${share}` });
  made.append(...[word, text, long].map((part) => make("span", {}, part)));
  return made;
};

// A field for a seed, and random numbers from 0 to 1 that are the same for the same seed:
// mulberry32.
export class Seed {
  constructor(follow) {
    this.input = make("input", { type: "number", min: 0, value: 1 });
    this.input.addEventListener("input", follow);
    this.root = make("label", { class: "lb-seed" }, "seed ", this.input);
  }

  numbers() {
    let seed = Number(this.input.value);
    return () => {
      seed = (seed + 0x6d2b79f5) | 0;
      let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
    };
  }
}

const PAUSE = 900; // milliseconds a step stands while it plays

// Nothing runs by itself for those who want things to stand still.
export const motionIsWelcome = () => !matchMedia("(prefers-reduced-motion: reduce)").matches;

// A slider between two buttons that goes through steps.
export class Player {
  // show  (n) → what is done at step n, from 0;  name  of the slider
  // text  (n) → what the slider says of step n;  wrap  does the first follow the last?
  // plays  is there a button that goes from step to step, where motion is welcome?
  constructor(show, { name = "Step", text, wrap = false, plays = false } = {}) {
    Object.assign(this, { show, text, wrap });
    this.slider = make("input", { type: "range", min: 0, "aria-label": name });
    this.slider.addEventListener("input", () => this.to(Number(this.slider.value)));
    this.now = make("output", { "aria-hidden": "true" });
    const back = button("‹", () => this.to(this.at - 1), { "aria-label": "Step back" });
    const on = button("›", () => this.to(this.at + 1), { "aria-label": "Step on" });
    this.root = make("div", { class: "lb-player" }, back, this.slider, on, this.now);
    this.root.addEventListener("keydown", (event) => this.key(event));
    if (plays && motionIsWelcome()) this.addPlayButton();
  }

  addPlayButton() {
    this.play = button("Play", () => (this.timer ? this.stop() : this.start()));
    this.now.before(this.play);
    for (const kind of ["input", "click", "keydown"])
      this.root.addEventListener(kind, (event) => {
        if (event.target !== this.play) this.stop();
      });
  }

  start() {
    const last = this.many - 1;
    if (this.at === last) this.to(0);
    this.play.textContent = "Pause";
    this.timer = setInterval(() => {
      this.to(this.at + 1);
      if (this.at === last) this.stop();
    }, PAUSE);
  }

  stop() {
    if (!this.timer) return;
    clearInterval(this.timer);
    this.timer = 0;
    this.play.textContent = "Play";
  }

  key(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || event.target === this.slider) return; // which knows these keys
    event.preventDefault();
    this.to(this.at + by);
  }

  // So many steps there are; one of them is shown.
  of(many, at) {
    this.many = many;
    this.slider.max = many - 1;
    this.to(at);
  }

  to(at) {
    const last = this.many - 1;
    if (this.wrap) this.at = (at + this.many) % this.many;
    else this.at = Math.min(last, Math.max(0, at));
    this.slider.value = this.at;
    this.now.textContent = `${this.at + 1} of ${this.many}`;
    const text = this.text?.(this.at) ?? this.now.textContent;
    this.slider.setAttribute("aria-valuetext", text);
    this.show(this.at);
  }
}
