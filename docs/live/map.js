// Show the numbers of an attention map's row at the pointer, the finger or the keyboard,
// and enlarge the words it attends to. The weights are those of the tables folded under
// the figure; the static drawing stays as it is wherever this does not run.

import { make, makeSvg } from "./dom.js";
import { largestWeights, rove } from "./weights.js";

const LEAST = 0.005; // what is less is not written
const SHARES = ["weight", "share", "attention"]; // what is written in percent

const number = (cell) => Number(cell.dataset.value || cell.textContent);

// A panel's title, words, weights and marks, as its table holds them.
const read = (table) => {
  const rows = [...table.tBodies[0].rows];
  return {
    title: table.caption?.textContent ?? "",
    shares: SHARES.includes(table.dataset.label),
    mask: rows.every((row) =>
      [...row.cells].slice(1).every((cell) => /^[01]$/.test(cell.textContent)),
    ),
    columns: [...table.tHead.rows[0].cells].slice(1).map((cell) => cell.textContent),
    rows: rows.map((row) => row.cells[0].textContent),
    weights: rows.map((row) => [...row.cells].slice(1).map(number)),
    gold: rows.map((row) => [...row.cells].slice(1).map((c) => c.className === "g")),
  };
};

// "ministre attends to minister 74 %, old 25 %"
export const sentence = (panel, t) => {
  const value = (weight) => {
    if (panel.mask) return "";
    return panel.shares ? ` ${Math.round(100 * weight)} %` : ` ${weight.toFixed(2)}`;
  };
  const most = panel.mask ? Infinity : 4;
  const words = largestWeights(panel.columns, panel.weights[t], { value, most });
  const gold = panel.columns.filter((_, s) => panel.gold[t][s]);
  const where = panel.title ? `${panel.title}: ` : "";
  const verb = panel.shares && !panel.mask ? " attends to" : ":";
  const right = gold.length ? `; gold: ${gold.join(", ")}` : "";
  return `${where}${panel.rows[t] || `row ${t + 1}`}${verb} ${words}${right}`;
};

// place    what holds a map's drawings: a figure's room, or one of its frames
// numbers  what holds the map's tables
// above    what the sentence and the switches stand under
export class InteractiveMap {
  constructor(place, numbers, above = place) {
    this.alone = -1; // the panel that is shown large; -1 for all
    this.row = [0, 0]; // panel and row that the keyboard is at
    this.layer = make("div", { class: "lb-rows" });
    this.status = make("p", { class: "lb-told", role: "status" });
    this.hint = "Point at a row or tap it; with keys: Tab and the arrows.";
    this.status.textContent = this.hint;
    this.bar = make("div", { class: "lb-bar" }, this.status);
    above.after(this.bar);
    this.take(place, numbers);
    new ResizeObserver(() => this.arrange()).observe(above);
  }

  // Go to another map of the same figure; one without tables has no rows. What was
  // chosen stays chosen: the panel, and the row that the keyboard is at.
  take(place, numbers) {
    const held = this.layer.contains(document.activeElement);
    const { row, alone, kind } = this;
    if (alone >= 0) this.choose(-1);
    else if (this.place) this.clear();
    this.place = place;
    this.panels = [...(numbers?.querySelectorAll("table") ?? [])].map(read);
    place.classList.add("lb-hand");
    place.append(this.layer);
    this.bar.hidden = !this.panels.length;
    this.gold = place.querySelector('[id*="-gold_"]') !== null;
    this.kind = JSON.stringify([this.gold, this.panels.map((panel) => panel.title)]);
    if (kind !== this.kind) this.controls();
    else if (alone >= 0) this.choose(alone);
    this.row = row;
    this.arrange(held);
  }

  get svg() {
    const svg = this.place.querySelector(":scope > svg");
    return svg?.getBoundingClientRect().width > 0 ? svg : null;
  }

