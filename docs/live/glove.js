// GloVe's vectors, as in glove.py: w and w̃ of a word, one after the other.

import { concat, row } from "./tensor.js";

export class GloVe {
  constructor({ w, w_tilde }) {
    const [V, m] = w.shape;
    const rows = Array.from({ length: V }, (_, i) => concat(row(w, i), row(w_tilde, i)));
    this.table = { shape: [V, 2 * m], data: concat(...rows) };
  }
}
