// What no style sheet can do. The page is whole without it.
{
  const article = document.querySelector("article");
  const scrollers = ".md-typeset__scrollwrap, .lb-text, .lb-html, .lb-scroll, .lb-equation";

  // The keyboard stops at what scrolls, and only there.
  // The bar around a copy button is no landmark: there would be dozens of one name.
  const scrolls = (place) =>
    place.scrollWidth > place.clientWidth || place.scrollHeight > place.clientHeight + 1;
  // All is measured before anything is changed: else the page is laid out each time.
  // What is folded up is measured when it opens, because then the article grows; older
  // browsers, which cannot tell, measure it too.
  const visible = (place) => place.checkVisibility?.() ?? true;
  const mend = () => {
    const places = [...article.querySelectorAll(scrollers)].filter(visible);
    const stops = places.map(scrolls);
    places.forEach((place, i) => {
      if (!stops[i]) place.removeAttribute("tabindex");
      else if (!place.hasAttribute("tabindex")) place.tabIndex = 0;
    });
    for (const bar of article.querySelectorAll("nav.md-code__nav:not([role])"))
      bar.setAttribute("role", "none");
    for (const button of article.querySelectorAll(".md-code__button[title]:not([aria-label])"))
      button.setAttribute("aria-label", button.title);
  };
  let frame = 0; // in which what has changed will be measured
  new MutationObserver(() => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      mend();
    });
  }).observe(article, { childList: true, subtree: true });
  new ResizeObserver(mend).observe(article);
  document.fonts.ready.then(mend);

  // What comes up beside the text says what it is.
  document.querySelector(".md-dialog").setAttribute("role", "status");
  new MutationObserver(() => {
    for (const note of document.querySelectorAll("body > [role=dialog]"))
      note.setAttribute("aria-label", "Footnote");
  }).observe(document.body, { childList: true });

  // On paper nothing can be unfolded: print it open, hints and solutions at the end, then
  // put all back.
  let folded = [];
  let moved = [];
  addEventListener("beforeprint", () => {
    folded = [...article.querySelectorAll("details:not([open])")];
    for (const details of folded) details.open = true;
    const end = document.createElement("section");
    end.append(Object.assign(document.createElement("h2"), { textContent: "Solutions" }));
    moved = [...article.querySelectorAll(".exercise > :is(.hint, .solution)")].map(
      (details) => [details, details.parentElement],
    );
    for (const [details, box] of moved) {
      if (details.matches(".hint"))
        end.append(box.querySelector(".admonition-title").cloneNode(true));
      end.append(details);
    }
    if (moved.length) article.append(end);
    moved.end = end;
  });
  addEventListener("afterprint", () => {
    for (const details of folded) details.open = false;
    for (const [details, box] of moved) box.append(details);
    moved.end.remove();
  });
}
