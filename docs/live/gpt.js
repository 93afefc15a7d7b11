// GPT, as in gpt.py: the decoder alone, which predicts each word from all before it. A new
// word costs the work of one position: keys and values of the prefix are kept.

import { add, chunk, concat, dot, linear, logSoftmax, masked, mean, mix, row, softmax } from "./tensor.js";
import { feedForward, layerNorm } from "./transformer.js";
import { START } from "./vocabulary.js";

// ½ x (1 + tanh(√(2/π) (x + 0.044715 x³)))
const gelu = (x) => (x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)))) / 2;

export class GPT {
  constructor({ e, p, blocks, norm }, { h, norm_first }) {
    if (!norm_first) throw new Error("expected pre-norm, as of GPT-2");
    Object.assign(this, { e: e.weight, p: p.table, blocks: Object.values(blocks), norm, h });
    this.trail = []; // the words of the last prefix: {id, logits, weights, past}
    this.kept = ""; // what was hidden and switched off when it was read
  }

  start() {
    return this.blocks.map(() => ({ K: [], V: [] }));
  }

  // One more word: {logits, weights, past}; weights of each block and head, over the prefix.
  // hidden  positions that get no weight;  off  heads that give zeros, "self 1 2"
  step(id, past, { hidden = [], off = [] } = {}) {
    let x = add(row(this.e, id), row(this.p, past[0].K.length));
    const weights = [];
    const after = this.blocks.map((block, l) => {
      const z = layerNorm(block.norm_attention, x);
      const heads = (W) => chunk(linear(W, z), this.h);
      const { W_Q, W_K, W_V, W_O } = block.attention;
      const [K, V] = [[...past[l].K, heads(W_K)], [...past[l].V, heads(W_V)]];
      const each = heads(W_Q).map((q, head) =>
        softmax(masked(K.map((k) => dot(q, k[head]) / Math.sqrt(q.length)), hidden)));
      const y = each.map((weight, head) => mix(weight, V.map((v) => v[head])));
      y.forEach((output, head) => off.includes(`self ${l} ${head}`) && output.fill(0));
      x = add(x, linear(W_O, concat(...y)));
      x = add(x, feedForward(block.feed_forward, layerNorm(block.norm_feed_forward, x), gelu));
      weights.push(each);
      return { K, V };
    });
    return { logits: linear({ weight: this.e }, layerNorm(this.norm, x)), weights, past: after };
  }

  // The logarithm of each word's probability after these ids. What is known of a prefix from
  // the call before is not computed again; a text that is too long loses its first words.
  // hidden  places of ids that get no weight
  next(ids, V, { hidden = [], off = [] } = {}) {
    const cut = Math.max(0, ids.length + 1 - this.p.shape[0]);
    const all = [START, ...ids.slice(cut)];
    const kept = { hidden: hidden.map((k) => k + 1 - cut).filter((t) => t > 0), off };
    if (this.kept !== JSON.stringify(kept)) this.trail.length = 0;
    this.kept = JSON.stringify(kept);
    const same = all.findIndex((id, t) => this.trail[t]?.id !== id);
    this.trail.length = same < 0 ? all.length : same;
    for (const id of all.slice(this.trail.length))
      this.trail.push({ id, ...this.step(id, this.trail.at(-1)?.past ?? this.start(), kept) });
    return logSoftmax(this.trail.at(-1).logits);
  }

  // What each word of that text attends to, <s> first: in one head of a block, both counted
  // from 0; without them the mean of the last block's heads.
  attention(block, head) {
    return this.trail.map(({ weights }) => weights[block]?.[head] ?? mean(weights.at(-1)));
  }
}
