// Decoding, as in decoding.py: search for a likely sentence, whatever model says how
// likely words are. A model has `start(source)` and `step(token, state)`; it changes no
// state that it was given, so that hypotheses may share one.

import { argmax, largest, logSoftmax, softmax } from "./tensor.js";

// What each step of a decoder wrote: {token, p, weights, …}, one word at a time; the last
// is </s>, unless `longest` words came first.
export function* write(model, source, { begin, end, longest, choose = argmax, ...options }) {
  let state = model.start(source, options);
  let token = begin;
  for (let n = 0; n < longest && !(n && token === end); n++) {
    const found = model.step(token, state);
    state = found.state;
    token = choose(found.logits);
    yield { ...found, token, p: softmax(found.logits)[token] };
  }
}

// The mean of ln P of what these steps wrote, the end included.
export const meanLogP = (steps) =>
  steps.reduce((sum, { p }) => sum + Math.log(p), 0) / steps.length;

// The likeliest word at each step: {ids, weights}, without the end.
export const greedy = (model, source, options) => {
  const steps = [...write(model, source, options)];
  if (steps.at(-1)?.token === options.end) steps.pop();
  return { ids: steps.map((step) => step.token), weights: steps.map((step) => step.weights) };
};

// Logits with -∞ for all but the likeliest words: topK of them, or as few as have the
// probability topP together.
export const truncated = (logits, topK = logits.length, topP = 1) => {
  const order = [...logits.keys()].sort((a, b) => logits[b] - logits[a] || a - b);
  const left = order.slice(0, topK);
  const p = softmax(left.map((id) => logits[id]));
  const result = new Float64Array(logits.length).fill(-Infinity);
  let before = 0;
  left.forEach((id, i) => {
    if (topP >= 1 || before < topP) result[id] = logits[id];
    before += p[i];
  });
  return result;
};

// The probabilities of the next word at a temperature; at 0 the likeliest has them all.
export const distribution = (logits, { temperature = 1, topK, topP } = {}) => {
  if (temperature === 0) {
    const best = argmax(logits);
    return Float64Array.from(logits, (_, id) => Number(id === best));
  }
  return softmax(truncated(Float64Array.from(logits, (x) => x / temperature), topK, topP));
};

// Draw a word from probabilities, by a random number from 0 to 1.
export const draw = (p, random) => {
  let sum = 0;
  for (let id = 0; id < p.length; id++) {
    sum += p[id];
    if (random < sum) return id;
  }
  return argmax(p); // rounding left a little over
};

// Words that follow these, one after the other, as in gpt.py: so many, or until the end.
// next  (ids) → the logits of the word that follows;  choose  (logits) → its id
export const sample = (next, ids, choose, end, longest) => {
  const all = [...ids];
  while (longest-- && (all.length === ids.length || all.at(-1) !== end)) all.push(choose(next(all)));
  return all.slice(ids.length);
};

// A choice for `write`: draws, with the random numbers that `random` gives one by one.
export const sampled = (random, how) => (logits) => draw(distribution(logits, how), random());

// lp(y) = (5 + |y|)^α / (5 + 1)^α.   Wu et al. 2016, equation 14; α = 0: none
export const lengthPenalty = (alpha) => (length) => ((5 + length) / 6) ** alpha;

// The best sentences of a search with `size` hypotheses at a time, the best first: each
// {ids, logP, score, ended, weights, p}. `watch` is given the hypotheses that a step keeps.
export const beamSearch = (model, source, options) => {
  const { begin, end, longest, size, penalty = lengthPenalty(0), count = 1, watch } = options;
  const divisors = Array.from({ length: longest }, (_, n) => penalty(n + 1));
  const finished = [];
  let beam = [{ ids: [], logP: 0, state: model.start(source, options) }];
  for (let n = 1; n <= longest && beam.length; n++) {
    const best = extended(model, beam, begin, size);
    watch?.(best);
    beam = [];
    for (const hypothesis of best) {
      const ended = hypothesis.ids.at(-1) === end;
      if (!ended && n < longest) beam.push(hypothesis);
      else finished.push(result(hypothesis, divisors[n - 1], ended));
    }
    if (!beam.length) break;
    // ln P can only fall: what is in the beam may reach this score, and no higher one.
    const bound = Math.max(...beam.map(({ logP }) => logP)) / Math.max(...divisors.slice(n));
    const scores = finished.map(({ score }) => score).sort((a, b) => b - a);
    if (scores.length >= count && !(bound > scores[count - 1])) break;
  }
  const rank = (a, b) => Number(b.ended) - Number(a.ended) || b.score - a.score;
  return finished.sort(rank).slice(0, count);
};

const result = ({ ids, logP, weights, p }, divisor, ended) => ({
  ids: ended ? ids.slice(0, -1) : ids, logP, score: logP / divisor, ended, weights, p,
});

// The `size` best of all ways to go on with a hypothesis of the beam.
const extended = (model, beam, begin, size) => {
  const ways = beam.flatMap((parent) => {
    const { logits, state, weights } = model.step(parent.ids.at(-1) ?? begin, parent.state);
    const logP = logSoftmax(logits);
    return largest(logP, size).map((id) => ({
      parent, id, state, weights, p: Math.exp(logP[id]), logP: parent.logP + logP[id],
    }));
  });
  ways.sort((a, b) => b.logP - a.logP);
  return ways.slice(0, size).map(({ parent, id, state, weights, p, logP }) => ({
    ids: [...parent.ids, id],
    weights: [...(parent.weights ?? []), weights],
    p: [...(parent.p ?? []), p],
    logP, state,
  }));
};

export const STOP = "</s>"; // the end as it is written

// The tree of a search, a list of nodes for each step: {words, logP, score, ended, parent},
// the likeliest first; steps: what each kept, {words, logP}.
export const grow = (steps, penalty) => {
  let before = new Map();
  return steps.map((kept, n) => {
    const column = kept.map(({ words, logP }, rank) => {
      const parent = before.get(words.slice(0, -1).join(" "));
      const ended = words.at(-1) === STOP;
      return { words, logP, ended, parent, rank, n, score: logP / penalty(n + 1) };
    });
    before = new Map(column.map((node) => [node.words.join(" "), node]));
    return column;
  });
};
