// A figure in steps: one frame at a time, by a slider, by buttons, or played, with its
// numbers under it; a frame that is a map is a map in hand. Where this does not run, the
// chosen frames stand side by side; so they do on paper.

const PAUSE = 900; // milliseconds a frame stands while it plays

const element = (name, attributes = {}, text = "") => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
};

class Player {
  constructor(figure) {
    this.film = figure.querySelector(".lb-film");
    this.frames = [...this.film.children];
    this.folded = figure.nextElementSibling?.matches(".lb-numbers")
      ? figure.nextElementSibling
      : null;
    this.labels = this.frames.map((frame) => frame.querySelector("p").textContent);
    for (const frame of this.frames)
      frame.classList.toggle("lb-chosen", !frame.hidden);
    this.film.classList.add("lb-one");
    this.bar = element("div", { class: "lb-player" });
    this.back = this.button("‹", "Step back", () => this.step(-1));
    this.slider = element("input", {
      type: "range", min: 0, max: this.frames.length - 1, step: 1, value: 0,
      "aria-label": "Frame",
    });
    this.slider.addEventListener("input", () => {
      this.stop();
      this.show(Number(this.slider.value));
    });
    this.on = this.button("›", "Step on", () => this.step(1));
    this.now = element("output", { "aria-hidden": "true" });
    this.bar.append(this.back, this.slider, this.on);
    // Nothing runs by itself for those who want things to stand still.
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.play = this.button("Play", "", () => (this.timer ? this.stop() : this.start()));
      this.bar.append(this.play);
    }
    this.bar.append(this.now);
    this.film.after(this.bar);
    this.show(this.frames.length - 1);
    if (this.film.querySelector('[data-live="map"]')) this.hold();
  }

  // One map for all frames: it goes from the one that was shown to the one that is.
  async hold() {
    const { HeldMap } = await import("./map.js");
    this.map = new HeldMap(this.frames[this.at], this.tables, this.bar);
  }

  // The numbers of the frame that is shown; there may be none.
  get numbers() {
    return this.folded?.querySelector(`[data-frame="${this.at}"]`);
  }

  // They, if it is a map.
  get tables() {
    return this.frames[this.at].dataset.live === "map" ? this.numbers : null;
  }

  button(text, label, action) {
    const made = element("button", { type: "button" }, text);
    if (label) made.setAttribute("aria-label", label);
    made.addEventListener("click", action);
    return made;
  }

  show(at) {
    this.at = at;
    this.frames.forEach((frame, i) => (frame.hidden = i !== at));
    if (this.folded) this.folded.hidden = !this.numbers;
    for (const part of this.folded?.querySelectorAll("[data-frame]") ?? [])
      part.hidden = part !== this.numbers;
    this.map?.take(this.frames[at], this.tables);
    this.slider.value = at;
    this.slider.setAttribute("aria-valuetext", this.labels[at]);
    this.now.textContent = `${at + 1} of ${this.frames.length}`;
  }

  step(by) {
    this.stop();
    const many = this.frames.length;
    this.show((this.at + by + many) % many);
  }

  start() {
    if (this.at === this.frames.length - 1) this.show(0);
    this.play.textContent = "Pause";
    this.timer = setInterval(() => {
      this.show(this.at + 1);
      if (this.at === this.frames.length - 1) this.stop();
    }, PAUSE);
  }

  stop() {
    if (!this.timer) return;
    clearInterval(this.timer);
    this.timer = 0;
    this.play.textContent = "Play";
  }
}

for (const figure of document.querySelectorAll('figure[data-live="frames"]'))
  new Player(figure);
