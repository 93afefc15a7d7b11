// Open all folded code of a page by the switch "Show all code", and store the choice.
const KEY = "lookback.code";
const button = document.querySelector(".lb-switch");
const folds = document.querySelectorAll("article details.lb-fold");

const remembered = () => {
  try {
    return localStorage.getItem(KEY) === "all";
  } catch {
    return false; // the reader allows no storage
  }
};

const show = (all) => {
  for (const fold of folds) fold.open = all;
  button.setAttribute("aria-pressed", all);
};

if (button) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const all = button.getAttribute("aria-pressed") !== "true";
    show(all);
    try {
      if (all) localStorage.setItem(KEY, "all");
      else localStorage.removeItem(KEY);
    } catch {
      // then it holds for this page alone
    }
  });
  if (remembered()) show(true);
}
