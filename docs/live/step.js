// Show one step of a decoder that attends: scores → attention weights → context → next word.

import { STOP } from "./decoding.js";
import { button, make, makeSvg } from "./dom.js";
import { load } from "./live.js";
import { Player, bar, percent, signed } from "./player.js";
import { Sentence } from "./sentence.js";
import { WordSwitches } from "./switches.js";
import { largest, softmax } from "./tensor.js";

const SHOWN = 6; // words that might come next

// A number in a cell, and a bar beside it; share is what part of the room it takes.
const cell = (text, share, kind = "") => {
  const long = make("i", { style: `--lb-share: ${Math.abs(share)}`, class: kind });
  return make("td", {}, make("span", {}, text), long);
};

class Steps {
  constructor(place, options, status, model) {
    Object.assign(this, { place, status, model, at: options.at });
    const say = (text) => this.say(text);
    this.sentence = new Sentence("Translate", options.sentence, say, () => this.run());
    this.sentence.use(model);
    this.player = new Player((t) => this.show(t));
    this.reach = new WordSwitches(() => this.hide());
    this.written = make("p", { class: "lb-written", lang: "fr" });
    this.rows = make("tbody");
    const heads = ["source word", "score", "attention weight"];
    const head = make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)));
    const table = make("table", { class: "lb-scores" }, make("thead", {}, head), this.rows);
    this.context = make("p", { class: "lb-note" });
    this.strip = makeSvg("svg", { "aria-hidden": "true", preserveAspectRatio: "none" });
    this.list = make("div", { class: "lb-next", role: "group", "aria-label": "The next word" });
    this.list.addEventListener("keydown", (event) => this.player.key(event));
    const right = make("div", {}, this.context, this.strip,
      make("p", { class: "lb-note" }, "The next word. Choose another: the decoder goes on from it."),
      this.list);
    this.root = make("div", { class: "lb-desk" }, this.sentence.form, status,
      this.sentence.chips, this.reach.root, this.player.root, this.written,
      make("div", { class: "lb-step" }, make("div", {}, table), right));
    place.querySelector(".lb-start").after(this.root);
    this.run();
  }

  say(text) {
    this.status.textContent = text;
  }

  run(text) {
    const words = this.sentence.words(text);
    if (!words) return;
    this.words = [...words, STOP];
    this.reach.show(words);
    this.write([]);
    this.player.of(this.steps.length, this.at ?? 0);
    this.at = 0; // the step of the drawing is that of its sentence
    this.place.dataset.done = words.join(" ");
  }

  // All steps: these words first, then the likeliest ones.
  write(taken) {
    let t = 0;
    const choose = (logits) => taken[t++] ?? logits.indexOf(Math.max(...logits));
    const more = { choose, hidden: this.reach.places };
    this.steps = [...this.model.write(this.words.slice(0, -1), more)];
  }

  // A word was hidden or came back: all is written anew, and the step stays.
  hide() {
    this.write([]);
    this.player.of(this.steps.length, Math.min(this.player.at, this.steps.length - 1));
  }

  // Another word at step t; what followed is written anew.
  take(t, token) {
    this.write([...this.steps.slice(0, t).map((step) => step.token), token]);
    this.player.of(this.steps.length, Math.min(t + 1, this.steps.length - 1));
  }

  show(t) {
    const { scores, weights, context, logits, token } = this.steps[t];
    const most = Math.max(...scores.map(Math.abs));
    const score = (j) => this.reach.places.includes(j) ? cell("−∞", 0)
      : cell(signed(scores[j]), scores[j] / most, scores[j] < 0 ? "lb-minus" : "");
    this.rows.replaceChildren(...this.words.map((word, j) =>
      make("tr", {}, make("th", { scope: "row" }, word), score(j),
        cell(percent(weights[j]), weights[j]))));
    this.draw(context);
    const before = this.steps.slice(0, t).map(({ word }) => word);
    const next = this.steps[t].word;
    this.written.replaceChildren(`${before.join(" ")} `, make("strong", {}, next));
    const p = softmax(logits);
    const best = largest(p, SHOWN);
    if (!best.includes(token)) best.splice(-1, 1, token);
    const entries = this.model.target.entries;
    const held = this.list.contains(document.activeElement);
    this.list.replaceChildren(...best.map((id) =>
      this.candidate(entries[id], p[id], id === token, () => this.take(t, id))));
    if (held) this.list.querySelector("[aria-pressed=true]").focus();
    const where = largest(weights, 3).filter((j) => weights[j] >= 0.01);
    const attends = where.map((j) => `${this.words[j]} ${percent(weights[j])}`).join(", ");
    const after = before.length ? `after ${before.slice(-3).join(" ")}` : "at the beginning";
    this.say(`${this.reach.said}Step ${t + 1}, ${after}: attends to ${attends}; next word ${next} ${percent(p[token])}`);
  }

  // The numbers of the context, a bar for each, up or down.
  draw(context) {
    const most = Math.max(...context.map(Math.abs));
    const [low, high] = [Math.min(...context), Math.max(...context)].map(signed);
    this.context.textContent =
      `Context: the words' states, mixed by these weights: ${context.length} numbers ` +
      `from ${low} to ${high}.`;
    this.strip.setAttribute("viewBox", `0 -1 ${context.length} 2`);
    const bars = [...context].map((x, i) => `M${i} 0V${(-x / most).toFixed(3)}h.8V0`);
    this.strip.replaceChildren(makeSvg("path", { d: bars.join("") }));
  }

  candidate(word, p, taken, action) {
    const name = word === STOP ? "(end)" : word;
    return bar(name, percent(p), p, action, { "aria-pressed": taken, lang: "fr" });
  }
}

export const open = async (place, options, status, held) => {
  const steps = new Steps(place, options, status, await load(options.first));
  if (held) steps.sentence.input.focus();
};
