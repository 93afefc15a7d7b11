// Draw attention weights as they arise: a button for each word that is written, and after it the
// weights of that step as a row of cells, a column for each word of the source.

import { make, makeSvg } from "./dom.js";

const TALL = 24; // of a row: a finger finds it
const LABEL = 88; // of the words before the rows, in pixels; so says live.css
const LEAST = 0.005; // what is less is not drawn

const percent = (weight) => ` ${Math.round(100 * weight)} %`;

// The columns with the largest weights of a row: "minister 74 %, old 25 %"
export const largestWeights = (columns, weights, { value = percent, most = 4 } = {}) =>
  [...weights]
    .map((weight, s) => [weight, columns[s] || "nothing"])
    .filter(([weight]) => Math.abs(weight) >= 0.01)
    .sort(([a], [b]) => b - a)
    .slice(0, most)
    .map(([weight, word]) => word + value(weight))
    .join(", ") || "nothing";

// The row of a vertical toolbar that a key leads to; -1 for other keys.
export const rove = (event, at, last) => {
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: last }[event.key];
  if (to === undefined) return -1;
  event.preventDefault();
  return Math.min(last, Math.max(0, to));
};

// Layer and number of every head of these layers, from 0.
export const heads = (layers, h) =>
  layers.flatMap((_, l) => Array.from({ length: h }, (_, head) => [l, head]));

export class Weights {
  // columns  the words of the source;  room  how wide all may be, in pixels
  // say      (words) → what is told of a row;  lang  of the words before the rows
  constructor(columns, name, room, say, lang = "fr") {
    Object.assign(this, { columns, say, lang, rows: [] });
    const wide = (room - LABEL - 12) / columns.length;
    this.wide = Math.max(13, Math.min(26, Math.floor(wide)));
    this.bar = make("div", { role: "toolbar", "aria-orientation": "vertical", "aria-label": name });
    this.root = make("div", { class: "lb-weights" }, this.heads(), this.bar);
    this.bar.addEventListener("keydown", (event) => this.move(event));
    this.bar.addEventListener("focusout", () => this.mark(-1));
    this.bar.addEventListener("pointerleave", () => this.mark(-1));
  }

  heads() {
    const longest = Math.max(...this.columns.map((word) => word.length));
    const tall = 14 + 5.2 * Math.min(longest, 14);
    const svg = this.svg(tall, { class: "lb-heads" });
    this.words = this.columns.map((word, s) => {
      const turn = `translate(${(s + 0.5) * this.wide + 3} ${tall - 5}) rotate(-55)`;
      return makeSvg("text", { transform: turn }, word);
    });
    svg.append(...this.words);
    return svg;
  }

  svg(tall, attributes) {
    const wide = this.columns.length * this.wide;
    return makeSvg("svg", { width: wide, height: tall, "aria-hidden": "true", ...attributes });
  }

  // One more row: a word that was written, and its weights.
  add(word, weights) {
    const t = this.rows.length;
    const svg = this.svg(TALL, {});
    const [wide, tall] = [this.wide, TALL];
    const all = this.columns.length * wide;
    svg.append(makeSvg("rect", { width: all, height: tall, class: "lb-ground" }));
    weights.forEach((weight, s) => {
      if (weight < LEAST || s >= this.columns.length) return;
      const x = s * wide;
      const cell = { x, width: wide, height: tall, class: "lb-cell", "fill-opacity": weight };
      svg.append(makeSvg("rect", cell));
      const at = { x: x + wide / 2, y: tall / 2 + 3.5, class: weight > 0.55 ? "lb-on" : "" };
      svg.append(makeSvg("text", at, Math.round(100 * weight)));
    });
    const label = `${word} attends to ${largestWeights(this.columns, weights)}`;
    const tabindex = t ? -1 : 0;
    const word_ = make("button", { type: "button", tabindex, lang: this.lang }, word);
    word_.setAttribute("aria-label", label);
    const line = make("div", { class: "lb-line" }, word_, svg);
    // Not pointerenter: a row may come under a pointer at rest.
    line.addEventListener("pointermove", () => this.at !== t && this.mark(t));
    word_.addEventListener("focus", () => this.mark(t));
    const row = { button: word_, line, weights, label };
    row.wrong = () => {
      row.label += "; the grammar writes another word";
      word_.setAttribute("aria-label", row.label);
      word_.className = "lb-wrong";
    };
    this.rows.push(row);
    this.bar.append(line);
  }

  // Strike out the words that are hidden from attention.
  strike(places) {
    for (const s of places) this.words[s].classList.add("lb-struck");
  }

  // Words over words of the same sentence; the last rows may be left out.
  static square(words, rows, hidden, ...more) {
    const map = new Weights(words, ...more);
    map.strike(hidden);
    rows.forEach((row, t) => words[t] && map.add(words[t], row));
    return map.root;
  }

  mark(t) {
    this.at = t;
    if (t < 0) t = this.rows.findIndex(({ button }) => button === document.activeElement);
    this.rows.forEach(({ line, button }, i) => {
      line.classList.toggle("lb-marked", i === t);
      if (t >= 0 && this.bar.contains(document.activeElement)) button.tabIndex = i === t ? 0 : -1;
    });
    this.words.forEach((word, s) => {
      const weight = this.rows[t]?.weights[s] ?? 0; // a prefix has no later words
      word.style.opacity = t < 0 ? "" : 0.4 + 2.5 * weight;
      word.style.fontWeight = weight > 0.3 ? 700 : "";
    });
    if (t >= 0) this.say(this.rows[t].label);
  }

  move(event) {
    const at = this.rows.findIndex(({ button }) => button === event.target);
    this.rows[rove(event, at, this.rows.length - 1)]?.button.focus();
  }
}
