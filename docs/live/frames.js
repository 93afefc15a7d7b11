// Show one frame of a figure at a time, by a slider, by buttons, or played, with its
// numbers under it; the frames of an attention map share one interactive map. Where this
// does not run, the chosen frames stand side by side; so they do on paper.

import { InteractiveMap } from "./map.js";
import { Player, motionIsWelcome } from "./player.js";

class Frames {
  constructor(figure) {
    const film = figure.querySelector(".lb-film");
    const table = figure.nextElementSibling;
    this.frames = [...film.children];
    this.folded = table?.matches(".lb-numbers") ? table : null;
    const labels = this.frames.map((frame) => frame.querySelector("p").textContent);
    for (const frame of this.frames)
      frame.classList.toggle("lb-chosen", !frame.hidden);
    film.classList.add("lb-one");
    this.player = new Player((at) => this.show(at), {
      name: "Frame", text: (at) => labels[at], wrap: true, plays: true,
    });
    film.after(this.player.root);
    const first = this.frames.findIndex((frame) => "first" in frame.dataset);
    this.player.of(this.frames.length, first < 0 ? this.frames.length - 1 : first);
    if (motionIsWelcome() && "scroll" in this.frames[0].dataset) this.followScroll(figure);
    if (film.querySelector('[data-live="map"]'))
      this.map = new InteractiveMap(this.frame, this.tables, this.player.root);
  }

  // Frame by frame while the figure comes into sight, until the reader moves the slider.
  followScroll(figure) {
    const last = this.frames.length - 1;
    const follow = () => {
      const { top, height } = figure.getBoundingClientRect();
      const way = (0.7 * innerHeight - top) / Math.max(height - 0.2 * innerHeight, 200);
      const at = Math.min(last, Math.max(0, Math.floor(way * this.frames.length)));
      if (at !== this.player.at) this.player.to(at);
    };
    addEventListener("scroll", follow, { passive: true });
    for (const kind of ["input", "click", "keydown"])
      this.player.root.addEventListener(kind, () => removeEventListener("scroll", follow));
  }

  get frame() {
    return this.frames[this.player.at];
  }

  // The numbers of the frame that is shown; there may be none.
  get numbers() {
    return this.folded?.querySelector(`[data-frame="${this.player.at}"]`);
  }

  // The same where the frame is a map.
  get tables() {
    return this.frame.dataset.live === "map" ? this.numbers : null;
  }

  show(at) {
    this.frames.forEach((frame, i) => (frame.hidden = i !== at));
    if (this.folded) this.folded.hidden = !this.numbers;
    for (const part of this.folded?.querySelectorAll("[data-frame]") ?? [])
      part.hidden = part !== this.numbers;
    this.map?.take(this.frame, this.tables);
  }
}

for (const figure of document.querySelectorAll('figure[data-live="frames"]'))
  new Frames(figure);
