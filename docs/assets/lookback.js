// What no style sheet can do. The page is whole without it.
{
  const article = document.querySelector("article");
  const scrollers = ".md-typeset__scrollwrap, .lb-text, .lb-html, .lb-scroll, .lb-equation";

  // The keyboard stops at what scrolls, and only there. The bar around a copy button
  // is no landmark: there would be dozens of one name.
  const mend = () => {
    for (const bar of article.querySelectorAll("nav.md-code__nav"))
      bar.setAttribute("role", "none");
    for (const place of article.querySelectorAll(scrollers))
      if (place.scrollWidth > place.clientWidth) place.tabIndex = 0;
      else place.removeAttribute("tabindex");
  };
  new MutationObserver(mend).observe(article, { childList: true, subtree: true });
  new ResizeObserver(mend).observe(article);
  document.fonts.ready.then(mend);

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
