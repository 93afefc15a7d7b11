// Buttons that load one of a figure's models, with its size.

import { button, make } from "./dom.js";
import { RETRY, load, size } from "./live.js";

export class Choice {
  // systems  name of a model → what it is called;  say  (text) → what the status tells
  // use      (model, name) → what is done with the one that was chosen
  constructor(title, systems, say, use) {
    Object.assign(this, { systems, say, use });
    this.buttons = Object.entries(systems).map(([name, label]) => {
      const text = `${label} (${size(name)})`;
      return [name, button(text, () => this.choose(name), { "aria-pressed": false })];
    });
    this.root = group(title, ...this.buttons.map(([, one]) => one));
  }

  async choose(name) {
    let model;
    this.chosen = name;
    this.say(`Loading ${size(name)} of weights …`);
    try {
      model = await load(name);
    } catch (error) {
      console.info(`lookback: ${error.message}`);
      return this.chosen === name ? this.say(`${error.message}. ${RETRY}`) : undefined;
    }
    if (this.chosen !== name) return undefined; // the last one that was chosen counts
    for (const [other, one] of this.buttons) {
      one.setAttribute("aria-pressed", other === name);
      if (other === name) one.textContent = this.systems[name];
    }
    return this.use(model, name);
  }
}

export const group = (name, ...parts) =>
  make("div", { class: "lb-buttons", role: "group", "aria-label": name }, ...parts);
