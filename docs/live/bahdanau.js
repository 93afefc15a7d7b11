// RNNsearch, Bahdanau et al. 2014, as in bahdanau.py: before each word the decoder weighs
// all words of the source.

import { maxout } from "./encdec.js";
import { gru, unroll, zeros } from "./recurrent.js";
import { add, concat, linear, masked, mix, row, softmax, tanh } from "./tensor.js";

export class RNNSearch {
  hides = true; // may words be hidden from it?

  constructor({ encoder, decoder }) {
    Object.assign(this, { encoder, decoder });
  }

  // The annotations h_j = [→h_j ; ←h_j], their keys U h_j, and s_0 = tanh(W_s ←h_1).
  // hidden  places of the source that get no weight; the encoder reads them all the same
  start(source, { hidden = [] } = {}) {
    const { e, forwards, backwards } = this.encoder;
    const x = source.map((id) => row(e.weight, id));
    const ahead = unroll(gru, forwards, x, zeros(forwards));
    const back = unroll(gru, backwards, [...x].reverse(), zeros(backwards)).reverse();
    const annotations = ahead.map((h, j) => concat(h, back[j]));
    const keys = annotations.map((h) => linear(this.decoder.attention.U, h));
    return { s: tanh(linear(this.decoder.W_s, back[0])), annotations, keys, hidden };
  }

  // e_j = vᵀ tanh(W s + U h_j); no vector of tanh is made for each word of the source
  scores(s, keys) {
    const { W, v } = this.decoder.attention;
    const query = linear(W, s);
    const score = (key) =>
      v.data.reduce((sum, v_k, k) => sum + v_k * Math.tanh(query[k] + key[k]), 0);
    return keys.map(score);
  }

  step(token, { s: before, annotations, keys, hidden }) {
    const { e, cell, U_o, V_o, C_o, W_o } = this.decoder;
    const y = row(e.weight, token);
    const scores = this.scores(before, keys);
    const weights = softmax(masked(scores, hidden)); // α_i
    const context = mix(weights, annotations); // c_i = Σ_j α_ij h_j
    const s = gru(cell, concat(y, context), before); // s_i = f(y_{i-1}, c_i, s_{i-1})
    const t = maxout(add(linear(U_o, s), linear(V_o, y), linear(C_o, context)));
    const state = { s, annotations, keys, hidden };
    return { logits: linear(W_o, t), weights, scores, context, state };
  }
}
