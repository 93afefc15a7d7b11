// Translation by phrases with a stack decoder, Koehn 2004, as in stack_decoder.py.

import { NgramModel } from "./ngram.js";
import { END, START } from "./vocabulary.js";

const NEVER = -16; // log P of a word that the language model has never met
const NONE = -1; // fills rows of ids
export const COPY = -1; // COPY - id stands in a translation for the source word id

// The n-gram model of what is written; a state is the last words, as far as they matter.
class LanguageModel {
  constructor(counts, order) {
    this.model = new NgramModel(counts, { order, smoothing: "Kneser–Ney" });
    this.start = Array(order - 1).fill(START);
    this.cache = new Map();
  }

  step(state, word) {
    const key = `${state}|${word}`;
    if (!this.cache.has(key)) {
      const { order, total } = this.model;
      let after = [...state, word].slice(1 - order);
      while (after.length && !total.has(after.join())) after = after.slice(1);
      const p = word < 0 ? NEVER : Math.log(this.model.probability([...state, word]));
      this.cache.set(key, [p, after]);
    }
    return this.cache.get(key);
  }

  read(state, words) {
    let sum = 0;
    for (const word of words) {
      const [p, after] = this.step(state, word);
      sum += p;
      state = after;
    }
    return [sum, state];
  }
}

// Hypotheses that cover equally many words; what is below the best `beam` is dropped.
class Stack extends Map {
  constructor(beam) {
    super();
    this.best = Array(beam).fill(-Infinity); // the best totals, the lowest first
  }

  put(key, made, score, rest, arc) {
    const found = this.get(key);
    const total = score + rest;
    if (!found) {
      if (total <= this.best[0]) return;
      this.best[0] = total;
      this.best.sort((a, b) => a - b);
      this.set(key, { ...made, score, total, arc });
    } else if (score > found.score) Object.assign(found, { score, total, arc });
  }

  survivors() {
    return [...this.values()].sort((a, b) => b.total - a.total).slice(0, this.best.length);
  }
}

export class StackDecoder {
  constructor({ source, target, scores, weights, language }, config) {
    const [phi, lex, phiBack, lexBack, lm, jump, perWord, perPhrase] = weights.data;
    Object.assign(this, { lm, jump, perWord, perPhrase, lambdas: [phi, lex, phiBack, lexBack] });
    Object.assign(this, { beam: config.beam, limit: config.distortion_limit, tried: 20 });
    this.longest = config.max_length;
    this.language = new LanguageModel(language, config.order);
    this.rows = new Map(); // source ids → its translations, the likeliest first
    const row = ({ data }, n) =>
      [...data.subarray(n * this.longest, (n + 1) * this.longest)].filter((id) => id !== NONE);
    for (let n = 0; n < scores.shape[0]; n++) {
      const key = row(source, n).join();
      if (!this.rows.has(key)) this.rows.set(key, []);
      const each = scores.data.subarray(4 * n, 4 * n + 4);
      this.rows.get(key).push(this.choice(row(target, n), each));
    }
    this.picked = new Map();
  }

  choice(target, scores) {
    let score = this.perWord * target.length + this.perPhrase;
    scores.forEach((each, k) => (score += this.lambdas[k] * each));
    const estimate = score + this.lm * this.language.read([], target)[0];
    return { target, score, estimate };
  }

  // The best translations of a phrase by themselves; an unknown word is copied.
  choices(ids) {
    const key = ids.join();
    if (!this.picked.has(key)) {
      let some = this.rows.get(key) ?? [];
      if (!some.length && ids.length === 1) some = [this.choice([COPY - ids[0]], [])];
      const ordered = [...some].sort((a, b) => b.estimate - a.estimate);
      this.picked.set(key, ordered.slice(0, this.tried));
    }
    return this.picked.get(key);
  }

  // Source ids → the best translation: [{begin, end, target}], as it was written.
  translate(ids) {
    const S = ids.length;
    const bits = (i, j) => (1n << BigInt(j)) - (1n << BigInt(i));
    const spans = ids.map((_, i) => {
      const row = [];
      for (let j = i + 1; j <= Math.min(S, i + this.longest); j++) {
        const choices = this.choices(ids.slice(i, j));
        if (choices.length) row.push({ end: j, bits: bits(i, j), choices });
      }
      return row;
    });
    const rest = this.rest(spans);
    const stacks = Array.from({ length: S + 1 }, () => new Stack(this.beam));
    const begin = { covered: 0n, words: 0, state: this.language.start, at: 0 };
    stacks[0].put("", begin, 0, rest(0n), null);
    for (const stack of stacks.slice(0, -1))
      for (const each of stack.survivors()) this.expand(each, spans, rest, stacks);
    return this.best(stacks[S]);
  }

  expand(before, spans, rest, stacks) {
    const { covered, at } = before;
    let gap = 0; // the first word that is left out
    while ((covered >> BigInt(gap)) & 1n) gap++;
    const last = Math.min(spans.length, at + this.limit + 1);
    for (let start = Math.max(gap, at - this.limit); start < last; start++) {
      const base = before.score - this.jump * Math.abs(start - at);
      for (const { end, bits, choices } of spans[start]) {
        if (covered & bits || (start > gap && end - gap > this.limit)) break;
        const now = covered | bits;
        const words = before.words + end - start;
        const [stack, future] = [stacks[words], rest(now)];
        const least = this.lm < 0 ? -Infinity : stack.best[0] - base - future;
        for (const choice of choices) {
          if (choice.score < least) continue;
          const [p, state] = this.language.read(before.state, choice.target);
          const score = base + choice.score + this.lm * p;
          const made = { covered: now, words, state, at: end };
          stack.put(`${now}|${state}|${end}`, made, score, future, { before, choice, start });
        }
      }
    }
  }

  // covered → the future cost of all words that are not, by the best cut of each gap.
  rest(spans) {
    const S = spans.length;
    const future = Array.from({ length: S + 1 }, () => Array(S + 1).fill(-Infinity));
    for (let i = 0; i <= S; i++) future[i][i] = 0;
    spans.forEach((row, i) => row.forEach(({ end, choices }) => (future[i][end] = choices[0].estimate)));
    for (let length = 2; length <= S; length++)
      for (let i = 0; i + length <= S; i++)
        for (let k = i + 1; k < i + length; k++)
          future[i][i + length] = Math.max(future[i][i + length], future[i][k] + future[k][i + length]);
    const known = new Map();
    return (covered) => {
      if (known.has(covered)) return known.get(covered);
      let sum = 0;
      for (let i = 0; i < S; i++) {
        let j = i;
        while (j < S && !((covered >> BigInt(j)) & 1n)) j++;
        if (j > i) sum += future[i][j];
        i = j;
      }
      known.set(covered, sum);
      return sum;
    };
  }

  best(stack) {
    const whole = ({ score, state }) => score + this.lm * this.language.step(state, END)[0];
    let [found] = [...stack.values()].sort((a, b) => whole(b) - whole(a));
    this.score = whole(found);
    const phrases = [];
    for (; found.arc; found = found.arc.before)
      phrases.unshift({ begin: found.arc.start, end: found.at, target: found.arc.choice.target });
    return phrases;
  }
}
