// Read an English sentence from a field. Of the small language it completes words, shows
// all of them, and refuses those that no system here has learned.

import { button, make, textField, tooLong } from "./dom.js";
import { lower, near, normalize, writeEnglish } from "./tokens.js";

const END = /^[.?!…"»]$/;
const EVERYDAY = new URL("./#a-sentence-of-your-own", import.meta.url);
const NEAR = 6; // unknown words for which near ones are offered
const quoted = (words) => words.map((word) => `“${word}”`).join(", ");

export class Sentence {
  // verb  what its button says;  words  what it holds first
  // say   (text) → what the status tells;  run  () → what is done with it
  constructor(verb, words, say, run) {
    Object.assign(this, { say, run });
    this.input = textField();
    this.input.value = writeEnglish(words);
    this.input.addEventListener("input", () => this.complete());
    const label = make("label", {}, "English sentence ", this.input);
    this.form = make("form", { class: "lb-say" }, label, make("button", { type: "submit" }, verb));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      run();
    });
    this.chips = make("div", { class: "lb-chips", role: "group", "aria-label": "Words to choose" });
  }

  // A model that reads what the field holds; all models of one piece know the same words.
  use(model) {
    this.model = model;
    this.longest = model.metadata.data.longest ?? this.longest;
    this.known = model.bpe ? null : model.source;
    if (this.known && !this.list) this.form.append(this.listed());
  }

  // What to pick a sentence from; null without examples.
  examples(examples, run) {
    if (!examples) return null;
    const pick = make("select", {}, make("option", { value: "" }, "choose …"));
    for (const { source, about } of examples)
      pick.append(make("option", { value: writeEnglish(source) }, about));
    pick.addEventListener("change", () => pick.value && run(pick.value));
    return make("label", {}, "A sentence that … ", pick);
  }

  // The words of the field, or of this text; null, and the status says why, where they
  // cannot be translated.
  words(text = this.input.value) {
    this.input.value = text;
    this.chips.replaceChildren();
    this.input.removeAttribute("aria-invalid");
    const long = tooLong(text);
    if (long) return this.refuse(long);
    const { words, unknown } = this.model.read(text);
    if (unknown.length) return this.known ? this.suggest(unknown) : this.refuse(
      `${quoted(unknown)}: no sentence that these models learned from has ` +
      `${unknown.length > 1 ? "these characters" : "this character"}. Leave ` +
      `${unknown.length > 1 ? "them" : "it"} out, or write another.`);
    if (!words.length) return this.refuse("Type an English sentence, or choose one.");
    if (!END.test(words.at(-1))) words.push(".");
    if (words.length <= this.longest) return words;
    return this.refuse(
      `The systems learned from no sentence of more than ${this.longest} words and marks. ` +
      `This one has ${words.length}.`);
  }

  refuse(why) {
    this.say(why);
    if (this.input.value.trim()) this.input.setAttribute("aria-invalid", "true");
    return null;
  }

  // Words that complete the one at the end of the field.
  complete() {
    if (!this.known || tooLong(this.input.value)) return;
    const [, before, start] = normalize(this.input.value).match(/^(.*?)([\p{L}\p{N}'-]*)$/su);
    const low = lower(start);
    const open = low && !this.known.has(low);
    const fit = this.known.words.filter((word) => open && word.startsWith(low));
    const offers = fit.slice(0, 8).map((word) => this.offer(word, () => `${before}${word} `));
    this.chips.replaceChildren(...offers);
  }

  // A button that puts a word into the field.
  offer(word, text, then) {
    return button(word, () => {
      this.input.value = text();
      this.chips.replaceChildren();
      this.input.focus();
      then?.();
    });
  }

  // Name all words that are not known, and offer known ones that are near.
  suggest(unknown) {
    const strange = [...new Set(unknown)];
    const like = strange.map((word, i) => (i < NEAR ? near(word, this.known.words) : []));
    const hints = strange.map((word, i) =>
      like[i].length ? `“${word}” (did you mean ${like[i].join(" or ")}?)` : `“${word}”`);
    const [one] = like;
    const hint = one.length ? `Did you mean ${one.join(" or ")}?` : "No word of it is near.";
    this.refuse(strange.length > 1
      ? `These are no words of this small language: ${hints.join(", ")}.`
      : `“${strange[0]}” is no word of this small language. ${hint}`);
    const again = () => this.run();
    this.chips.replaceChildren(...strange.flatMap((word, i) =>
      like[i].map((other) => this.offer(other, () => this.mended(word, other), again))),
      make("a", { href: EVERYDAY }, "Everyday English is translated here"));
    this.input.focus();
    return null;
  }

  // The field with another word in the place of an unknown one.
  mended(word, other) {
    const text = normalize(this.input.value);
    const from = text.toLowerCase().indexOf(word);
    if (from < 0) return lower(text).replace(word, () => other); // İ is two small letters
    return text.slice(0, from) + other + text.slice(from + word.length);
  }

  // All words of the language: to search, and to put at the end of the field.
  listed() {
    const all = this.known.words.filter((word) => /\p{L}/u.test(word)).sort();
    const search = textField();
    const words = make("div", { class: "lb-chips", role: "toolbar", "aria-label": "All words" });
    const show = () => {
      const fit = all.filter((word) => word.includes(lower(search.value).trim()));
      words.replaceChildren(...fit.map((word, i) =>
        button(word, () => this.append(word), { tabindex: i ? -1 : 0 })));
    };
    search.addEventListener("input", show);
    search.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
    words.addEventListener("keydown", (event) => this.move(event, words));
    const title = `The ${all.length} words of this language`;
    this.list = make("details", { class: "lb-listed" }, make("summary", {}, title),
      make("label", {}, "Search ", search), words);
    this.list.addEventListener("toggle", show, { once: true });
    return this.list;
  }

  append(word) {
    const before = this.input.value.replace(/[\s.]*$/, "");
    this.input.value = `${before} ${word} `.trimStart();
    this.say(`The field holds: ${this.input.value}`);
  }

  // Arrows go from word to word: the list is one stop of Tab.
  move(event, { children }) {
    const at = [...children].indexOf(event.target);
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const to = { Home: 0, End: children.length - 1 }[event.key] ?? (by ? at + by : -1);
    if (at < 0 || !children[to]) return;
    event.preventDefault();
    children[at].tabIndex = -1;
    children[to].tabIndex = 0;
    children[to].focus();
  }
}
