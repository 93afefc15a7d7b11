// Store in this browser which chapters were read to the end, and mark the links to them.
// One button forgets them, and the self-tests that were answered, which live/quiz.js
// stores. Without a script, or without storage, nothing is shown.
{
  const READ = "lookback.read";
  const TESTS = "lookback.tests";
  const config = JSON.parse(document.getElementById("__config").textContent);
  const base = new URL(config.base.replace(/\/?$/, "/"), location);
  const chapter = document.querySelector("[data-chapter]")?.dataset.chapter;
  const links = document.querySelectorAll(
    ".md-nav--primary a.md-nav__link, .lb-before a, .lb-paths a, .lb-needs a",
  );

  const stored = (key) => {
    try {
      const all = JSON.parse(localStorage.getItem(key));
      return Array.isArray(all) ? all.map(String) : [];
    } catch {
      return [];
    }
  };
  const store = (read) => {
    try {
      localStorage.setItem(READ, JSON.stringify(read));
    } catch {
      // the reader allows no storage, or it is full
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

  const many = (n, one) => (n ? [`${n} ${one}${n > 1 ? "s" : ""}`] : []);

  const show = () => {
    const read = stored(READ);
    const all = [
      ...many(read.length, "chapter").map((chapters) => `read ${chapters} to the end`),
      ...many(stored(TESTS).length, "self-test").map((tests) => `answered ${tests}`),
    ];
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
    forget.hidden = !all.length;
    words.textContent = all.length ? `You have ${all.join(" and ")}. Only this browser knows.` : "";
  };

  const observer = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    observer.disconnect();
    store([...new Set([...stored(READ), chapter])]);
    show();
  });
  const end = document.querySelector(".md-footer");
  if (chapter && end) observer.observe(end);
  forget.addEventListener("click", () => {
    observer.disconnect(); // the button may have come into sight with the end
    for (const key of [READ, TESTS]) localStorage.removeItem(key);
    show();
    words.textContent = "Forgotten.";
  });
  addEventListener("pageshow", show); // a page that a reader returns to may be an old one
  show();
}
