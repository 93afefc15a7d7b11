// Light the row and the column that make a number of attention's matrices, and say how;
// let the numbers appear in the order of computing. All are Python's; with the causal mask
// as well.

import { button, make } from "./dom.js";
import { Player } from "./player.js";

// A grid → where its number at (i, j) comes from: rows of one grid, columns of another.
const FROM = {
  Q: ["X", "WQ"], K: ["X", "WK"], V: ["X", "WV"], S: ["Q2", "KT"], Z: ["A", "V2"],
};

class Matrices {
  constructor(root) {
    this.root = root;
    this.grids = Object.fromEntries(
      [...root.querySelectorAll("table")].map((table) => [table.dataset.grid, table]),
    );
    this.words = this.rows("X").map((row) => row.cells[0].textContent);
    this.later = JSON.parse(root.dataset.later);
    this.plain = Object.fromEntries(
      Object.keys(this.later).map((name) => [name, this.texts(name)]),
    );
    this.status = make("p", { class: "lb-told", role: "status" });
    this.mask = button("Causal mask: hide later words", () => this.hide());
    this.mask.setAttribute("aria-pressed", false);
    const switches = make("div", { class: "lb-switches" }, this.mask);
    this.player = new Player((n) => this.step(n), { plays: true });
    root.after(make("div", { class: "lb-bar" }, this.status, switches), this.player.root);
    this.framed = [...root.querySelectorAll(".lb-lit")];
    for (const name of [...Object.keys(FROM), "E", "A"]) this.listen(name);
    this.steps = this.film();
    this.player.of(this.steps.length, this.steps.length - 1);
    this.clear(); // all is there, and nothing in particular lit
    this.status.textContent = "Point at a number or tap it; with keys: Tab and the arrows.";
  }

  rows(name) {
    return [...this.grids[name].tBodies[0].rows];
  }

  cells(name, i) {
    return [...this.rows(name)[i].cells].filter((cell) => cell.tagName === "TD");
  }

  column(name, j) {
    return this.rows(name).map((_, i) => this.cells(name, i)[j]);
  }

  texts(name) {
    return this.rows(name).map((_, i) => this.cells(name, i).map((c) => c.textContent));
  }

  hide() {
    const on = this.mask.getAttribute("aria-pressed") !== "true";
    this.mask.setAttribute("aria-pressed", on);
    for (const [name, rows] of Object.entries(on ? this.later : this.plain))
      rows.forEach((row, i) =>
        this.cells(name, i).forEach((cell, j) => (cell.textContent = row[j])),
      );
    if (this.at) this.show(...this.at);
  }

  listen(name) {
    const table = this.grids[name];
    table.tabIndex = 0;
    const find = (target) => {
      const cell = target.closest("td");
      const i = this.rows(name).indexOf(cell?.parentElement);
      return i < 0 ? null : [i, this.cells(name, i).indexOf(cell)];
    };
    const follow = (event) => {
      const found = find(event.target);
      if (found) this.show(name, ...found);
    };
    table.addEventListener("pointermove", follow);
    table.addEventListener("click", follow);
    table.addEventListener("focus", () => {
      if (this.at?.[0] !== name) this.show(name, 0, 0);
    });
    for (const end of ["pointerleave", "blur"])
      table.addEventListener(end, (event) => {
        if (event.pointerType !== "touch" && document.activeElement !== table) this.clear();
      });
    table.addEventListener("keydown", (event) => {
      const [, i, j] = this.at ?? [name, 0, 0];
      const [down, right] =
        { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[
          event.key
        ] ?? [];
      if (down === undefined) return;
      event.preventDefault();
      const last = [this.rows(name).length - 1, this.cells(name, 0).length - 1];
      const within = (at, most) => Math.min(most, Math.max(0, at));
      this.show(name, within(i + down, last[0]), within(j + right, last[1]));
    });
  }

  clear() {
    this.at = null;
    for (const cell of this.root.querySelectorAll(".lb-from, .lb-at"))
      cell.classList.remove("lb-from", "lb-at");
    for (const row of this.framed) row.classList.add("lb-lit");
  }

  // Where the number (i, j) of a grid comes from, and the sentence that says so.
  made(name, i, j) {
    const result = this.cells(name, i)[j].textContent;
    if (name === "E" && result === "−∞")
      return [[], `${this.words[j]} comes later than ${this.words[i]}: hidden`];
    if (name === "E") {
      const score = this.cells("S", i)[j];
      return [[score], `${score.textContent} / √${this.root.dataset.root} = ${result}`];
    }
    if (name === "A") {
      const row = this.cells("E", i);
      const powers = row.map((cell) => `exp(${cell.textContent})`);
      return [row, `${powers[j]} / (${powers.join(" + ")}) = ${result}`];
    }
    const [left, upper] = FROM[name];
    const [row, column] = [this.cells(left, i), this.column(upper, j)];
    const sum = row.map((cell, k) => `${cell.textContent} · ${column[k].textContent}`);
    return [[...row, ...column], `${sum.join(" + ")} = ${result}`];
  }

  show(name, i, j) {
    this.light(name, [[i, j]]);
    this.at = [name, i, j];
    this.status.textContent = this.sentence(name, i, j);
  }

  // Light numbers of a grid, and what they are made of.
  light(name, places) {
    this.clear();
    for (const row of this.framed) row.classList.remove("lb-lit");
    for (const [i, j] of places) {
      for (const cell of this.made(name, i, j)[0]) cell.classList.add("lb-from");
      this.cells(name, i)[j].classList.add("lb-at");
    }
  }

  sentence(name, i, j) {
    const pair = { S: "product", E: "score", A: "weight" }[name];
    const what = pair
      ? `${pair} of ${this.words[j]} for ${this.words[i]}`
      : `${name} of ${this.words[i]}, number ${j + 1}`;
    return `${what}: ${this.made(name, i, j)[1]}`;
  }

  // In the order of computing, which grid gets numbers at which places: the first products
  // one by one, then row by row.
  film() {
    const rows = (name) =>
      this.rows(name).map((_, i) => this.cells(name, i).map((_, j) => [i, j]));
    const [first, ...others] = rows("S");
    return [
      ...first.map((place) => ["S", [place]]),
      ...others.map((row) => ["S", row]),
      ...["E", "A"].map((name) => [name, rows(name).flat()]),
      ...rows("Z").map((row) => ["Z", row]),
    ];
  }

  // Show what is computed up to step n of the film.
  step(n) {
    this.steps.forEach(([name, places], at) => {
      for (const [i, j] of places)
        this.cells(name, i)[j].classList.toggle("lb-unmade", at > n);
    });
    const [name, places] = this.steps[n];
    this.light(name, places);
    const [i, j] = places[0];
    const row = `${this.words[i]}: ${this.texts(name)[i].join(", ")}`;
    this.status.textContent = {
      S: places.length > 1 ? `products of all words for ${row}` : this.sentence("S", i, j),
      E: `each score divided by √${this.root.dataset.root}`,
      A: "the softmax of each row: shares that sum to 1",
      Z: `Z of ${row}, the mean of the values with its weights`,
    }[name];
  }
}

for (const root of document.querySelectorAll('[data-live="matrices"]')) new Matrices(root);
