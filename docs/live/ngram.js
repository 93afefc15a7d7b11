// n-grams with Kneser–Ney smoothing, as in ngram.py: counts of what follows what.

import { START } from "./vocabulary.js";

export class NgramModel {
  constructor({ grams, counts, discounts }, { order, smoothing }) {
    if (smoothing !== "Kneser–Ney")
      throw new Error(`smoothing is ${smoothing}: expected Kneser–Ney`);
    Object.assign(this, { order, discounts, count: new Map(), total: new Map(), freed: new Map() });
    for (let n = 1; n <= order; n++)
      counts[n].data.forEach((c, i) => {
        const gram = grams[n].data.subarray(i * n, (i + 1) * n);
        const h = gram.subarray(0, -1).join();
        this.count.set(gram.join(), c);
        this.total.set(h, (this.total.get(h) ?? 0) + c);
        this.freed.set(h, (this.freed.get(h) ?? 0) + discounts[n].data[Math.min(c, 3)]);
      });
    this.vocab = [...grams[1].data].sort((a, b) => a - b);
  }

  // P(w | h) = (c(h w) - D(c(h w)) + freed(h) P(w | h')) / c(h),  h' = h less its first word
  probability(gram) {
    const n = gram.length;
    const lower = n === 1 ? 1 / this.vocab.length : this.probability(gram.slice(1));
    const h = gram.slice(0, -1).join();
    const total = this.total.get(h);
    if (!total) return lower;
    const c = this.count.get(gram.join()) ?? 0;
    const discounted = c - this.discounts[n].data[Math.min(c, 3)];
    return (discounted + this.freed.get(h) * lower) / total;
  }

  // The logarithm of each word's probability after these ids; -∞ for what is no word.
  next(ids, V) {
    const context = [...Array(this.order - 1).fill(START), ...ids].slice(1 - this.order);
    const log = new Float64Array(V).fill(-Infinity);
    for (const w of this.vocab) log[w] = Math.log(this.probability([...context, w]));
    return log;
  }
}
