// Explore word vectors: the neighbours of a word, analogies with and without the words of
// the question, and the plane in which the words at hand differ most.

import { Choice, group } from "./choice.js";
import { button, make, makeSvg, textField } from "./dom.js";
import { bar, signed } from "./player.js";
import { lower, near } from "./tokens.js";
import { principalComponents, Space } from "./word2vec.js";

const SHOWN = 8;
const [WIDE, TALL] = [340, 280]; // of the plane

class Vectors {
  constructor(root, options, status) {
    Object.assign(this, { root, options, status, spaces: {}, analogy: true });
    this.list = `${options.kind}-${options.first}`;
    this.build();
  }

  build() {
    const { systems, sentence, examples } = this.options;
    this.known = make("datalist", { id: this.list });
    this.fields = ["a", "is to b", "as c"].map((name, i) => {
      const input = textField();
      input.setAttribute("list", this.list);
      input.value = sentence[i];
      input.addEventListener("input", () => this.follow(true));
      // A word with a vector is followed already: new bars would lose the press of one.
      input.addEventListener("change", () => this.space.has(input.value) || this.follow());
      const label = make("span", {}, name);
      return { input, label, root: make("label", {}, label, input) };
    });
    this.modes = ["Analogy", "Neighbours"].map((name, i) =>
      button(name, () => {
        this.analogy = !i;
        this.follow();
      }),
    );
    this.choice = new Choice("Vectors", systems, (text) => this.say(text),
      (model, name) => this.use(model, name));
    this.out = make("input", { type: "checkbox" });
    this.out.checked = true;
    this.out.addEventListener("input", () => this.follow());
    this.leave = make("label", {}, this.out, "leave out the words of the question");
    this.pick = make("select", { "aria-label": "Questions to pick" });
    this.pick.addEventListener("change", () => this.ask(examples[this.pick.value].source));
    this.chips = make("div", { class: "lb-chips", role: "group", "aria-label": "Words to choose" });
    this.bars = make("div", { class: "lb-next", role: "group", "aria-label": "Nearest words" });
    this.plane = make("div");
    this.desk = make("div", { class: "lb-desk" },
      make("div", { class: "lb-pickers" },
        group("What to ask", ...this.modes), this.choice.root),
      make("div", { class: "lb-say lb-three" }, ...this.fields.map((field) => field.root)),
      make("div", { class: "lb-pickers" }, this.pick, this.leave),
      this.chips, this.known, this.status,
      make("div", { class: "lb-systems" }, this.bars, this.plane));
    this.root.querySelector(".lb-start").after(this.desk);
  }

  use({ words, model }, name) {
    this.space = this.spaces[name] ??= new Space(words.words, model.table);
    this.known.replaceChildren(...this.space.words.map((value) => make("option", { value })));
    const first = make("option", { value: "" }, "Questions to pick …");
    const some = this.options.examples.flatMap(({ source, about }, value) => {
      const [a, b, c] = source;
      const words = make("option", { value }, `${about}: ${a} is to ${b} as ${c} is to …`);
      return source.every((word) => this.space.has(word)) ? [words] : [];
    });
    this.pick.replaceChildren(first, ...some);
    this.follow();
  }

  say(text) {
    this.status.textContent = text;
  }

  ask(words) {
    const fields = this.fields.slice(-words.length);
    fields.forEach(({ input }, i) => (input.value = words[i]));
    this.follow();
  }

  // typing  the reader is not done with a word, which may be unknown until then
  follow(typing) {
    const { analogy, space } = this;
    this.modes.forEach((one, i) => one.setAttribute("aria-pressed", analogy === !i));
    for (const { root } of this.fields.slice(0, 2)) root.hidden = !analogy;
    this.fields[2].label.textContent = analogy ? "as c" : "word";
    for (const part of [this.leave, this.pick]) part.hidden = !analogy;
    const fields = analogy ? this.fields : this.fields.slice(2);
    const words = fields.map(({ input }) => lower(input.value).trim());
    const strange = fields.find((_, i) => !space.has(words[i]));
    if (strange && typing) return;
    for (const { input } of this.fields) input.removeAttribute("aria-invalid");
    this.chips.replaceChildren();
    this.chips.hidden = !strange;
    if (strange) this.refuse(strange);
    else this.show(words);
  }

