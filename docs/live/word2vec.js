// Words by their vectors, as in nplm.py and word2vec.py: neighbours, analogies, and the
// plane in which some words differ most. All vectors are taken at length 1.

import { add, dot, mean, row } from "./tensor.js";

const scaled = (x, by) => x.map((number) => number * by);
const minus = (x, y) => add(x, scaled(y, -1));
const unit = (x) => scaled(x, 1 / Math.sqrt(dot(x, x)));

export class WordVectors {
  constructor({ v }) {
    this.table = v; // (V, m)
  }
}

export class Space {
  // words  V of them; row i of the table is the vector of words[i]
  constructor(words, table) {
    this.words = words;
    this.vectors = new Map(words.map((word, i) => [word, unit(row(table, i))]));
  }

  has(word) {
    return this.vectors.has(word);
  }

  vector(word) {
    return this.vectors.get(word);
  }

  // All words as [word, cosine of its angle to x], the nearest first.
  near(x) {
    const goal = unit(x);
    const all = this.words.map((word) => [word, dot(this.vector(word), goal)]);
    return all.sort(([, a], [, b]) => b - a);
  }

  // a is to b as c is to what?   v_b - v_a + v_c
  goal(a, b, c) {
    return add(minus(this.vector(b), this.vector(a)), this.vector(c));
  }
}

// The two directions in which vectors differ most: {points, shares, project}, each vector's
// coordinates, their shares of all variance, and the coordinates of any vector. Pairs of
// rows are turned (Jacobi's rotations) until all are at right angles; the longest remain.
export const principalComponents = (vectors) => {
  const middle = mean(vectors);
  const rows = vectors.map((x) => minus(x, middle));
  for (let sweep = 0; sweep < 12; sweep++)
    for (let q = 1; q < rows.length; q++)
      for (let p = 0; p < q; p++) turn(rows, p, q);
  const squares = (x) => dot(x, x);
  rows.sort((x, y) => squares(y) - squares(x));
  const all = rows.reduce((sum, x) => sum + squares(x), 0);
  const axes = rows.slice(0, 2).map(unit);
  const project = (x) => axes.map((axis) => dot(minus(x, middle), axis));
  axes.forEach((axis, k) => {
    const along = vectors.map((x) => project(x)[k]);
    if (Math.max(...along) < -Math.min(...along)) axes[k] = scaled(axis, -1);
  });
  const shares = rows.slice(0, 2).map((x) => squares(x) / all);
  return { points: vectors.map(project), shares, project };
};

const turn = (rows, p, q) => {
  const [x, y] = [rows[p], rows[q]];
  const product = dot(x, y);
  if (Math.abs(product) < 1e-30) return;
  const zeta = (dot(y, y) - dot(x, x)) / (2 * product);
  const t = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.hypot(1, zeta));
  const c = 1 / Math.hypot(1, t);
  rows[p] = minus(scaled(x, c), scaled(y, c * t));
  rows[q] = add(scaled(x, c * t), scaled(y, c));
};
