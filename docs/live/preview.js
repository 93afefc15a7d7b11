// Show what a reference leads to beside it: an equation, a figure, a work, a term; by a
// term of a formula the figure with the part that it is, if that is out of sight. The
// preview opens by pointer, keyboard or finger, stays while the pointer is on it, and
// closes by Escape. Without this script a reference is a plain link.
import { fetchFile } from "./fetch.js";

const LINKS = "a.lb-ref, a.lb-cite, a.lb-term, [data-term]";
const HEADER = 60; // px at the top of the window that the page's header hides
const WAIT = 150; // ms that a pointer rests on a link, or stays away from it
const article = document.querySelector("article");
const box = document.createElement("div");
box.className = "lb-preview";
box.id = "lb-preview";
box.setAttribute("role", "tooltip");
box.hidden = true;
article.append(box);

let wanted = null; // the link whose preview is asked for
let shown = null; // and the one whose preview is there
let timer = 0;
let finger = false; // is a finger on the page, and no mouse?

const pages = new Map(); // the other pages that links lead to, each asked for once

const other = (address) => {
  const parse = (text) => new DOMParser().parseFromString(text, "text/html");
  if (!pages.has(address)) {
    const page = fetchFile("The preview", address, "text").then(parse);
    pages.set(address, page);
    page.catch(() => pages.delete(address)); // once more the next time
  }
  return pages.get(address);
};

// The thing itself, once more: without the ids, which stay with the first. Of a term it
// is what the glossary says, of a work its line in the bibliography.
const copy = (there, address) => {
  const entry = there.matches("dt, li");
  const source = there.matches("dt") ? there.nextElementSibling : there;
  const twin = document.importNode(source, true);
  const dead = ".lb-cited, a.headerlink, .lb-bar, .lb-player";
  for (const part of twin.querySelectorAll(dead)) part.remove();
  for (const link of twin.querySelectorAll("a[href]"))
    link.setAttribute("href", new URL(link.getAttribute("href"), address).href);
  for (const part of [twin, ...twin.querySelectorAll("*")]) {
    for (const name of ["data-live", "tabindex"]) part.removeAttribute(name);
    if (part.id && part.closest("defs")) part.id = `preview-${part.id}`;
    else part.removeAttribute("id");
    for (const { name, value } of part.attributes)
      if (/url\(#/.test(value) || (name === "href" && value.startsWith("#")))
        part.setAttribute(name, value.replace(/(^|url\()#/g, "$1#preview-"));
  }
  if (!entry) return [twin];
  const words = document.createElement("p");
  words.append(...(twin.querySelector("p") ?? twin).childNodes);
  return [words];
};

const inSight = (part) => {
  const { top, bottom } = part.getBoundingClientRect();
  return top > HEADER && bottom < innerHeight;
};

// What a link leads to, if it is there; a promise of it, if it is on another page.
const content = (link) => {
  if (link.dataset.term) {
    const figure = document.getElementById(link.dataset.term.split(".")[0]);
    const meant = [...figure.querySelectorAll(".lb-meant")];
    if (meant.some(inSight)) return [];
    const [twin] = copy(figure, location.href);
    const words = twin.querySelectorAll("figcaption, .lb-diagram-key");
    for (const part of words) part.remove();
    return [twin];
  }
  const [address, id] = link.href.split("#");
  const found = (page) => {
    const there = id && page.getElementById(decodeURIComponent(id));
    return there ? copy(there, address) : [];
  };
  if (address === location.href.split("#")[0]) return found(document);
  return other(address).then(found);
};

const place = (link) => {
  const beside = link.closest(".lb-equation") ?? link;
  const at = beside.getBoundingClientRect(); // both lines of a link that wraps
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
  shown = wanted = null;
};

// Where the drawing is longer than the box, as on a phone.
const scrollToLit = () => {
  const lit = [...box.querySelectorAll(".lb-meant")];
  const top = lit.find((part) => part.getClientRects().length)?.getBoundingClientRect().top;
  if (top) box.scrollTop = top - box.getBoundingClientRect().top - HEADER;
};

// A finger follows the link where there is no preview.
const lost = ({ message }) => {
  const note = document.createElement("p");
  note.textContent = `${message}. The link leads there.`;
  return finger ? [] : [note];
};

// Whether there is something to show; undefined if by then it is not wanted any more.
const show = async (link) => {
  clearTimeout(timer);
  if (wanted === link) return true;
  hide();
  wanted = link;
  let parts = content(link);
  if (parts instanceof Promise) parts = await parts.catch(lost);
  if (wanted !== link) return undefined;
  if (!parts.length) {
    wanted = null;
    return false;
  }
  box.replaceChildren(...parts);
  // A formula has no words of its own; a work and a term are their own words.
  if (parts[0].matches("p")) box.removeAttribute("aria-label");
  else box.setAttribute("aria-label", link.textContent);
  box.hidden = false;
  shown = link;
  link.setAttribute("aria-describedby", box.id);
  place(link);
  scrollToLit();
  return true;
};

const soon = (act) => {
  clearTimeout(timer);
  timer = setTimeout(act, WAIT);
};

// Links inside a preview have none themselves.
const linkAt = (event) => {
  const link = event.target.closest?.(LINKS);
  return link && !box.contains(link) ? link : null;
};

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

// A finger's first tap shows, its second follows the link; a tap elsewhere closes. So
// does the first, where there is nothing to show.
addEventListener(
  "pointerdown",
  (event) => {
    finger = event.pointerType === "touch";
    if (!box.contains(event.target) && linkAt(event) !== wanted) hide();
  },
  { passive: true },
);
article.addEventListener("click", async (event) => {
  const link = linkAt(event);
  if (!link) return;
  if (!finger || wanted === link) return hide();
  event.preventDefault();
  if ((await show(link)) === false && link.href) location.assign(link.href);
});
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && wanted) hide();
});