  refuse({ input }) {
    const word = lower(input.value).trim();
    const others = near(word, this.space.words);
    input.setAttribute("aria-invalid", "true");
    const suggest = others.length ? `Did you mean ${others.join(" or ")}?` : "No word of it is near.";
    this.say(word ? `“${word}” has no vector here. ${suggest}` : "A word is missing.");
    const chips = others.map((other) =>
      button(other, () => {
        input.value = other;
        this.follow();
        input.focus();
      }),
    );
    this.chips.replaceChildren(...chips);
    this.bars.replaceChildren();
    this.plane.replaceChildren();
  }

  show(words) {
    const { analogy, space } = this;
    const goal = analogy ? space.goal(...words) : space.vector(words[0]);
    const all = space.near(goal);
    const out = this.out.checked || !analogy;
    const asked = new Set(words);
    const left = all.filter(([word]) => !out || !asked.has(word)).slice(0, SHOWN);
    const held = this.bars.contains(document.activeElement);
    this.bars.replaceChildren(...left.map(([word, cosine]) => this.bar(word, cosine, asked)));
    if (held) this.bars.firstChild.focus();
    const three = left.slice(0, 3).map(([word, x]) => `${word} ${signed(x)}`).join(", ");
    const places = all.flatMap(([word, x], n) =>
      asked.has(word) ? [`${word} ${signed(x)} would be number ${n + 1}`] : []);
    const [a, b, c] = words;
    const without = out ? `. If they were allowed, ${places.join(", ")}` : "";
    this.say(analogy
      ? `${a} is to ${b} as ${c} is to ${three}${without}.`
      : `Nearest to ${a}: ${three}.`);
    this.draw(words, left.map(([word]) => word), analogy && goal);
    this.root.dataset.done = words.join(" ");
  }

  bar(word, cosine, asked) {
    const text = signed(cosine);
    const own = asked.has(word) ? { class: "lb-own" } : {};
    const name = { "aria-label": `${word}, cosine ${text}`, ...own };
    return bar(word, text, Math.max(0, cosine), () => this.ask([word]), name);
  }

  // The words of the question and their answers; the goal is the empty circle.
  draw(asked, answers, goal) {
    const words = [...new Set([...asked, ...answers.slice(0, goal ? 5 : SHOWN)])];
    const { points, shares, project } = principalComponents(words.map((w) => this.space.vector(w)));
    const ends = goal ? [...points, project(goal)] : points;
    const scale = [0, 1].map((k) => {
      const along = ends.map((point) => point[k]);
      return [Math.min(...along), Math.max(...along)];
    });
    const at = ([x, y]) => [
      45 + ((x - scale[0][0]) / (scale[0][1] - scale[0][0])) * (WIDE - 90),
      TALL - 22 - ((y - scale[1][0]) / (scale[1][1] - scale[1][0])) * (TALL - 44),
    ];
    const svg = makeSvg("svg", { viewBox: `0 0 ${WIDE} ${TALL}`, "aria-hidden": "true", class: "lb-plane" });
    const [a, b, c] = asked.map((word) => at(points[words.indexOf(word)]));
    const arrow = ([x1, y1], [x2, y2]) => svg.append(makeSvg("line", { x1, y1, x2, y2 }));
    if (goal) {
      const [cx, cy] = at(project(goal));
      arrow(a, b);
      arrow(c, [cx, cy]);
      svg.append(makeSvg("circle", { cx, cy, r: 5, class: "lb-goal" }));
    }
    const taken = [];
    words.forEach((word, i) => {
      const [cx, cy] = at(points[i]);
      const own = asked.includes(word) ? "lb-own" : "";
      svg.append(makeSvg("circle", { cx, cy, r: 3, class: own }));
      svg.append(makeSvg("text", { ...label(word, cx, cy, taken), class: own }, word));
    });
    const percent = Math.round(100 * (shares[0] + shares[1]));
    const note = `The plane in which these words differ most: ${percent} % of their variance.`;
    this.plane.replaceChildren(svg, make("p", { class: "lb-note" }, note));
  }
}

// A place for a word next to its point, where no other word is.
const label = (word, x, y, taken) => {
  const half = 3.1 * word.length;
  const places = [[x + 6 + half, y + 4], [x - 6 - half, y + 4], [x, y - 7], [x, y + 15]];
  const free = ([at, base]) => at > half && at + half < WIDE && !taken.some(([other, line, wide]) =>
    Math.abs(other - at) < half + wide && Math.abs(line - base) < 11);
  const best = places.find(free) ?? places[0];
  taken.push([...best, half]);
  return { x: best[0], y: best[1] };
};

export const open = async (root, options, status, clicked) => {
  const desk = new Vectors(root, options, status);
  await desk.choice.choose(options.first);
  if (clicked) desk.fields[2].input.focus();
};
