// Byte-pair encoding, as in bpe.py and recipes/bpe.py: the symbols of words. A symbol that
// ends a word ends with a space.

const SPACE = " ";
const UNKNOWN = "<unk>";
const key = (left, right) => `${left}\n${right}`; // no symbol holds a line's end

export class BPE {
  // symbols  single characters, and one for each merge, in the order of learning: the
  //          merges before a symbol cut it in two, and these two were merged
  constructor(symbols) {
    this.alphabet = new Set(symbols.filter((symbol) => [...symbol].length === 1));
    this.ranks = new Map(); // pair of symbols → the earlier it was learned, the lower
    for (const symbol of symbols) {
      if (this.alphabet.has(symbol)) continue;
      const pair = this.cut(symbol);
      if (pair.length !== 2) throw new Error(`“${symbol}” is no merge of two symbols before it`);
      this.ranks.set(key(...pair), this.ranks.size);
    }
  }

  // A word's characters, merged in the order of learning; one that train lacks is <unk>.
  cut(word) {
    let symbols = [...word].map((c) => (this.alphabet.has(c) ? c : UNKNOWN));
    for (;;) {
      const pairs = symbols.slice(1).map((right, i) => key(symbols[i], right));
      const ranks = pairs.map((pair) => this.ranks.get(pair) ?? Infinity);
      const first = Math.min(...ranks);
      if (first === Infinity) return symbols;
      symbols = merged(symbols, pairs[ranks.indexOf(first)]);
    }
  }

  // The symbols of words.
  segment(words) {
    return words.flatMap((word) => this.cut(word + SPACE));
  }

  // The characters of a text that are none of the alphabet, each once.
  strange(text) {
    return [...new Set(text)].filter((c) => !this.alphabet.has(c));
  }
}

// The symbols with one for each pair; where pairs overlap, for the first.
const merged = (symbols, pair) => {
  const out = [];
  for (const symbol of symbols)
    if (out.length && key(out.at(-1), symbol) === pair) out.push(out.pop() + symbol);
    else out.push(symbol);
  return out;
};

// The words of symbols.
export const joined = (symbols) => symbols.join("").split(SPACE).filter(Boolean);
