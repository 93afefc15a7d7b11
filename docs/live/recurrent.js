// Cells of recurrent networks, as in recurrent.py and lstm.py. A cell is its weights:
// W reads the input, U the hidden state, b is added; a block of n rows for each gate. What
// the gates are is put into `gates`, for whoever wants to see them.

import { add, chunk, map, product, rows, sigmoid, tanh, times } from "./tensor.js";

export const zeros = (cell) => new Float64Array(cell.U.shape[1]);

// z ⊙ h + (1 - z) ⊙ h̃: a gate z between the old state and a new one.
export const gate = (z, h, candidate) => map((z, h, c) => z * h + (1 - z) * c, z, h, candidate);

// r, z = σ(W x + U h + b);  h̃ = tanh(W x + U (r ⊙ h) + b);  h = z ⊙ h + (1 - z) ⊙ h̃
export const gru = ({ W, U, b }, x, h, gates = {}) => {
  const n = h.length;
  const read = add(product(W, x), b.data);
  const scores = add(read.subarray(0, 2 * n), product(rows(U, 0, 2 * n), h));
  const [r, z] = chunk(sigmoid(scores), 2);
  Object.assign(gates, { r, z });
  const past = product(rows(U, 2 * n, 3 * n), times(r, h));
  return gate(z, h, tanh(add(read.subarray(2 * n), past)));
};

// i, f, o = σ(…), g = tanh(…), each of W x + U h + b;  c = f ⊙ c + i ⊙ g;  h = o ⊙ tanh c
export const lstm = ({ W, U, b }, x, [h, c], gates = {}) => {
  const parts = chunk(add(product(W, x), b.data, product(U, h)), 4);
  const [i, f, , o] = parts.map(sigmoid);
  Object.assign(gates, { i, f, o });
  const cell = add(times(f, c), times(i, tanh(parts[2])));
  return [times(o, tanh(cell)), cell];
};

// The states of a cell that reads T vectors, one after another.
export const unroll = (step, cell, xs, state) =>
  xs.map((x) => {
    state = step(cell, x, state);
    return state;
  });
