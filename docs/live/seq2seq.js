// The deep LSTMs of Sutskever et al. 2014, as in seq2seq.py: the source, read backwards,
// leaves the states from which the decoder starts.

import { lstm, unroll, zeros } from "./recurrent.js";
import { linear, row } from "./tensor.js";

export class Seq2Seq {
  constructor(weights, config) {
    Object.assign(this, weights);
    this.reversed = config.reversed;
    this.below = Object.values(this.encoder.cells);
    this.above = Object.values(this.decoder.cells);
  }

  // The states [h, c] of every layer after the source, whose </s> stays at the end.
  start(source) {
    const words = source.slice(0, -1);
    if (this.reversed) words.reverse();
    let x = [...words, source.at(-1)].map((id) => row(this.source.weight, id));
    return this.below.map((cell) => {
      const states = unroll(lstm, cell, x, [zeros(cell), zeros(cell)]);
      x = states.map(([h]) => h);
      return states.at(-1);
    });
  }

  step(token, before) {
    let x = row(this.target.weight, token);
    const state = this.above.map((cell, layer) => {
      const new_ = lstm(cell, x, before[layer]);
      x = new_[0];
      return new_;
    });
    return { logits: linear(this.out, x), state };
  }
}
