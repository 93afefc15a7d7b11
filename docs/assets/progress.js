// Store in this browser which chapters were read to the end, and mark the links to them.
// One button forgets them. Without a script, or without storage, nothing is shown.
{
  const KEY = "lookback.read";
  const config = JSON.parse(document.getElementById("__config").textContent);
  const base = new URL(config.base.replace(/\/?$/, "/"), location);
  const chapter = document.querySelector("[data-chapter]")?.dataset.chapter;
  const links = document.querySelectorAll(
    ".md-nav--primary a.md-nav__link, .lb-before a, .lb-paths a, .lb-needs a",
  );

  const stored = () => {
    try {
      const read = JSON.parse(localStorage.getItem(KEY));
      return Array.isArray(read) ? read.map(String) : [];
    } catch {
      return [];
    }
  };
  const store = (read) => {
    try {
      if (!read.length) localStorage.removeItem("lookback.tests"); // live/quiz.js
      if (read.length) localStorage.setItem(KEY, JSON.stringify(read));
      else localStorage.removeItem(KEY);
    } catch {
      // the reader allows no storage
    }
  };

  const foot = document.createElement("p");
  foot.className = "lb-progress";
  const words = document.createElement("span");
  words.setAttribute("role", "status");
  const forget = document.createElement("button");
  forget.type = "button";
  forget.textContent = "Forget this";
  foot.append(words, forget);
  document.querySelector("article").append(foot);

  const show = () => {
    const read = stored();
    const paths = new Set(read.map((name) => new URL(name, base).pathname));
    for (const link of links) {
      link.querySelector(".lb-tick")?.remove();
      if (link.hash || !paths.has(link.pathname)) continue;
      const tick = document.createElement("span");
      tick.className = "lb-tick";
      const sign = document.createElement("span");
      sign.setAttribute("role", "img");
      sign.setAttribute("aria-label", "read");
      sign.textContent = "✓";
      tick.append("\u00a0", sign);
      link.append(tick);
    }
    forget.hidden = !read.length;
    words.textContent = read.length
      ? `You have read ${read.length} ${read.length > 1 ? "chapters" : "chapter"} to the end. Only this browser knows.`
      : "";
  };

  forget.addEventListener("click", () => {
    store([]);
    show();
    words.textContent = "Forgotten.";
  });
  const end = document.querySelector(".md-footer");
  if (chapter && end)
    new IntersectionObserver(([seen], observer) => {
      if (!seen.isIntersecting) return;
      observer.disconnect();
      store([...new Set([...stored(), chapter])]);
      show();
    }).observe(end);
  show();
}
