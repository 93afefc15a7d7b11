// Light what a term of a formula is in a figure, while the pointer or the focus is on the
// term; and the term, while the pointer is on the part. Where the figure is out of sight,
// its preview stands by the formula. Without this script both are as they are on paper.

import "./preview.js";

const article = document.querySelector("article");
const terms = [...document.querySelectorAll("[data-term]")];

// `machine.h1 h2` → the parts h1 and h2 of the figure `machine`, in its copy as well.
const partsOf = (term) => {
  const [figure, parts] = term.dataset.term.split(".");
  const places = [document.getElementById(figure), document.getElementById("lb-preview")];
  const names = parts.split(" ").map((part) => `[data-part~="${part}"]`);
  return places.flatMap((place) => [...place.querySelectorAll(names)]);
};

const clear = () => {
  for (const part of article.querySelectorAll(".lb-meant")) part.classList.remove("lb-meant");
};

const light = (term) => {
  clear();
  for (const part of [term, ...partsOf(term)]) part.classList.add("lb-meant");
};

for (const term of terms) term.tabIndex = 0;
for (const [begins, ends] of [["pointerover", "pointerout"], ["focusin", "focusout"]]) {
  const follow = (event) => {
    const term = event.target.closest("[data-term]");
    if (term) return light(term);
    const part = event.target.closest("[data-part]");
    for (const other of part ? terms : [])
      if (partsOf(other).includes(part)) other.classList.add("lb-meant");
  };
  article.addEventListener(begins, follow, true); // before the preview, a copy, is made
  article.addEventListener(ends, (event) => {
    if (event.target.closest("[data-term], [data-part]")) clear();
  });
}
