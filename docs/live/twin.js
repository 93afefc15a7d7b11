// A listing and its twin in JavaScript: the line "Python · JavaScript" over a listing
// becomes two tabs. What the second one shows comes from its own page when it is first
// wanted. Without this script the line has a plain link to that page.

const make = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};

const depth = (text) => text.search(/\S/); // -1: an empty line

// The lines that define this name, and the comment before them.
const part = (lines, name) => {
  const texts = lines.map((line) => line.textContent);
  const begins = RegExp(`^ *(export )?((const|class|function\\*?) |\\*)?${name}\\b`);
  let from = texts.findIndex((text) => begins.test(text));
  const margin = depth(texts[from]);
  let to = from + 1;
  while (to < texts.length && !(depth(texts[to]) >= 0 && depth(texts[to]) <= margin)) to++;
  if (/^ *[\])}]/.test(texts[to])) to++;
  while (from && texts[from - 1].trimStart().startsWith("//")) from--;
  return lines.slice(from, to);
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
    link.textContent = `${link.pathname.split("/").at(-2)}.js`;
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
      this.status.textContent = "It did not come: the link leads to it, and the tab tries again.";
    }
  }

  async load() {
    const answer = await fetch(this.link.href);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const all = [...page.querySelectorAll(".lb-listing code > span")];
    if (!answer.ok || !all.length) throw new Error(`${this.link.href}: ${answer.status}`);
    const { part: name } = this.link.dataset;
    const lines = name ? part(all, name) : all;
    if (name) this.link.hash = lines[0].id;
    for (const line of lines) line.removeAttribute("id");
    this.code.replaceChildren(...lines);
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