  controls() {
    this.bar.querySelector(".lb-switches")?.remove();
    const press = (name, action, on) => {
      const button = make("button", { type: "button" }, name);
      button.setAttribute("aria-pressed", on);
      button.addEventListener("click", () => action(button));
      return button;
    };
    const set = (button, on) => button.setAttribute("aria-pressed", on);
    const group = make("div", { class: "lb-switches" });
    if (this.panels.length > 1) {
      group.setAttribute("role", "group");
      group.setAttribute("aria-label", "Panels");
      const names = ["all", ...this.panels.map((p, i) => p.title || `${i + 1}`)];
      this.choices = names.map((name, i) =>
        press(name, () => this.choose(i - 1), i === 0),
      );
      group.append(...this.choices);
    }
    if (this.gold) {
      const figure = this.place.closest("figure");
      const toggle = (button) => set(button, !figure.classList.toggle("lb-plain"));
      group.append(press("gold", toggle, !figure.classList.contains("lb-plain")));
    }
    if (group.children.length) this.bar.append(group);
  }

  // One panel large, in the room of all; i = -1 shows all again.
  choose(i) {
    this.clear();
    this.alone = i;
    this.row = [Math.max(i, 0), 0];
    this.choices.forEach((b, k) => b.setAttribute("aria-pressed", k === i + 1));
    this.enlarge(this.place.querySelector(":scope > svg"), i);
    this.arrange();
  }

  enlarge(svg, i) {
    svg.dataset.whole ??= svg.getAttribute("viewBox");
    svg.querySelector(".lb-words")?.remove();
    svg.classList.toggle("lb-alone", i >= 0);
    const axes = [...svg.querySelectorAll('[id*="-axes_"], [id*="-legend_"]')];
    for (const group of axes) group.style.display = "";
    svg.setAttribute("viewBox", svg.dataset.whole);
    if (i < 0) return;
    const { x, y, width, height } = this.grid(svg, i);
    const { rows, columns } = this.panels[i];
    const [, , w, h] = svg.dataset.whole.split(" ").map(Number);
    const size = 9.25;
    const left = 12 + 0.55 * size * Math.max(...rows.map((word) => word.length));
    const above = 22 + 0.44 * size * Math.max(...columns.map((word) => word.length));
    const own = this.axes(svg, i);
    for (const group of axes) if (group !== own) group.style.display = "none";
    const scale = Math.min(w / (width + left + 8), h / (height + above + 8));
    const [across, down] = [w / scale, h / scale];
    const from = x - left - (across - width - left - 8) / 2;
    svg.setAttribute("viewBox", `${from} ${y - above} ${across} ${down}`);
    svg.append(this.words(i, { x, y, width, height }, size));
  }

  // A panel inside the figure has no words of its own: when alone it gets them.
  words(i, { x, y, width, height }, size) {
    const { rows, columns } = this.panels[i];
    const group = makeSvg("g", { class: "lb-words", "font-size": size });
    rows.forEach((word, t) => {
      const middle = y + ((t + 0.5) * height) / rows.length + size / 3;
      const at = { x: x - 5, y: middle, "text-anchor": "end" };
      group.append(makeSvg("text", at, word));
    });
    columns.forEach((word, s) => {
      const middle = x + ((s + 0.5) * width) / columns.length;
      const turn = `translate(${middle + 2} ${y - 5}) rotate(-50)`;
      const text = makeSvg("text", { transform: turn, "data-column": s }, word);
      group.append(text);
    });
    return group;
  }

  axes(svg, i) {
    return svg.querySelector(`[id$="-axes_${i + 1}"]`);
  }

  // Where a panel's cells are, in the drawing's own units.
  grid(svg, i) {
    return this.axes(svg, i).querySelector('[id*="-patch_"] path').getBBox();
  }

