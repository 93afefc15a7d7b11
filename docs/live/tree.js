// Draw a beam as a tree: a column for each step, with the hypotheses that it kept, the
// likeliest at the top, and a line to each from the one that it extends.

import { STOP, grow, lengthPenalty } from "./decoding.js";
import { make, makeSvg } from "./dom.js";
import { load } from "./live.js";
import { Player, range, signed } from "./player.js";
import { Sentence } from "./sentence.js";
import { writeFrench } from "./tokens.js";

const [ROW, BOX, EDGE, LETTER] = [46, 38, 26, 7.2]; // pixels
const way = (node) => (node ? [...way(node.parent), node] : []);

class Beam {
  constructor(place, options, status, model) {
    Object.assign(this, { place, status, model });
    const say = (text) => this.say(text);
    this.sentence = new Sentence("Search", options.sentence, say, () => this.run());
    this.sentence.use(model);
    const follow = () => this.run();
    const size = { min: 1, max: 5, step: 1, value: 3 };
    this.size = range("Beam size", size, String, follow);
    const alpha = { min: 0, max: 2, step: 0.1, value: 0 };
    const none = (a) => (a ? `α = ${a.toFixed(1)}` : "none");
    this.alpha = range("Length penalty", alpha, none, follow);
    this.player = new Player((n) => this.show(n));
    this.tree = make("div", { class: "lb-tree", role: "toolbar", "aria-label": "Hypotheses" });
    this.tree.addEventListener("keydown", (event) => this.move(event));
    this.tree.addEventListener("focusout", () => this.mark(null));
    this.tree.addEventListener("pointerleave", () => this.mark(null));
    this.room = make("div", { class: "lb-beam" }, this.tree);
    this.finished = make("ol", { class: "lb-finished" });
    this.name = make("p", { class: "lb-note" });
    const pick = this.sentence.examples(options.examples, (text) => this.run(text));
    const knobs = [pick, this.size.root, this.alpha.root].filter(Boolean);
    this.root = make("div", { class: "lb-desk" }, this.sentence.form, status,
      this.sentence.chips, make("div", { class: "lb-pickers" }, ...knobs), this.player.root, this.room,
      this.name, this.finished);
    place.querySelector(".lb-start").after(this.root);
    this.run();
  }

  say(text) {
    this.status.textContent = text;
  }

  run(text) {
    const words = this.sentence.words(text);
    if (!words) return;
    const penalty = lengthPenalty(Number(this.alpha.input.value));
    const found = this.model.search(words, { size: Number(this.size.input.value), penalty });
    this.columns = grow(found.steps, penalty);
    this.draw();
    this.best = this.nodes.find((node) => node.ended && node.score === found.best.score);
    this.player.of(this.columns.length, this.columns.length - 1);
    this.place.dataset.done = words.join(" ");
  }

  // All that the search has kept; `show` hides what is to come.
  draw() {
    let right = 8;
    this.nodes = this.columns.flat();
    const svg = makeSvg("svg", { "aria-hidden": "true" });
    this.tree.replaceChildren(svg);
    for (const column of this.columns) {
      const longest = Math.max(5, ...column.map(({ words }) => words.at(-1).length));
      const wide = Math.round(longest * LETTER + 14);
      for (const node of column) this.box(node, svg, right + EDGE, wide);
      right += EDGE + wide;
    }
    const tall = ROW * Math.max(...this.columns.map((column) => column.length));
    this.tree.style = `width: ${right + 4}px; height: ${tall}px`;
  }

