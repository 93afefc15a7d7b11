// What no style sheet can do. The page is whole without it.
{
  const article = document.querySelector("article");
  const scrollers = ".md-typeset__scrollwrap, .lb-text, .lb-html, .lb-scroll, .lb-equation";

  // The keyboard stops at what scrolls, and only there, and at words with a definition.
  // The bar around a copy button is no landmark: there would be dozens of one name.
  const scrolls = (place) =>
    place.scrollWidth > place.clientWidth || place.scrollHeight > place.clientHeight + 1;
  const mend = () => {
    for (const place of article.querySelectorAll(scrollers))
      if (scrolls(place)) place.tabIndex = 0;
      else place.removeAttribute("tabindex");
    for (const word of article.querySelectorAll("abbr[title]")) word.tabIndex = 0;
    for (const bar of article.querySelectorAll("nav.md-code__nav"))
      bar.setAttribute("role", "none");
    for (const button of article.querySelectorAll(".md-code__button[title]"))
      button.setAttribute("aria-label", button.title);
  };
  new MutationObserver(mend).observe(article, { childList: true, subtree: true });
  new ResizeObserver(mend).observe(article);
  document.fonts.ready.then(mend);

  // What comes up beside the text says what it is.
  document.querySelector(".md-dialog").setAttribute("role", "status");
  new MutationObserver(() => {
    for (const note of document.querySelectorAll("body > [role=dialog]"))
      note.setAttribute("aria-label", "Footnote");
  }).observe(document.body, { childList: true });

  // On paper nothing can be unfolded: print it open, then fold it again.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...article.querySelectorAll("details:not([open])")];
    for (const details of folded) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of folded) details.open = false;
  });
}
