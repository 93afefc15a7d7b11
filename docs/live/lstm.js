// Recurrent language models with gates, as in recurrent.py and lstm.py: what each gate of
// each unit is, word by word.

import { linear, logSoftmax, row } from "./tensor.js";
import { gru, lstm, zeros } from "./recurrent.js";
import { START } from "./vocabulary.js";

const CELLS = {
  lstm: {
    begin: (cell) => [zeros(cell), zeros(cell)],
    step: lstm,
    hidden: ([h]) => h,
  },
  gru: { begin: zeros, step: gru, hidden: (h) => h },
};

export class RecurrentLM {
  constructor({ C, cell, out }, config) {
    if (!CELLS[config.cell]) throw new Error(`cell is ${config.cell}: expected lstm or gru`);
    Object.assign(this, { C: C.weight, cell, out, kind: CELLS[config.cell] });
  }

  // <s> and these words, one after the other: {id, gates, h, logits} of each. gates: name →
  // a number from 0 to 1 for each unit.
  *read(ids) {
    let state = this.kind.begin(this.cell);
    for (const id of [START, ...ids]) {
      const gates = {};
      state = this.kind.step(this.cell, row(this.C, id), state, gates);
      const h = this.kind.hidden(state);
      yield { id, gates, h, logits: linear(this.out, h) };
    }
  }

  // The logarithm of each word's probability after these ids.
  next(ids) {
    return logSoftmax([...this.read(ids)].at(-1).logits);
  }
}
