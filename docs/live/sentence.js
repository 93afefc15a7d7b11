// Read an English sentence from a field that completes words and refuses those that no
// system here has learned.

import { button, make, textField } from "./dom.js";
import { near, read, writeEnglish } from "./tokens.js";

const LONGEST = 66; // words: no sentence of the training set has more

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
    const { words, unknown } = read(text, this.known);
    if (unknown.length) return this.refuse(unknown[0]);
    if (words.length && words.at(-1) !== ".") words.push(".");
    if (words.length && words.length <= LONGEST) return words;
    this.say(
      words.length
        ? `The systems learned from no sentence of more than ${LONGEST} words.`
        : "Type an English sentence, or choose one.",
    );
    return null;
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
  offer(words, text, then) {
    this.chips.replaceChildren(
      ...words.map((word) =>
        button(word, () => {
          this.input.value = text(word);
          this.chips.replaceChildren();
          this.input.focus();
          then?.();
        }),
      ),
    );
  }

  refuse(word) {
    const like = near(word, this.known.words);
    const hint = like.length ? `Did you mean ${like.join(" or ")}?` : "No word of it is near.";
    this.say(`“${word}” is no word of this small language. ${hint}`);
    const at = this.input.value;
    const from = at.toLowerCase().replaceAll("’", "'").indexOf(word);
    const mended = (other) => at.slice(0, from) + other + at.slice(from + word.length);
    this.offer(like, mended, this.run);
    this.input.setAttribute("aria-invalid", "true");
    this.input.focus();
    return null;
  }
}
