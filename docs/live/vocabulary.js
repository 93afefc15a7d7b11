// A vocabulary, as in vocabulary.py: the words of the training set, and the id of each.

const FORMAT = "lookback vocabulary 1";
export const [PAD, UNK, START, END] = [0, 1, 2, 3];

export class Vocabulary {
  constructor(text) {
    const { format, specials, words } = JSON.parse(text);
    if (format !== FORMAT) throw new Error(`not a vocabulary: it does not say ${FORMAT}`);
    Object.assign(this, { specials, entries: words });
    this.index = new Map(words.map((word, id) => [word, id]));
    this.words = words.slice(specials.length);
  }

  has(word) {
    return this.index.get(word) >= this.specials.length;
  }

  id(word) {
    return this.index.get(word) ?? UNK;
  }
}
