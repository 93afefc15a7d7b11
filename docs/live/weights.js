// Draw attention weights as they arise: a button for each word that is written, and after it the
// weights of that step as a row of cells, a column for each word of the source. A map that is
// larger than its box scrolls in it, says so, and keeps its words in sight.

import { make, makeSvg } from "./dom.js";

const TALL = 24; // of a row: a finger finds it
const LABEL = 88; // of the words before the rows, in pixels; so says live.css
const LEAN = 32; // by so much </s> leans over the end of its column, in pixels
const LEAST = 0.005; // what is less is not drawn
const LETTER = 6.3; // pixels along a word over the columns
const TURN = (55 * Math.PI) / 180; // of these words
const SHOWN = 16; // letters of them

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
    const wide = (room - LABEL - LEAN) / columns.length;
    this.wide = Math.max(13, Math.min(26, Math.floor(wide)));
    this.bar = make("div", { role: "toolbar", "aria-orientation": "vertical", "aria-label": name });
    this.box = make("div", { class: "lb-weights" }, this.heads(), this.bar);
    this.more = make("p", { class: "lb-note lb-more" });
    this.root = make("div", {}, this.box, this.more);
    const tell = () => this.tell();
    this.box.addEventListener("scroll", tell);
    new ResizeObserver(tell).observe(this.box);
    this.bar.addEventListener("keydown", (event) => this.move(event));
    this.bar.addEventListener("focusout", () => this.mark(-1));
    this.bar.addEventListener("pointerleave", () => this.mark(-1));
  }

  heads() {
    const short = (word) => (word.length > SHOWN ? `${word.slice(0, SHOWN - 1)}…` : word);
    const shown = this.columns.map(short);
    const longest = LETTER * Math.max(...shown.map((word) => word.length));
    const tall = Math.ceil(14 + longest * Math.sin(TURN));
    // The last words lean over the right end of their columns.
    const ends = shown.map((word, s) =>
      (s + 0.5) * this.wide + 18 + LETTER * word.length * Math.cos(TURN));
    const svg = this.svg(tall, {}, Math.ceil(Math.max(...ends)));
    this.words = shown.map((word, s) => {
      const turn = `translate(${(s + 0.5) * this.wide + 3} ${tall - 5}) rotate(-55)`;
      return makeSvg("text", { transform: turn }, word);
    });
    svg.append(...this.words);
    return make("div", { class: "lb-heads" }, make("span", {}), svg);
  }

  // How many words are out of sight, to the right and below.
  tell() {
    const { scrollLeft, scrollTop, clientWidth, clientHeight, scrollHeight } = this.box;
    const cells = LABEL + this.columns.length * this.wide;
    const right = Math.ceil((cells - scrollLeft - clientWidth) / this.wide - 0.5);
    const below = Math.ceil((scrollHeight - scrollTop - clientHeight) / TALL - 0.5);
    const words = (many) => `${many} more word${many > 1 ? "s" : ""}`;
    const parts = [];
    if (right > 0) parts.push(`${words(right)} to the right`);
    if (below > 0) parts.push(`${words(below)} below`);
    const scrolls = cells > clientWidth + this.wide / 2 || scrollHeight > clientHeight + TALL / 2;
    this.more.hidden = !scrolls;
    this.more.textContent = parts.length ? `Scroll: ${parts.join(", ")}.` : "The end of the map.";
  }

  svg(tall, attributes, wide = this.columns.length * this.wide) {
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
    this.tell();
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
