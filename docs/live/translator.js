// A sentence of the reader's, translated side by side by the systems of history.

import { button, load, make, size, textField } from "./live.js";
import { near, read, writeEnglish, writeFrench } from "./tokens.js";
import { Weights } from "./weights.js";

const PAUSE = 110; // milliseconds between two words
const LONGEST = 66; // words: no sentence of the training set has more
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const pause = () => new Promise((done) => setTimeout(done, PAUSE));

// Which words of a translation are not among those that it shares with the reference, in
// order: the longest common subsequence.
export const strangers = (words, reference) => {
  const zeros = () => Array(reference.length + 1).fill(0);
  const best = [...words.map(zeros), zeros()];
  for (let i = words.length - 1; i >= 0; i--)
    for (let j = reference.length - 1; j >= 0; j--)
      best[i][j] =
        words[i] === reference[j]
          ? 1 + best[i + 1][j + 1]
          : Math.max(best[i + 1][j], best[i][j + 1]);
  const found = words.map(() => true);
  for (let i = 0, j = 0; i < words.length && j < reference.length; )
    if (words[i] === reference[j]) [found[i++]] = [false, j++];
    else if (best[i + 1][j] >= best[i][j + 1]) i++;
    else j++;
  return found;
};

// One system: its name, its button or its translation.
class System {
  constructor(name, label, desk) {
    Object.assign(this, { name, label, desk });
    this.text = make("p", { class: "lb-written", lang: "fr" });
    this.note = make("p", { class: "lb-note" });
    this.map = make("div", { class: "lb-map" });
    const full = { "aria-label": `Load ${label}, ${size(name)}` };
    this.button = button(`Load (${size(name)})`, () => this.load(), full);
    const head = make("p", { class: "lb-system-name" }, make("strong", {}, label), this.button);
    this.root = make("div", { class: "lb-system", role: "group", "aria-label": label });
    this.root.append(head, this.text, this.note, this.map);
  }

  async load() {
    this.button.disabled = true;
    this.note.textContent = "Loading …";
    try {
      this.model = await load(this.name);
    } catch (error) {
      console.info(`lookback: ${error.message}`);
      this.button.disabled = false;
      this.note.textContent = "Its weights did not come whole.";
      this.desk.say(`The weights of ${this.label} did not come whole. The button tries again.`);
      return false;
    }
    this.note.textContent = "";
    const held = document.activeElement === this.button || document.activeElement === document.body;
    this.button.remove();
    if (held) this.desk.input.focus({ preventScroll: true });
    this.desk.loaded(this);
    return true;
  }

  // Write the translation word by word, until another sentence takes its turn.
  async run(words, reference, turn) {
    this.clear();
    const columns = [...words, "</s>"];
    const room = this.root.clientWidth;
    const map = new Weights(columns, `Words of ${this.label}`, room, (text) => this.desk.say(text));
    const written = [];
    for (const { word, weights } of this.steps(words)) {
      if (!still() && written.length) await pause();
      if (turn !== this.desk.turn) return null;
      if (word === "</s>") break;
      if (!written.length && weights) this.map.append(map.root);
      written.push(word);
      if (weights) map.add(word, weights);
      this.text.textContent = writeFrench(written);
    }
    this.finish(written, reference, map);
    return writeFrench(written);
  }

  *steps(words) {
    const { off, view, beam } = this.desk.chosen;
    if (beam > 1) {
      yield* this.model.beam(words, beam, { off });
      return;
    }
    for (const step of this.model.write(words, { off }))
      yield { ...step, weights: view && step.cross ? step.cross[view[0]][view[1]] : step.weights };
  }

  // Say how it compares with the grammar's own translation, where there is one.
  finish(written, reference, map) {
    if (!reference) return;
    const wrong = strangers(written, reference);
    const many = wrong.filter(Boolean).length;
    const right = written.length === reference.length && !many;
    const differ = many === 1 ? "one word differs" : `${many} words differ`;
    const wrongly = many
      ? `${differ} from the grammar's translation`
      : "the grammar writes more words";
    this.note.textContent = right ? "as the grammar writes it" : wrongly;
    this.note.classList.toggle("lb-right", right);
    map.rows.forEach((row, t) => wrong[t] && row.wrong());
    let shown = 0;
    const parts = written.map((_, t) => {
      const text = writeFrench(written.slice(0, t + 1)).slice(shown);
      shown += text.length;
      const word = text.trimStart();
      const space = text.slice(0, text.length - word.length);
      return wrong[t] ? [space, make("span", { class: "lb-wrong" }, word)] : [text];
    });
    this.text.replaceChildren(...parts.flat());
  }

  clear() {
    for (const part of [this.text, this.map, this.note]) part.replaceChildren();
  }
}

