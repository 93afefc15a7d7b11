// Compute one query's attention from numbers that a reader edits. Python computed the
// table that stands here first; a test holds both to 1e-6.

import { button, make } from "./dom.js";

const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const written = (x) => x.toFixed(3).replace("-", "−");

// softmax(q·k / (√d_k τ)) over the keys that may be looked at, and the mix of the values.
export const attend = ({ q, K, V, root, temperature, may }) => {
  const products = K.map((k) => dot(q, k));
  const scores = products.map((p) => (root ? p / Math.sqrt(q.length) : p) / temperature);
  const most = Math.max(...scores.filter((_, j) => may[j]));
  const e = scores.map((s, j) => (may[j] ? Math.exp(s - most) : 0));
  const sum = e.reduce((a, b) => a + b, 0);
  const weights = e.map((x) => x / sum);
  const z = V[0].map((_, d) => dot(weights, V.map((v) => v[d])));
  return { products, scores, weights, z };
};

class Query {
  constructor(root) {
    this.root = root;
    this.first = JSON.parse(root.dataset.numbers);
    this.rows = [...root.querySelectorAll("tbody tr")];
    this.words = this.rows.map((row) => row.cells[0].textContent);
    this.say = root.querySelector("output");
    this.build();
    this.reset();
  }

  number(label) {
    const field = make("input", { type: "number", step: "any", "aria-label": label });
    field.addEventListener("input", () => this.follow());
    return field;
  }

  labelled(field, ...words) {
    field.addEventListener("input", () => this.follow());
    return make("label", {}, ...words, field);
  }

  build() {
    const { q, K } = this.first;
    this.q = q.map((_, d) => this.number(`q, number ${d + 1}`));
    this.root.querySelector(".lb-q").replaceChildren(...this.q);
    this.K = K.map((k, j) =>
      k.map((_, d) => this.number(`key of ${this.words[j]}, number ${d + 1}`)),
    );
    this.may = this.rows.map((row, j) => {
      const box = make("input", { type: "checkbox" });
      const name = `may attend to ${this.words[j]}`;
      box.setAttribute("aria-label", name);
      box.addEventListener("input", () => {
        if (!this.may.some((other) => other.checked)) box.checked = true; // one at least
        this.follow();
      });
      row.cells[0].prepend(box);
      row.cells[1].replaceChildren(...this.K[j]);
      return box;
    });
    this.divide = make("input", { type: "checkbox" });
    this.heat = make("input", { type: "range", min: -2, max: 2, step: 0.25 });
    const again = button("As it was", () => this.reset());
    this.degrees = make("span", { class: "lb-degrees" });
    const divide = this.labelled(this.divide);
    divide.append("divide by √d", make("sub", {}, "k"));
    const heat = this.labelled(this.heat, "temperature ");
    heat.append(this.degrees);
    const bar = make("div", { class: "lb-player" }, divide, heat, again);
    this.root.querySelector("table").before(bar);
  }

  reset() {
    this.q.forEach((field, d) => (field.value = this.first.q[d]));
    this.K.forEach((row, j) => row.forEach((f, d) => (f.value = this.first.K[j][d])));
    for (const box of this.may) box.checked = true;
    this.divide.checked = true;
    this.heat.value = 0;
    this.follow();
  }

  follow() {
    const temperature = 2 ** Number(this.heat.value);
    const found = attend({
      q: this.q.map((field) => Number(field.value)),
      K: this.K.map((row) => row.map((field) => Number(field.value))),
      V: this.first.V,
      root: this.divide.checked,
      temperature,
      may: this.may.map((box) => box.checked),
    });
    const shown = temperature.toFixed(2).replace(/\.?0+$/, "");
    this.degrees.textContent = shown;
    this.heat.setAttribute("aria-valuetext", shown);
    this.rows.forEach((row, j) => {
      const may = this.may[j].checked;
      const [, , product, score, weight] = row.cells;
      const rounded = Math.round(found.products[j] * 1000) / 1000;
      product.textContent = String(rounded).replace("-", "−");
      score.textContent = may ? written(found.scores[j]) : "−∞";
      weight.firstChild.textContent = written(found.weights[j]);
      weight.style.setProperty("--lb-share", found.weights[j]);
    });
    const best = found.weights.indexOf(Math.max(...found.weights));
    const z = found.z.map(written).join(", ");
    const share = Math.round(100 * found.weights[best]);
    this.say.textContent = `z = (${z}); it attends most to ${this.words[best]}, ${share} %`;
    this.root.dataset.found = JSON.stringify({ weights: found.weights, z: found.z });
  }
}

for (const root of document.querySelectorAll('[data-live="query"]')) new Query(root);
