// What a reference leads to, shown beside it: an equation, a figure, a work, a term.
// It comes at the pointer, the keyboard and the finger, stays while the pointer is on it,
// and Escape sends it away. Without this script a reference is a plain link.
const LINKS = "a.lb-ref, a.lb-cite, a.lb-term";
const WAIT = 150; // ms that a pointer rests on a link, or stays away from it
const article = document.querySelector("article");
const box = document.createElement("div");
box.className = "lb-preview";
box.id = "lb-preview";
box.setAttribute("role", "tooltip");
box.hidden = true;
article.append(box);

let shown = null; // the link whose preview is there
let timer = 0;
let finger = false; // is a finger on the page, and no mouse?

const words = (tip) =>
  tip.split("\n").map((line) => {
    const paragraph = document.createElement("p");
    paragraph.textContent = line;
    return paragraph;
  });

// The thing itself, once more: without the ids, which stay with the first.
const copy = (link) => {
  const [page, id] = link.href.split("#");
  const there = page === location.href.split("#")[0] && document.getElementById(id);
  if (!there) return [];
  const twin = there.cloneNode(true);
  twin.removeAttribute("id");
  for (const part of twin.querySelectorAll("[data-live], [tabindex]"))
    for (const name of ["data-live", "tabindex"]) part.removeAttribute(name);
  twin.removeAttribute("tabindex");
  const bare = [twin, ...twin.querySelectorAll("[id]")];
  for (const part of bare) if (!part.closest("defs")) part.removeAttribute("id");
  return [twin];
};

const place = (link) => {
  const at = link.getBoundingClientRect(); // both lines of a link that wraps
  const room = document.documentElement.clientWidth;
  box.style.left = box.style.top = "0";
  const from = box.getBoundingClientRect(); // where left 0 and top 0 are
  const { width, height } = from;
  const left = Math.max(12, Math.min(at.left, room - width - 12));
  const above = at.bottom + height + 8 > innerHeight && at.top - height > 60;
  box.style.left = `${left - from.left}px`;
  box.style.top = `${(above ? at.top - height - 6 : at.bottom + 6) - from.top}px`;
};

const hide = () => {
  clearTimeout(timer);
  box.hidden = true;
  shown?.removeAttribute("aria-describedby");
  shown = null;
};

const show = (link) => {
  clearTimeout(timer);
  if (shown === link) return;
  hide();
  const content = link.dataset.tip ? words(link.dataset.tip) : copy(link);
  if (!content.length) return;
  box.replaceChildren(...content);
  // A formula has no words of its own; a work and a term are their own words.
  if (link.dataset.tip) box.removeAttribute("aria-label");
  else box.setAttribute("aria-label", link.textContent);
  box.hidden = false;
  shown = link;
  link.setAttribute("aria-describedby", box.id);
  place(link);
};

const soon = (act) => {
  clearTimeout(timer);
  timer = setTimeout(act, WAIT);
};

const linkAt = (event) => event.target.closest?.(LINKS);

article.addEventListener("pointerover", (event) => {
  if (event.pointerType === "touch") return;
  const link = linkAt(event);
  if (link) soon(() => show(link));
  else if (box.contains(event.target)) clearTimeout(timer);
});
article.addEventListener("pointerout", (event) => {
  if (event.pointerType !== "touch" && (linkAt(event) || box.contains(event.target)))
    soon(hide);
});
article.addEventListener("focusin", (event) => {
  const link = linkAt(event);
  if (link?.matches(":focus-visible")) show(link);
});
article.addEventListener("focusout", (event) => {
  if (linkAt(event)) hide();
});

// A finger's first tap shows, its second follows the link; a tap elsewhere closes.
addEventListener(
  "pointerdown",
  (event) => {
    finger = event.pointerType === "touch";
    if (!box.contains(event.target) && linkAt(event) !== shown) hide();
  },
  { passive: true },
);
article.addEventListener("click", (event) => {
  const link = linkAt(event);
  if (!link) return;
  if (finger && shown !== link) {
    show(link);
    if (shown === link) event.preventDefault();
  } else hide();
});
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && shown) hide();
});