  // A button over each row: what the pointer, the finger and the keyboard find.
  // held: was the keyboard in one of them? Then it is again.
  arrange(held = this.layer.contains(document.activeElement)) {
    const svg = this.svg;
    this.clear();
    this.layer.replaceChildren();
    if (!svg) return;
    const box = svg.getBoundingClientRect();
    const outer = this.place.getBoundingClientRect();
    const [vx, vy, vw] = svg.getAttribute("viewBox").split(" ").map(Number);
    const scale = box.width / vw;
    const dx = box.left - outer.left + this.place.scrollLeft - vx * scale;
    const dy = box.top - outer.top - vy * scale;
    this.panels.forEach((panel, i) => {
      if (this.alone >= 0 && this.alone !== i) return;
      const { x, y, width, height } = this.grid(svg, i);
      const tall = (height * scale) / panel.rows.length;
      const toolbar = make("div", { role: "toolbar", "aria-orientation": "vertical" });
      toolbar.setAttribute("aria-label", panel.title || "Rows of the map");
      const at = this.row[0] === i ? Math.min(this.row[1], panel.rows.length - 1) : 0;
      panel.rows.forEach((word, t) => {
        const button = make("button", { type: "button" });
        button.setAttribute("aria-label", sentence(panel, t));
        button.tabIndex = t === at ? 0 : -1;
        button.style.left = `${x * scale + dx}px`;
        button.style.top = `${y * scale + dy + t * tall}px`;
        button.style.width = `${width * scale}px`;
        button.style.height = `${tall}px`;
        this.listen(button, toolbar, i, t);
        toolbar.append(button);
      });
      this.layer.append(toolbar);
    });
    const toolbar = this.layer.children[this.row[0]] ?? this.layer.firstChild;
    if (held) toolbar?.querySelector('[tabindex="0"]').focus({ preventScroll: true });
  }

  listen(button, toolbar, i, t) {
    const show = () => this.show(i, t);
    button.addEventListener("pointerenter", show);
    button.addEventListener("focus", () => {
      for (const other of toolbar.children) other.tabIndex = other === button ? 0 : -1;
      this.row = [i, t];
      show();
    });
    button.addEventListener("click", show);
    button.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse" && document.activeElement !== button)
        this.clear();
    });
    button.addEventListener("blur", () => this.clear());
    button.addEventListener("keydown", (event) => this.move(event, toolbar, t));
  }

  move(event, toolbar, t) {
    if (event.key === "Escape") document.activeElement.blur();
    toolbar.children[rove(event, t, toolbar.children.length - 1)]?.focus();
  }

  show(i, t) {
    this.clear();
    const svg = this.svg;
    const panel = this.panels[i];
    const { x, y, width, height } = this.grid(svg, i);
    const [across, down] = [width / panel.columns.length, height / panel.rows.length];
    const size = Math.min(9.5, across / 1.25);
    const layer = makeSvg("g", { class: "lb-shown", "font-size": size });
    const frame = { x, y: y + t * down, width, height: down, class: "lb-row" };
    layer.append(makeSvg("rect", frame));
    panel.weights[t].forEach((weight, s) => {
      if (panel.mask || Math.abs(weight) < LEAST) return;
      const at = { x: x + (s + 0.5) * across, y: y + (t + 0.5) * down + size / 2.9 };
      const text = panel.shares ? Math.round(100 * weight) : weight.toFixed(1);
      const kind = weight > 0.55 ? "lb-on" : "";
      layer.append(makeSvg("text", { ...at, class: kind, "text-anchor": "middle" }, text));
    });
    svg.append(layer);
    this.swell(svg, i, panel.weights[t], t);
    this.status.textContent = sentence(panel, t);
    this.status.classList.add("lb-said");
  }

  // The words over the panel's column, and the row's own: larger by weight, or faint.
  swell(svg, i, weights, t) {
    const own = [...svg.querySelectorAll(".lb-words [data-column]")];
    let columns = own;
    for (let k = i; !columns.length && k >= 0; k--) {
      const same = Math.abs(this.grid(svg, k).x - this.grid(svg, i).x) < 1;
      if (!same) continue;
      columns = [...this.axes(svg, k).querySelectorAll('[id*="-xtick_"] text')];
    }
    columns.forEach((word, s) => {
      word.classList.add("lb-word");
      word.style.setProperty("--lb-weight", weights[s] ?? 0);
    });
  }

  clear() {
    for (const layer of this.place.querySelectorAll(".lb-shown")) layer.remove();
    for (const word of this.place.querySelectorAll(".lb-word")) {
      word.classList.remove("lb-word");
      word.style.removeProperty("--lb-weight");
    }
    const held = this.layer.contains(document.activeElement);
    if (!held && this.status.textContent !== this.hint) {
      this.status.textContent = this.hint;
      this.status.classList.remove("lb-said");
    }
  }
}

for (const figure of document.querySelectorAll('figure[data-live="map"]')) {
  const numbers = figure.nextElementSibling;
  const room = figure.querySelector(".lb-scroll");
  if (numbers?.matches(".lb-numbers")) new InteractiveMap(room, numbers);
}
