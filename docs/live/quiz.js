// Tell whoever answers a self-test which mistake it was. What is right stays here, in
// the browser, so that it is known at the next visit.

import { button, make } from "./dom.js";
import { lower } from "./tokens.js";

const KEY = "lookback.tests";
const page = location.pathname;

const solved = () => {
  try {
    const all = JSON.parse(localStorage.getItem(KEY));
    return Array.isArray(all) ? all : [];
  } catch {
    return [];
  }
};

const keep = (test) => {
  try {
    localStorage.setItem(KEY, JSON.stringify([...new Set([...solved(), test])]));
  } catch {
    // the reader allows no storage
  }
};

// "2x5" and "(2, 5)" are "2 × 5", and .5 is 0.50.
const plain = (words) =>
  lower(words).replace(/[\s()[\]]+/g, "").replace(/[x*,]/g, "×").replace(/−/g, "-");
const same = (one, other) =>
  plain(one) === plain(other) ||
  (plain(one) !== "" && Number(plain(one).replace(/%$/, "")) === Number(plain(other).replace(/%$/, "")));

for (const quiz of document.querySelectorAll(".lb-quiz")) {
  const answers = [...quiz.nextElementSibling.querySelectorAll("[data-answer]")];
  const status = quiz.querySelector("[role=status]");
  const fields = quiz.querySelector("fieldset");
  const name = `${page}#${quiz.id}`;

  const tell = (given) => {
    const found = answers.find((each) => same(each.dataset.answer, given));
    const right = found !== undefined && "right" in found.dataset;
    quiz.dataset.told = right ? "right" : "wrong";
    if (right) {
      status.textContent = `Yes: ${found.dataset.answer}.`;
      keep(name);
    } else
      status.textContent = found
        ? `Not ${found.dataset.answer}. ${found.textContent.slice(found.dataset.answer.length)}`
        : `${given} is not the answer, and none of the usual mistakes.`;
  };

  if (quiz.dataset.kind === "typed") {
    const field = make("input", { type: "text", autocomplete: "off", spellcheck: "false" });
    const given = () => field.value.trim() && tell(field.value.trim());
    field.addEventListener("keydown", ({ key, isComposing }) => {
      if (key === "Enter" && !isComposing) given(); // composing, Enter ends a word
    });
    fields.append(make("label", {}, "Your answer: ", field), button("Check", given));
  }
  for (const choice of quiz.querySelectorAll("input[type=radio]"))
    choice.addEventListener("change", () => tell(choice.value));
  const cells = [...quiz.querySelectorAll("td[data-cell]")].map((cell) => {
    const choose = () => {
      for (const other of cells) other.setAttribute("aria-pressed", other === one);
      tell(cell.dataset.cell);
    };
    const one = button("", choose, { "aria-label": cell.dataset.cell, "aria-pressed": false });
    cell.append(one);
    return one;
  });
  if (solved().includes(name)) status.textContent = "You have answered this before.";
}
