// IBM Model 1, Brown et al. 1993, as in ibm1.py: a table t(f | e). It translates word by
// word, each by its likeliest translation, since it knows nothing of order.

import { END } from "./vocabulary.js";

const EMPTY = 0; // the id of the empty word

export class IBMModel1 {
  constructor({ words, t }) {
    this.table = new Map(); // e → f → t(f | e)
    for (let i = 0; i < t.data.length; i++) {
      const [e, f] = words.data.subarray(2 * i, 2 * i + 2);
      if (!this.table.has(e)) this.table.set(e, new Map());
      this.table.get(e).set(f, t.data[i]);
      this.V = Math.max(this.V ?? 0, f + 1);
    }
  }

  t(f, e) {
    return this.table.get(e)?.get(f) ?? 0;
  }

  start(source) {
    return { source, j: 0 };
  }

  // ln t(f | e_j), and the posterior of the likeliest f: P(a_j = i | f, e), the empty
  // word's share left out.
  step(_, { source, j }) {
    const logits = new Float64Array(this.V).fill(-Infinity);
    if (source[j] === END) logits[END] = 0;
    else for (const [f, t] of this.table.get(source[j])) logits[f] = Math.log(t);
    const f = logits.indexOf(Math.max(...logits));
    const t = source.map((e) => this.t(f, e));
    const sum = t.reduce((a, b) => a + b, this.t(f, EMPTY));
    return { logits, weights: t.map((p) => p / (sum || 1)), state: { source, j: j + 1 } };
  }
}