class Desk {
  constructor(place, options, status) {
    Object.assign(this, { place, options, status, turn: 0 });
    this.chosen = { off: [], view: null, beam: 1 };
    const known = [...(options.examples ?? []), ...(options.lengths ?? [])];
    this.references = new Map(known.map(({ source, target }) => [source.join(" "), target]));
    const systems = Object.entries(options.systems);
    this.systems = systems.map(([name, label]) => new System(name, label, this));
    this.build();
  }

  say(text) {
    if (this.status.textContent !== text) this.status.textContent = text;
  }

  build() {
    this.input = textField();
    this.input.addEventListener("input", () => this.complete());
    const label = make("label", {}, "English sentence ", this.input);
    const go = make("button", { type: "submit" }, "Translate");
    const form = make("form", { class: "lb-say" }, label, go);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.run();
    });
    this.chips = make("div", { class: "lb-chips", role: "group", "aria-label": "Words to choose" });
    this.reference = make("p", { class: "lb-note lb-reference" });
    const systems = make("div", { class: "lb-systems" }, ...this.systems.map(({ root }) => root));
    this.root = make("div", { class: "lb-desk" }, form, this.chips);
    this.root.append(...this.pickers(), ...this.switches());
    this.root.append(this.status, this.reference, systems);
    this.place.querySelector(".lb-start").after(this.root);
  }

  // Examples, a slider over lengths, the rest of the systems, the address.
  pickers() {
    const { examples, lengths } = this.options;
    const bar = make("div", { class: "lb-pickers" });
    if (examples) {
      const pick = make("select", {}, make("option", { value: "" }, "choose …"));
      for (const { source, about } of examples)
        pick.append(make("option", { value: writeEnglish(source) }, about));
      pick.addEventListener("change", () => pick.value && this.run(pick.value));
      bar.append(make("label", {}, "A sentence that … ", pick));
    }
    if (lengths) {
      const slider = make("input", { type: "range", min: 0, max: lengths.length - 1, value: 0 });
      const [least, most] = [lengths[0], lengths.at(-1)].map(({ source }) => source.length);
      const shown = make("span", { class: "lb-degrees" }, `${least} to ${most} words`);
      slider.setAttribute("aria-valuetext", shown.textContent);
      slider.addEventListener("input", () => {
        const { source } = lengths[slider.value];
        shown.textContent = `${source.length} words`;
        slider.setAttribute("aria-valuetext", shown.textContent);
        clearTimeout(this.later);
        this.later = setTimeout(() => this.run(writeEnglish(source)), 150);
      });
      bar.append(make("label", {}, "Test sentences by length ", slider, shown));
    }
    const buttons = make("div", { class: "lb-buttons" });
    if (this.systems.length > 2) {
      const names = this.systems.map(({ name }) => name);
      const rest = names.filter((name) => name !== this.options.first);
      this.all = button(`Load all systems (${size(...rest)})`, () => this.loadAll());
      buttons.append(this.all);
    }
    buttons.append(button("Link to this sentence", () => this.share()));
    bar.append(buttons);
    return [bar];
  }

  // Heads of the Transformer, to look at one by one and to switch off; and a beam.
  switches() {
    if (!this.options.heads) return [];
    const view = make("select", {}, make("option", { value: "" }, "mean of the last layer"));
    const beam = make("select");
    for (const value of [1, 3, 5, 10])
      beam.append(make("option", { value }, value === 1 ? "greedy" : `beam of ${value}`));
    view.addEventListener("change", () => {
      this.chosen.view = view.value ? view.value.split(" ").map(Number) : null;
      this.run();
    });
    beam.addEventListener("change", () => {
      this.chosen.beam = Number(beam.value);
      view.disabled = this.chosen.beam > 1;
      this.run();
    });
    const labels = {
      encoder: "encoder",
      self: "decoder, self-attention",
      cross: "decoder, cross-attention",
    };
    this.fill = (model) => {
      const groups = Object.entries(labels).map(([kind, name]) => this.heads(kind, name, model));
      for (let l = 0; l < model.above.length; l++)
        for (let head = 0; head < model.h; head++) {
          const name = `layer ${l + 1}, head ${head + 1}`;
          view.append(make("option", { value: `${l} ${head}` }, name));
        }
      more.append(...groups);
    };
    const more = make("details", {}, make("summary", {}, "Switch heads off"));
    const bar = make("div", { class: "lb-pickers" },
      make("label", {}, "Cross-attention shown ", view), make("label", {}, "Decoding ", beam));
    return [bar, more];
  }

  heads(kind, name, model) {
    const group = make("div", { class: "lb-switches", role: "group", "aria-label": name });
    group.append(make("span", {}, name));
    for (let l = 0; l < model.above.length; l++)
      for (let head = 0; head < model.h; head++) {
        const id = `${kind} ${l} ${head}`;
        const one = button(`${l + 1}.${head + 1}`, () => {
          const on = this.chosen.off.includes(id);
          const others = this.chosen.off.filter((other) => other !== id);
          this.chosen.off = on ? others : [...others, id];
          one.setAttribute("aria-pressed", on);
          this.run();
        }, { "aria-pressed": "true", "aria-label": `${name}: layer ${l + 1}, head ${head + 1}` });
        group.append(one);
      }
    return group;
  }

  async begin(clicked) {
    const asked = new URLSearchParams(location.search).get("sentence");
    const first = this.systems.find(({ name }) => name === this.options.first);
    this.input.value = asked?.slice(0, 500) || writeEnglish(this.options.sentence);
    await first.load();
    if (clicked) this.input.focus();
    else if (document.activeElement === this.input) this.input.blur();
  }

  // A system has come: the first one opens the desk, another joins it.
  loaded(system) {
    this.known = system.model.source;
    if (this.fill && system.model.model.above && system.model.model.h) {
      this.fill(system.model.model);
      this.fill = null;
    }
    if (this.systems.every(({ model }) => model)) this.all?.remove();
    if (!this.loadingAll) this.run();
  }

  async loadAll() {
    this.loadingAll = true;
    this.say(`Loading ${this.all.textContent.match(/\((.*)\)/)[1]} …`);
    const left = this.systems.filter(({ model }) => !model);
    const held = document.activeElement === this.all;
    const came = await Promise.all(left.map((system) => system.load()));
    this.loadingAll = false;
    if (held) this.input.focus({ preventScroll: true });
    if (came.some(Boolean)) await this.run();
  }

  // Words that complete the one at the end of the field.
  complete() {
    const [, before, start] = this.input.value.match(/^(.*?)([\p{L}\p{N}'’-]*)$/su);
    const low = start.toLowerCase();
    const open = low && !this.known.has(low);
    const fit = this.known.words.filter((word) => open && word.startsWith(low));
    this.offer(fit.slice(0, 8), (word) => `${before}${word} `);
  }

  // Buttons that put a word into the field.
  offer(words, text) {
    this.chips.replaceChildren(
      ...words.map((word) =>
        button(word, () => {
          this.input.value = text(word);
          this.chips.replaceChildren();
          this.input.focus();
        }),
      ),
    );
  }

  refuse(unknown) {
    const [word] = unknown;
    const like = near(word, this.known.words);
    const hint = like.length ? `Did you mean ${like.join(" or ")}?` : "No word of it is near.";
    this.say(`“${word}” is no word of this small language. ${hint}`);
    this.turn++;
    for (const system of this.systems) if (system.model) system.clear();
    this.reference.replaceChildren();
    const at = this.input.value;
    const from = at.toLowerCase().replaceAll("’", "'").indexOf(word);
    this.offer(like, (other) => at.slice(0, from) + other + at.slice(from + word.length));
    this.input.setAttribute("aria-invalid", "true");
    this.input.focus();
  }

  // Translate what the field holds, or this text.
  async run(text = this.input.value) {
    this.input.value = text;
    this.chips.replaceChildren();
    this.input.removeAttribute("aria-invalid");
    const { words, unknown } = read(text, this.known);
    if (unknown.length) return this.refuse(unknown);
    if (!words.length) return this.say("Type an English sentence, or choose one.");
    if (words.at(-1) !== ".") words.push(".");
    if (words.length > LONGEST)
      return this.say(`The systems learned from no sentence of more than ${LONGEST} words.`);
    const turn = ++this.turn;
    const reference = this.references.get(words.join(" "));
    this.reference.replaceChildren();
    if (reference) {
      const french = make("span", { lang: "fr" }, writeFrench(reference));
      this.reference.append("The grammar's translation: ", french);
    }
    this.say("Translating …");
    const ready = this.systems.filter(({ model }) => model);
    const written = await Promise.all(ready.map((system) => system.run(words, reference, turn)));
    if (turn !== this.turn) return;
    this.say(ready.map(({ label }, i) => `${label}: ${written[i]}`).join(" · "));
    this.place.dataset.done = words.join(" ");
  }

  async share() {
    const url = new URL(location.href);
    url.search = new URLSearchParams({ sentence: this.input.value.trim() });
    history.replaceState(null, "", url);
    try {
      await navigator.clipboard.writeText(url.href);
      this.say("The address of this sentence is copied.");
    } catch {
      this.say("The address of this sentence stands in the address bar.");
    }
  }
}

export const open = (place, options, status, clicked) =>
  new Desk(place, options, status).begin(clicked);
