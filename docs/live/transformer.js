// The Transformer of Vaswani et al. 2017, post-norm or pre-norm, as in transformer.py and
// the modules it is made of. A new word costs the work of one position: keys and values of the prefix are kept.

import { add, chunk, concat, dot, linear, map, masked, mean, mix, row, softmax } from "./tensor.js";

const EPS = 1e-5;

// g ⊙ (x - μ) / √(σ² + ε) + b, σ² divided by the number of features
export const layerNorm = ({ g, b }, x) => {
  const mean = x.reduce((sum, number) => sum + number, 0) / x.length;
  const centred = x.map((number) => number - mean);
  const variance = dot(centred, centred) / x.length;
  const scale = 1 / Math.sqrt(variance + EPS);
  return map((number, g, b) => number * scale * g + b, centred, g.data, b.data);
};

const relu = (x) => Math.max(0, x);

export const feedForward = ({ W_1, W_2 }, x, f = relu) => linear(W_2, linear(W_1, x).map(f));

// Sines and cosines.
export const sinusoidal = (position, d_model) =>
  new Float64Array(d_model).map((_, k) => {
    const i = Math.floor(k / 2);
    const angle = position * Math.exp((-Math.log(10000) * 2 * i) / d_model);
    return k % 2 ? Math.cos(angle) : Math.sin(angle);
  });

export class Transformer {
  hides = true; // may words be hidden from it?

  constructor(weights, config) {
    Object.assign(this, weights);
    this.h = config.h;
    this.normFirst = config.norm_first;
    this.e_source ??= this.e_target; // one table for both languages is stored once
    this.below = Object.values(this.encoder.layers);
    this.above = Object.values(this.decoder.layers);
  }

  embed(table, id, position) {
    const d_model = table.shape[1];
    const scaled = row(table, id).map((number) => number * Math.sqrt(d_model));
    return add(scaled, sinusoidal(position, d_model));
  }

  // Keys and values of some positions, each cut into those of the heads; and which hide.
  project({ W_K, W_V }, memory, hidden = []) {
    const heads = (W) => memory.map((x) => chunk(linear(W, x), this.h));
    return { K: heads(W_K), V: heads(W_V), hidden };
  }

  // softmax(q Kᵀ / √d_k) V of one position, in each head; heads in `off` give zeros.
  attend({ W_Q, W_O }, x, { K, V, hidden }, off) {
    const weights = [];
    const outputs = chunk(linear(W_Q, x), this.h).map((query, head) => {
      const scores = K.map((k) => dot(query, k[head]) / Math.sqrt(query.length));
      weights.push(softmax(masked(scores, hidden)));
      const output = mix(weights[head], V.map((v) => v[head]));
      return off(head) ? output.fill(0) : output;
    });
    return { y: linear(W_O, concat(...outputs)), weights };
  }

  // off  heads that are switched off, "cross 1 2": its kind, its layer, its number, from 0.
  //      The kinds: encoder, self (masked self-attention of the target), cross
  // hidden  places of the source that get no weight, from the encoder neither
  start(source, { off = [], hidden = [] } = {}) {
    const heads = [];
    let x = source.map((id, t) => this.embed(this.e_source.table, id, t));
    this.below.forEach((layer, l) => {
      const read = x.map((one) => this.read(layer.norm_self_attention, one));
      const cache = this.project(layer.self_attention, read, hidden);
      const is = (head) => off.includes(`encoder ${l} ${head}`);
      const all = read.map((one) => this.attend(layer.self_attention, one, cache, is));
      heads.push(all[0].weights.map((_, head) => all.map(({ weights }) => weights[head])));
      const sum = (one, t) => this.sum(layer.norm_self_attention, one, all[t].y);
      x = x.map((one, t) => this.feed(layer, sum(one, t)));
    });
    if (this.normFirst) x = x.map((one) => layerNorm(this.encoder.norm, one));
    const memory = this.above.map((layer) => this.project(layer.cross_attention, x, hidden));
    return { memory, past: this.above.map(() => ({ K: [], V: [] })), off, heads };
  }

  // What a sublayer reads of x, and what is made of x and its output y.
  read(norm, x) {
    return this.normFirst ? layerNorm(norm, x) : x;
  }

  sum(norm, x, y) {
    return this.normFirst ? add(x, y) : layerNorm(norm, add(x, y));
  }

  feed({ norm_feed_forward, feed_forward }, x) {
    const y = feedForward(feed_forward, this.read(norm_feed_forward, x));
    return this.sum(norm_feed_forward, x, y);
  }

  step(token, { memory, past, off, heads }) {
    let x = this.embed(this.e_target.table, token, past[0].K.length);
    const self = [];
    const cross = [];
    const after = this.above.map((layer, l) => {
      const last = this.read(layer.norm_self_attention, x);
      const own = this.project(layer.self_attention, [last]);
      const cache = { K: [...past[l].K, ...own.K], V: [...past[l].V, ...own.V], hidden: [] };
      const is = (kind) => (head) => off.includes(`${kind} ${l} ${head}`);
      const target = this.attend(layer.self_attention, last, cache, is("self"));
      x = this.sum(layer.norm_self_attention, x, target.y);
      const query = this.read(layer.norm_cross_attention, x);
      const source = this.attend(layer.cross_attention, query, memory[l], is("cross"));
      x = this.feed(layer, this.sum(layer.norm_cross_attention, x, source.y));
      self.push(target.weights);
      cross.push(source.weights);
      return cache;
    });
    if (this.normFirst) x = layerNorm(this.decoder.norm, x);
    // What is shown as the model's weights: the mean of the last layer's heads.
    const weights = mean(cross.at(-1));
    const state = { memory, past: after, off, heads };
    return { logits: linear({ weight: this.e_target.table }, x), weights, self, cross, state };
  }
}
