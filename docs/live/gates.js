// Show the gates of an LSTM or a GRU while it reads: a row for each word, a cell for each unit,
// the darker the more the gate is open.

import { Choice, group } from "./choice.js";
import { button, make, makeSvg, textField, tooLong } from "./dom.js";
import { percent, signed } from "./player.js";
import { largest, softmax } from "./tensor.js";
import { typed, writeEnglish } from "./tokens.js";
import { rove } from "./weights.js";

const GATES = {
  f: "forget gate", i: "input gate", o: "output gate", z: "update gate", r: "reset gate",
};
const LEVELS = 12; // shades of a cell
const MOST = 40; // words
const middle = (x) => x.reduce((sum, number) => sum + number, 0) / x.length;

class Gates {
  constructor(place, options, status) {
    Object.assign(this, { place, status, unit: 0, rows: [] });
    this.input = textField();
    this.input.value = writeEnglish(options.sentence);
    this.input.addEventListener("input", () => {
      this.at = undefined; // the last word is that of the reader
      this.follow();
    });
    this.choice = new Choice("Cell", options.systems, (text) => this.say(text), (model) => {
      this.model = model;
      this.follow();
    });
    this.gates = group("Gate");
    this.slider = make("input", { type: "range", min: 0, value: 0 });
    this.slider.addEventListener("input", () => this.show());
    this.shown = make("span", { class: "lb-degrees" });
    const slider = make("label", {}, "Unit ", this.slider, this.shown);
    const field = make("label", {}, "A sentence begins ", this.input);
    this.bar = make("div", { role: "toolbar", "aria-orientation": "vertical", "aria-label": "Words" });
    this.bar.addEventListener("keydown", (event) => this.move(event));
    this.root = make("div", { class: "lb-desk" },
      make("div", { class: "lb-pickers" }, this.choice.root, this.gates),
      make("div", { class: "lb-say" }, field),
      make("div", { class: "lb-pickers" }, slider), status,
      make("div", { class: "lb-gates" }, this.bar));
    place.querySelector(".lb-start").after(this.root);
  }

  say(text) {
    if (this.status.textContent !== text) this.status.textContent = text;
  }

  follow() {
    const long = tooLong(this.input.value);
    if (long) return this.say(long);
    const words = typed(this.input.value, this.model.words);
    const ids = words.slice(0, MOST).map((word) => this.model.words.id(word));
    this.words = ["<s>", ...words.slice(0, MOST)];
    this.steps = [...this.model.model.read(ids)];
    const names = Object.keys(this.steps[0].gates);
    if (!names.includes(this.gate)) this.gate = Object.keys(GATES).find((key) => names.includes(key));
    this.gates.replaceChildren(...Object.keys(GATES).filter((key) => names.includes(key)).map((key) =>
      button(`${GATES[key]} ${key}`, () => this.choose(key), { "aria-pressed": key === this.gate })));
    this.write();
    if (words.length > MOST)
      this.say(`The first ${MOST} of ${words.length} words are shown.`);
    this.place.dataset.done = words.join(" ");
  }

  choose(key) {
    this.gate = key;
    for (const one of this.gates.children)
      one.setAttribute("aria-pressed", one.textContent.endsWith(` ${key}`));
    this.write();
  }

  // All rows anew: units from the one that is most closed in this sentence to the most open.
  write() {
    this.values = this.steps.map(({ gates }) => gates[this.gate]);
    const n = this.values[0].length;
    const open = Array.from({ length: n }, (_, unit) => middle(this.values.map((v) => v[unit])));
    this.order = [...open.keys()].sort((a, b) => open[a] - open[b]);
    this.slider.max = n;
    this.at = Math.min(this.at ?? this.words.length - 1, this.words.length - 1);
    this.rows = this.words.map((word, t) => {
      const name = make("button", { type: "button", tabindex: -1 }, word);
      const value = make("span", { class: "lb-value" });
      const line = make("div", { class: "lb-line" }, name, value, this.strip(this.values[t]));
      line.addEventListener("pointermove", () => this.at !== t && this.mark(t));
      name.addEventListener("focus", () => this.mark(t));
      return { name, value, line };
    });
    this.bar.replaceChildren(...this.rows.map(({ line }) => line));
    this.show();
  }

  strip(values) {
    const n = values.length;
    const svg = makeSvg("svg", { viewBox: `0 0 ${n} 1`, preserveAspectRatio: "none", "aria-hidden": "true" });
    const levels = Array.from({ length: LEVELS + 1 }, () => "");
    this.order.forEach((unit, x) => (levels[Math.round(values[unit] * LEVELS)] += `M${x} 0h1v1h-1z`));
    levels.forEach((d, level) => {
      if (d && level) svg.append(makeSvg("path", { d, class: "lb-cell", "fill-opacity": level / LEVELS }));
    });
    svg.append(makeSvg("rect", { width: 1, height: 1, class: "lb-unit" }));
    return svg;
  }

  // What the slider chose: the mean of all units, or one of them.
  show() {
    const chosen = Number(this.slider.value);
    const unit = this.order[chosen - 1];
    this.shown.textContent = chosen ? unit + 1 : "mean";
    this.slider.setAttribute("aria-valuetext", this.shown.textContent);
    this.numbers = this.values.map((v) => (chosen ? v[unit] : middle(v)));
    this.rows.forEach(({ value, line }, t) => {
      value.textContent = signed(this.numbers[t]);
      const mark = line.querySelector(".lb-unit");
      mark.setAttribute("x", chosen - 1);
      mark.style.display = chosen ? "" : "none";
    });
    this.mark(this.at);
  }

  mark(t) {
    this.at = t;
    this.rows.forEach(({ line, name }, i) => {
      line.classList.toggle("lb-marked", i === t);
      name.tabIndex = i === t ? 0 : -1;
    });
    const many = (test) => this.values[t].filter(test).length;
    const p = softmax(this.steps[t].logits);
    const { entries } = this.model.words;
    const next = largest(p, 3).map((id) => `${entries[id]} ${percent(p[id])}`).join(", ");
    const chosen = Number(this.slider.value);
    const what = chosen ? `unit ${this.order[chosen - 1] + 1}` : "mean";
    this.say(
      `${this.words[t]}: ${GATES[this.gate]}, ${what} ${signed(this.numbers[t])}; ` +
      `${many((x) => x < 0.1)} units nearly closed, ${many((x) => x > 0.9)} nearly open. ` +
      `Next word: ${next}`);
  }

  move(event) {
    this.rows[rove(event, this.at, this.rows.length - 1)]?.name.focus();
  }
}

export const open = async (place, options, status, held) => {
  const gates = new Gates(place, options, status);
  await gates.choice.choose(options.first);
  if (held) gates.input.focus();
};
