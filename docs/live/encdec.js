// The encoder–decoder of Cho et al. 2014, as in encdec.py: the source becomes one vector.

import { gate, gru, unroll, zeros } from "./recurrent.js";
import { add, chunk, linear, product, row, sigmoid, tanh, times } from "./tensor.js";

// The larger of each two neighbours.
export const maxout = (s) =>
  new Float64Array(s.length / 2).map((_, i) => Math.max(s[2 * i], s[2 * i + 1]));

export class RNNEncoderDecoder {
  constructor({ encoder, decoder }) {
    Object.assign(this, { encoder, decoder });
  }

  // Read the source, ids: the state {h, c} before the first target word.
  start(source) {
    const { encoder, decoder } = this;
    const x = source.map((id) => row(encoder.e.weight, id));
    const last = unroll(gru, encoder.cell, x, zeros(encoder.cell)).at(-1);
    const c = tanh(linear(encoder.V, last));
    return { h: tanh(linear(decoder.V, c)), c };
  }

  // The last word and the state → the logits of the next word, and the new state.
  step(token, { h: before, c }) {
    const { e, cell, O_h, O_y, O_c, G } = this.decoder;
    const y = row(e.weight, token);
    const h = this.next(cell, y, before, c);
    const s = maxout(add(linear(O_h, h), linear(O_y, y), linear(O_c, c)));
    return { logits: linear(G, s), state: { h, c } };
  }

  // r, z = σ(W y + U h + C c + b);  h̃ = tanh(W y + b + r ⊙ (U h + C c))
  next({ W, U, C, b }, y, h, c) {
    const gates = 2 * h.length;
    const read = add(product(W, y), b.data);
    const past = add(product(U, h), product(C, c));
    const scores = add(read.subarray(0, gates), past.subarray(0, gates));
    const [r, z] = chunk(sigmoid(scores), 2);
    const candidate = tanh(add(read.subarray(gates), times(r, past.subarray(gates))));
    return gate(z, h, candidate);
  }
}
