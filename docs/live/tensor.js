// What the models compute with: vectors are Float64Array, matrices {shape, data}, row by
// row. One sentence at a time: there is no batch and no padding; a mask is a list of hidden
// places. Copies are made by `new`: Float64Array.from and `...` take the numbers one by one,
// many times as slowly.

// W x, W (rows, columns)
export const product = ({ shape: [rows, columns], data }, x) => {
  if (x.length !== columns) throw new Error(`W has ${columns} columns, x ${x.length} numbers`);
  const y = new Float64Array(rows);
  for (let i = 0, k = 0; i < rows; i++) {
    let sum = 0;
    for (let j = 0; j < columns; j++, k++) sum += data[k] * x[j];
    y[i] = sum;
  }
  return y;
};

// W x + b, of torch's nn.Linear; one without bias has none.
export const linear = ({ weight, bias }, x) => {
  const y = product(weight, x);
  return bias ? add(y, bias.data) : y;
};

// Some rows of a matrix, which share its numbers.
export const rows = ({ shape: [, columns], data }, from, to) => ({
  shape: [to - from, columns],
  data: data.subarray(from * columns, to * columns),
});

// The vector of a word.
export const row = ({ shape: [, columns], data }, i) =>
  new Float64Array(data.subarray(i * columns, (i + 1) * columns));

export const map = (f, x, y, z) => x.map((number, i) => f(number, y[i], z[i]));

export const add = (x, ...others) => {
  const y = new Float64Array(x);
  for (const other of others) for (let i = 0; i < y.length; i++) y[i] += other[i];
  return y;
};

export const times = (x, y) => x.map((number, i) => number * y[i]);
export const tanh = (x) => x.map(Math.tanh);
export const sigmoid = (x) => x.map((number) => 1 / (1 + Math.exp(-number)));

export const dot = (x, y) => {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i] * y[i];
  return sum;
};

export const concat = (...parts) => {
  const whole = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
};

// Equal parts of a vector.
export const chunk = (x, parts) => {
  const size = x.length / parts;
  return Array.from({ length: parts }, (_, i) => x.subarray(i * size, (i + 1) * size));
};

// The largest score is subtracted, or exp might be infinite.
export const softmax = (scores) => {
  const most = scores[argmax(scores)];
  const e = new Float64Array(scores).map((score) => Math.exp(score - most));
  const sum = e.reduce((a, b) => a + b, 0);
  return e.map((number) => number / sum);
};

// Scores with -∞ in hidden places: their weights are exactly 0, the others share the rest.
export const masked = (scores, hidden) =>
  hidden.length ? scores.map((score, j) => (hidden.includes(j) ? -Infinity : score)) : scores;

export const logSoftmax = (scores) => {
  const most = scores[argmax(scores)];
  const sum = scores.reduce((total, score) => total + Math.exp(score - most), 0);
  const rest = Math.log(sum);
  return scores.map((score) => score - most - rest);
};

// Σ_j weights_j vectors_j
export const mix = (weights, vectors) => {
  const sum = new Float64Array(vectors[0].length);
  vectors.forEach((vector, j) => {
    for (let i = 0; i < sum.length; i++) sum[i] += weights[j] * vector[i];
  });
  return sum;
};

// The mean of some vectors.
export const mean = (vectors) => mix(vectors.map(() => 1 / vectors.length), vectors);

// The places of the largest numbers, the largest first.
export const largest = (x, many) =>
  [...x.keys()].sort((a, b) => x[b] - x[a]).slice(0, many);

export const argmax = (x) => x.reduce((best, number, i) => (number > x[best] ? i : best), 0);
