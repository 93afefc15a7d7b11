// Load trained models from the safetensors files that Python reads, too.

import { RNNSearch } from "./bahdanau.js";
import { BPE, joined } from "./bpe.js";
import { beamSearch, greedy, write } from "./decoding.js";
import { RNNEncoderDecoder } from "./encdec.js";
import { fetchFile } from "./fetch.js";
import { GloVe } from "./glove.js";
import { GPT } from "./gpt.js";
import { IBMModel1 } from "./ibm1.js";
import { RecurrentLM } from "./lstm.js";
import { LuongTranslator } from "./luong.js";
import { NgramModel } from "./ngram.js";
import { COPY, StackDecoder } from "./stack_decoder.js";
import { nested, parse } from "./safetensors.js";
import { Seq2Seq } from "./seq2seq.js";
import { read, tokenize } from "./tokens.js";
import { Transformer } from "./transformer.js";
import { END, START, Vocabulary } from "./vocabulary.js";
import { WordVectors } from "./word2vec.js";

const CLASSES = {
  ibm1: IBMModel1,
  encdec: RNNEncoderDecoder,
  seq2seq: Seq2Seq,
  bahdanau: RNNSearch,
  luong: LuongTranslator,
  transformer: Transformer,
  "bpe-bahdanau": RNNSearch,
  "bpe-transformer": Transformer,
  word2vec: WordVectors,
  glove: GloVe,
  gpt: GPT,
  lstm: RecurrentLM,
  ngram: NgramModel,
  stack_decoder: StackDecoder,
};

// What predicts the next word of a text.
export class LanguageModel {
  constructor(name, model, metadata) {
    Object.assign(this, { name, model, metadata });
    this.words = new Vocabulary(metadata.vocabularies.words);
  }

  // The logit of each word, by its id, after these words of a sentence.
  next(words, more) {
    const ids = words.map((word) => this.words.id(word));
    return this.model.next(ids, this.words.entries.length, more);
  }
}

export class Translator {
  constructor(name, model, metadata) {
    Object.assign(this, { name, model, metadata });
    this.source = new Vocabulary(metadata.vocabularies.source);
    this.target = new Vocabulary(metadata.vocabularies.target);
  }

  // A text → {words, unknown}: what the model can read, and what it cannot.
  read(text) {
    return read(text, this.source);
  }

  // What the model reads of these words.
  cut(words) {
    return words;
  }

  // The words of what the model wrote.
  joined(pieces) {
    return pieces;
  }

  // What the model reads or writes, as a map shows it.
  shown(piece) {
    return piece;
  }

  // Source words → the ids of what is read, and that of </s>.
  ids(words) {
    return [...this.cut(words).map((piece) => this.source.id(piece)), END];
  }

  // Where hidden words are in what is read.
  places(words, hidden) {
    return hidden;
  }

  // hidden  places of words from which attention is kept
  options(words, { hidden = [], ...more } = {}) {
    const longest = 2 * this.cut(words).length + 12;
    return { begin: START, end: END, longest, hidden: this.places(words, hidden), ...more };
  }

  // The translation, greedy: {words, weights}, a row of weights for each piece.
  translate(words, more) {
    const { ids, weights } = greedy(this.model, this.ids(words), this.options(words, more));
    return { words: this.joined(ids.map((id) => this.target.entries[id])), weights };
  }

  // The same piece by piece, </s> included: {word, p, weights, …} of each step.
  *write(words, more) {
    for (const step of write(this.model, this.ids(words), this.options(words, more)))
      yield { ...step, word: this.target.entries[step.token] };
  }

  // A beam search step by step: {steps: what each of them kept, {words, logP}; best}.
  search(words, more) {
    const steps = [];
    const named = ({ ids, logP }) => ({ words: ids.map((id) => this.target.entries[id]), logP });
    const watch = (kept) => steps.push(kept.map(named));
    const options = this.options(words, { watch, ...more });
    const [best] = beamSearch(this.model, this.ids(words), options);
    return { steps, best: { ...named(best), score: best.score } };
  }

  // The best sentence of a beam, as `write` gives it.
  *beam(words, size, more) {
    const options = this.options(words, { size, ...more });
    const [{ ids, weights, p, ended }] = beamSearch(this.model, this.ids(words), options);
    for (const [t, id] of [...ids, ...(ended ? [END] : [])].entries())
      yield { word: this.target.entries[id], weights: weights[t], p: p[t] };
  }
}

// Reads and writes pieces of words: any text of known characters.
export class SubwordTranslator extends Translator {
  constructor(...given) {
    super(...given);
    this.bpe = new BPE(this.source.words);
  }

  read(text) {
    const words = tokenize(text);
    return { words, unknown: this.bpe.strange(words.join("")) };
  }

  cut(words) {
    return this.bpe.segment(words);
  }

  places(words, hidden) {
    const of = words.flatMap((word, k) => this.cut([word]).map(() => k)); // of each piece
    return [...of.keys()].filter((i) => hidden.includes(of[i]));
  }

  joined(pieces) {
    return joined(pieces);
  }

  // A hyphen after a piece that does not end its word.
  shown(piece) {
    return piece.endsWith(" ") ? piece.trimEnd() : `${piece}-`;
  }
}

// Whole phrases at once: no probabilities, and no weights but which phrase a word is of.
class PhraseTranslator extends Translator {
  *write(words) {
    const ids = words.map((word) => this.source.id(word));
    for (const { begin, end, target } of this.model.translate(ids)) {
      const weights = [...words, ""].map((_, i) => (i >= begin && i < end ? 1 / (end - begin) : 0));
      for (const id of target) {
        const word = id < 0 ? words[ids.indexOf(COPY - id)] : this.target.entries[id];
        yield { word, weights };
      }
    }
    yield { word: this.target.entries[END] };
  }

  translate(words) {
    const steps = [...this.write(words)].slice(0, -1);
    return { words: steps.map(({ word }) => word), weights: steps.map(({ weights }) => weights) };
  }
}

const kind = ({ name, vocabularies, recipe }) => {
  if (vocabularies.words) return LanguageModel;
  if (name === "stack_decoder") return PhraseTranslator;
  return recipe.data.symbols ? SubwordTranslator : Translator;
};

export const build = async (name, buffer) => {
  const { tensors, metadata } = parse(buffer);
  if (metadata.name !== name) throw new Error(`the file is of ${metadata.name}: expected ${name}`);
  const Model = CLASSES[name] ?? CLASSES[name.split("-")[0]]; // lstm-gru is of lstm.js
  const Kind = kind(metadata);
  return new Kind(name, new Model(nested(tensors), metadata.recipe.model), metadata);
};

const loaded = new Map();

// The model of a file, fetched once: bytes that differ from its checksum are refused.
export const load = (name, { url, integrity }) => {
  if (!loaded.has(url)) {
    const file = fetchFile(`The weights of ${name}`, url, "arrayBuffer", { integrity });
    const model = file.then((buffer) => build(name, buffer));
    model.catch(() => loaded.delete(url)); // a later try may fare better
    loaded.set(url, model);
  }
  return loaded.get(url);
};
