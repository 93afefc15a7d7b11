// Load trained models from the safetensors files that Python reads, too.

import { RNNSearch } from "./bahdanau.js";
import { beamSearch, greedy, write } from "./decoding.js";
import { RNNEncoderDecoder } from "./encdec.js";
import { GloVe } from "./glove.js";
import { GPT } from "./gpt.js";
import { IBMModel1 } from "./ibm1.js";
import { RecurrentLM } from "./lstm.js";
import { LuongTranslator } from "./luong.js";
import { NgramModel } from "./ngram.js";
import { COPY, StackDecoder } from "./phrases.js";
import { nested, parse } from "./safetensors.js";
import { Seq2Seq } from "./seq2seq.js";
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
  word2vec: WordVectors,
  glove: GloVe,
  gpt: GPT,
  lstm: RecurrentLM,
  ngram: NgramModel,
  phrases: StackDecoder,
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

  // Source words → their ids and that of </s>.
  ids(words) {
    return [...words.map((word) => this.source.id(word)), END];
  }

  options(words, more = {}) {
    return { begin: START, end: END, longest: 2 * words.length + 12, ...more };
  }

  // The translation, greedy: {words, weights}, a row of weights for each word.
  translate(words, more) {
    const { ids, weights } = greedy(this.model, this.ids(words), this.options(words, more));
    return { words: ids.map((id) => this.target.entries[id]), weights };
  }

  // The same word by word, </s> included: {word, p, weights, …} of each step.
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

  // The best sentence of a beam, as `write` gives it, without its end.
  *beam(words, size, more) {
    const options = this.options(words, { size, ...more });
    const [{ ids, weights }] = beamSearch(this.model, this.ids(words), options);
    for (const [t, id] of ids.entries())
      yield { word: this.target.entries[id], weights: weights[t] };
  }
}

// Whole phrases at once, and no weights but which phrase a word came from.
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
  }

  translate(words) {
    const steps = [...this.write(words)];
    return { words: steps.map(({ word }) => word), weights: steps.map(({ weights }) => weights) };
  }
}

export const build = async (name, buffer) => {
  const { tensors, metadata } = parse(buffer);
  if (metadata.name !== name) throw new Error(`the file is of ${metadata.name}: expected ${name}`);
  const Model = CLASSES[name.split("-")[0]]; // lstm-gru is a model of lstm.js
  const Translates = name === "phrases" ? PhraseTranslator : Translator;
  const Kind = metadata.vocabularies.words ? LanguageModel : Translates;
  return new Kind(name, new Model(nested(tensors), metadata.recipe.model), metadata);
};

const loaded = new Map();

// The model of a file, fetched once: bytes that differ from its checksum are refused.
export const load = (name, { url, integrity }) => {
  if (!loaded.has(url)) {
    const model = fetch(url, { integrity })
      .then((answer) => {
        if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
        return answer.arrayBuffer();
      })
      .then((buffer) => build(name, buffer));
    model.catch(() => loaded.delete(url)); // a later try may fare better
    loaded.set(url, model);
  }
  return loaded.get(url);
};
