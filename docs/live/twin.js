// Turn the line "Python · JavaScript" over a listing into two tabs. The second shows the
// script that its link leads to, fetched when it is first chosen. Without this module the
// line has a plain link to the script.

import { make } from "./dom.js";
import { fetchFile } from "./fetch.js";

// The names are those of Pygments, whose colours the other listings have.
const COMMENT = /(?<c1>\/\/.*)/;
const STRING = /(?<s2>"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`)/;
const NUMBER = /(?<mi>\b\d[\w.]*)/;
const KEYWORD =
  /(?<k>(?<!\.)\b(?:async|await|break|class|const|continue|else|export|for|from|function|if|import|in|let|new|of|return|static|this|throw|while|yield)\b)/;
const TOKEN = RegExp([COMMENT, STRING, NUMBER, KEYWORD].map(({ source }) => source).join("|"), "g");

// A script's text with a span around each token that has a colour.
const highlight = (text) => {
  const parts = [];
  let end = 0;
  for (const { index, 0: token, groups } of text.matchAll(TOKEN)) {
    const [kind] = Object.entries(groups).find(([, found]) => found !== undefined);
    parts.push(text.slice(end, index), make("span", { class: kind }, token));
    end = index + token.length;
  }
  return [...parts, text.slice(end)];
};

const indentation = (line) => line.search(/\S/); // -1: an empty line

// The lines that define this name, and the comment before them.
const definition = (text, name) => {
  const lines = text.split("\n");
  const begins = RegExp(`^ *(export )?((const|class|function\\*?) |\\*)?${name}\\b`);
  let from = lines.findIndex((line) => begins.test(line));
  const margin = indentation(lines[from]);
  const inside = (line) => !(indentation(line) >= 0 && indentation(line) <= margin);
  let to = from + 1;
  while (to < lines.length && inside(lines[to])) to++;
  if (/^ *[\])}]/.test(lines[to])) to++;
  while (from && lines[from - 1].trimStart().startsWith("//")) from--;
  return `${lines.slice(from, to).join("\n")}\n`;
};

class Twin {
  constructor(link, n) {
    const line = link.parentElement;
    this.link = link;
    this.status = make("span", { role: "status" });
    this.code = make("code");
    const code = make("div", { class: "highlight", hidden: "" }, make("pre", {}, this.code));
    this.panels = [line.nextElementSibling, make("div")];
    this.tabs = this.panels.map((panel, i) => {
      const id = `lb-twin-${n}-${i}`;
      panel.id ||= `${id}-panel`;
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", id);
      const tab = make("button", { type: "button", role: "tab", id, "aria-controls": panel.id });
      tab.textContent = i ? link.textContent : "Python";
      tab.addEventListener("click", () => this.choose(i));
      return tab;
    });
    const list = make("div", { role: "tablist", class: "lb-twin", "aria-label": "Language" }, ...this.tabs);
    list.addEventListener("keydown", (event) => this.move(event));
    line.replaceWith(list);
    link.textContent = link.pathname.split("/").at(-1);
    this.panels[1].append(make("p", {}, link, ", which a browser runs. ", this.status), code);
    this.panels[0].after(this.panels[1]);
    this.show(0);
  }

  show(at) {
    this.tabs.forEach((tab, i) => {
      tab.setAttribute("aria-selected", i === at);
      tab.tabIndex = i === at ? 0 : -1;
      this.panels[i].hidden = i !== at;
    });
  }

  async choose(at) {
    this.show(at);
    if (!at || this.asked) return;
    this.asked = true;
    this.status.textContent = "Loading …";
    try {
      await this.load();
      this.status.textContent = "";
    } catch (error) {
      console.info(`lookback: ${error.message}`);
      this.asked = false;
      this.status.textContent = `${error.message}. The link leads to it, and the tab tries again.`;
    }
  }

  async load() {
    const what = `The script ${this.link.textContent}`;
    const text = await fetchFile(what, this.link.href, "text");
    if (!text) throw new Error(`${what} came empty`);
    const { part } = this.link.dataset;
    this.code.replaceChildren(...highlight(part ? definition(text, part) : text));
    this.code.closest("[hidden]").hidden = false;
    if (this.code.scrollWidth > this.code.clientWidth) this.code.tabIndex = 0; // the keyboard reaches it
  }

  move(event) {
    const at = { ArrowLeft: 0, ArrowRight: 1, Home: 0, End: 1 }[event.key];
    if (at === undefined) return;
    event.preventDefault();
    this.tabs[at].focus();
    this.choose(at);
  }
}

document.querySelectorAll('a[data-live="twin"]').forEach((link, n) => new Twin(link, n));