  box(node, svg, x, wide) {
    const y = node.rank * ROW + 4;
    const [x0, y0] = node.parent ? node.parent.end : [8, 4 + BOX / 2];
    const [y1, half] = [y + BOX / 2, EDGE / 2];
    node.line = makeSvg("path", {
      d: `M${x0} ${y0}C${x0 + half} ${y0} ${x - half} ${y1} ${x} ${y1}`,
    });
    node.end = [x + wide, y1];
    svg.append(node.line);
    const style = `left: ${x}px; top: ${y}px; width: ${wide}px; height: ${BOX}px`;
    node.box = make("button", { type: "button", tabindex: -1, style },
      make("span", { lang: "fr" }, node.words.at(-1)), make("small", {}, signed(node.logP)));
    // Not pointerenter: a node may come under a pointer at rest.
    node.box.addEventListener("pointermove", () => this.at !== node && this.mark(node));
    node.box.addEventListener("focus", () => this.mark(node));
    this.tree.append(node.box);
  }

  // The search as it is after step n.
  show(n) {
    const over = n === this.columns.length - 1;
    const ended = this.nodes.filter((node) => node.ended && node.n <= n);
    ended.sort((a, b) => b.score - a.score);
    const living = this.columns[n].filter((node) => !node.ended);
    const kept = new Set([...living, ...ended].flatMap(way));
    this.first = (over && this.best) || living[0] || ended[0];
    this.strong = way(this.first);
    for (const node of this.nodes) {
      const words = writeFrench(node.words.filter((word) => word !== STOP));
      const fate = node.ended ? `finished, score ${signed(node.score)}`
        : kept.has(node) ? "kept" : "dropped";
      node.label = `“${words}”, ln P ${signed(node.logP)}, ${fate}`;
      node.box.ariaLabel = `${node.words.at(-1)}; ${node.label}`;
      for (const part of [node.box, node.line]) {
        part.style.display = node.n > n ? "none" : "";
        part.classList.toggle("lb-ended", node.ended);
        part.classList.toggle("lb-dropped", !kept.has(node));
      }
      node.box.tabIndex = node === this.first ? 0 : -1;
    }
    this.name.textContent = ended.length
      ? "Finished, the best score first:"
      : "No hypothesis has finished yet.";
    this.finished.replaceChildren(...ended.map((node) => this.end(node)));
    const right = this.first.box.offsetLeft + this.first.box.offsetWidth + 8;
    this.room.scrollLeft = over ? right : right - this.room.clientWidth;
    const why = this.best && living.length ? "; nothing in the beam can beat it" : "";
    this.said = over
      ? `The search is over after ${n + 1} steps. The best: ${this.first.label}${why}`
      : `Step ${n + 1} of ${this.columns.length}. The likeliest: ${this.first.label}`;
    this.mark(null);
  }

  end(node) {
    const words = writeFrench(node.words.slice(0, -1));
    const numbers = ` ln P ${signed(node.logP)}, ${node.words.length} words, score ${signed(node.score)}`;
    return make("li", {}, make("span", { lang: "fr" }, words || "(nothing)"), make("small", {}, numbers));
  }

  // One hypothesis, with the way to it; the strong one for null.
  mark(node) {
    this.at = node;
    const path = new Set(node ? way(node) : this.strong);
    for (const other of this.nodes)
      for (const part of [other.box, other.line])
        part.classList.toggle("lb-strong", path.has(other));
    this.say(node ? node.label : this.said);
  }

  // Arrows go from column to column along the tree, and up and down in a column.
  move(event) {
    const node = this.nodes.find(({ box }) => box === event.target);
    const column = this.columns[node?.n];
    const to = {
      ArrowLeft: () => node.parent,
      ArrowRight: () => this.nodes.find((other) => other.parent === node),
      ArrowUp: () => column[node.rank - 1],
      ArrowDown: () => column[node.rank + 1],
      Home: () => this.columns[0][0],
      End: () => this.first,
    }[event.key];
    if (!node || !to) return;
    event.preventDefault();
    const next = to();
    if (!next || next.n > this.player.at) return;
    node.box.tabIndex = -1;
    next.box.tabIndex = 0;
    next.box.focus();
  }
}

export const open = async (place, options, status, clicked) => {
  const beam = new Beam(place, options, status, await load(options.first));
  if (clicked) beam.sentence.input.focus();
};
