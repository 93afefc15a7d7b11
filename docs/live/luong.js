// The translator of Luong et al. 2015, as in luong.py, in the form whose weights the book
// has: GRUs, an encoder that reads in both directions, the dot product for a score, no
// input feeding.

import { gru, unroll, zeros } from "./recurrent.js";
import { concat, dot, linear, masked, mix, row, softmax, tanh } from "./tensor.js";

const HAVE = {
  score: "dot", input_feeding: false, directions: "both", cell: "gru",
};

export class LuongTranslator {
  hides = true; // may words be hidden from it?

  constructor(weights, config) {
    for (const [name, value] of Object.entries(HAVE))
      if (config[name] !== value) throw new Error(`${name} is ${config[name]}: expected ${value}`);
    Object.assign(this, weights);
    this.left = Object.values(this.encoder.sides.left);
    this.right = Object.values(this.encoder.sides.right);
    this.layers = Object.values(this.decoder);
  }

  // The states h̄_s of the encoder's top layer, and where the decoder begins.
  // hidden  places of the source that get no weight; the encoder reads them all the same
  start(source, { hidden = [] } = {}) {
    const words = source.map((id) => row(this.e_source.weight, id));
    const left = this.read(this.left, words);
    const right = this.read(this.right, [...words].reverse());
    const states = left.top.map((h, s) => concat(h, right.top[source.length - 1 - s]));
    return { cells: left.last.map((h, layer) => concat(h, right.last[layer])), states, hidden };
  }

  read(stack, x) {
    const last = stack.map((cell) => {
      x = unroll(gru, cell, x, zeros(cell));
      return x.at(-1);
    });
    return { top: x, last };
  }

  step(token, { cells: before, states, hidden }) {
    let h = row(this.e_target.weight, token);
    const cells = this.layers.map((cell, layer) => {
      h = gru(cell, h, before[layer]);
      return h;
    });
    const scores = states.map((state) => dot(h, state)); // h_tᵀ h̄_s
    const weights = softmax(masked(scores, hidden)); // a_t
    const context = mix(weights, states); // c_t
    const attentional = tanh(linear(this.W_c, concat(context, h))); // h̃_t
    const state = { cells, states, hidden };
    return { logits: linear(this.W_s, attentional), weights, scores, context, state };
  }
}
