// Split typed text into the words of a vocabulary, as in cli/reading.py, or into words and
// marks, as in text/tokens.py; and join words to a sentence, as there.

// Python's white space: JavaScript's \s lacks U+001C–1F and U+0085, and has U+FEFF.
const SPACE =
  "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const SPACES = new RegExp(`[${SPACE}]+`, "u");
const LETTER = /[\p{L}\p{N}]/u;
const WORD = "[\\p{L}\\p{N}_]"; // Python's \\w
const TOKEN = new RegExp(
  `<[a-z]+>|(?:[a-z]\\.){2,}|${WORD}+(?:[.'-]${WORD}+)*|[^\\p{L}\\p{N}_${SPACE}]`, "gu");

// Characters that are not seen, as in tokens.py.
const INVISIBLE = new RegExp(
  "[\\0-\\x08\\x0e-\\x1b\\x7f-\\x84\\x86-\\x9f\\xad\\u034f\\u0600-\\u0605\\u061c\\u06dd\\u070f" +
  "\\u0890\\u0891\\u08e2\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f" +
  "\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb" +
  "\\u{110bd}\\u{110cd}\\u{13430}-\\u{1343f}\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}" +
  "\\u{e0000}-\\u{e0fff}]", "gu");
const APOSTROPHE = new RegExp(
  "[\\xb4\\u02b9\\u02bb-\\u02bd\\u02ca\\u02cb\\u055a\\u1fbd\\u1fbf\\u2019\\u2032\\u2035" +
  `\\ua78b\\ua78c\\uff07]|(?<=${WORD})[\`‘‛]`, "gu");
const HYPHEN = /[\u2010\u2011\ufe63\uff0d]/g;
const SURROGATE = /[\ud800-\udfff]/gu; // half a character

// A text as people may type it → one way to write it: NFC, ' and -, and nothing invisible.
export const normalize = (text) =>
  text.replace(INVISIBLE, "").replaceAll("i\u0307", "i").normalize("NFC")
    .replace(APOSTROPHE, "'").replace(HYPHEN, "-").replace(SURROGATE, "\ufffd");

// In small letters; which of two small sigmas ends a word differs between browsers.
export const lower = (text) => normalize(text.toLowerCase().replaceAll("ς", "σ"));

// A sentence → lower-cased words, numbers and single marks.
export const tokenize = (sentence) => lower(sentence).match(TOKEN) ?? [];

// May a word end here? Not between two letters.
const between = (letters, place) =>
  !(LETTER.test(letters[place - 1]) && LETTER.test(letters[place]));

const longest = (known) =>
  [...(known.words ?? known)].reduce((most, word) => Math.max(most, [...word].length), 0);

// A piece cut beside its marks into known words, the fewest; null where none fit.
//   most  how many letters the longest known word has
export const pieces = (piece, known, most = longest(known)) => {
  const letters = [...piece];
  const size = letters.length;
  const fewest = [...Array(size).fill(Infinity), 0]; // words of the text from each place on
  const following = Array(size); // where the first of these words ends
  for (let start = size - 1; start >= 0; start--)
    for (let end = start + 1; end <= Math.min(start + most, size); end++) {
      if (fewest[end] + 1 >= fewest[start] || (end < size && !between(letters, end))) continue;
      if (!known.has(letters.slice(start, end).join(""))) continue;
      fewest[start] = fewest[end] + 1;
      following[start] = end;
    }
  if (fewest[0] === Infinity) return null;
  const words = [];
  for (let start = 0; start < size; start = following[start])
    words.push(letters.slice(start, following[start]).join(""));
  return words;
};

// What is unknown of a piece: "arbrex." without its full stop.
export const bare = (piece, known, most = longest(known)) => {
  const letters = [...piece];
  let [start, end] = [0, letters.length];
  const has = (from, to) => to - from <= most && known.has(letters.slice(from, to).join(""));
  for (let place = end - 1; place > start; place--) {
    if (place < end - most && place > start + most) place = start + most; // no word is longer
    if (!between(letters, place)) continue;
    if (has(start, place)) start = place;
    else if (has(place, end)) end = place;
    else continue;
    place = end; // begin again
  }
  return letters.slice(start, end).join("");
};

// A text → {words, unknown}: the words that the vocabulary knows, and those it does not.
export const read = (text, known, most = longest(known)) => {
  const words = [];
  const unknown = [];
  for (const piece of lower(text).split(SPACES)) {
    if (!piece) continue;
    const cut = pieces(piece, known, most);
    if (cut) words.push(...cut);
    else unknown.push(bare(piece, known, most));
  }
  return { words, unknown };
};

// The words of a text, in order; one that is not known is as it was typed.
export const typed = (text, known) => {
  const most = longest(known);
  return lower(text).split(SPACES).filter(Boolean).flatMap((piece) => {
    const { words } = read(piece, known, most);
    return words.length ? words : [piece];
  });
};

// How many letters have to be changed, added or left out.
export const distance = (a, b) => {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] !== b[j - 1]));
    row = next;
  }
  return row[b.length];
};

// Known words that differ from a word in a third of its letters at most, nearest first;
// for a word of one or two letters there are none.
export const near = (word, words, most = 3) =>
  word.length < 3
    ? []
    : words
        .filter((other) => Math.abs(other.length - word.length) <= word.length / 3)
        .map((other) => [distance(word, other), other])
        .filter(([far]) => far <= word.length / 3)
        .sort(([a], [b]) => a - b)
        .slice(0, most)
        .map(([, other]) => other);

// English words as people write them: the full stop, the comma and 's join the word before.
export const writeEnglish = (words) => words.join(" ").replace(/ (?=(?:'s?|[.,])(?: |$))/g, "");

const CLOSING = new Set(".,)]}…%°");
const OPENING = new Set("([{");
const BEGINNING = new RegExp(`(^|[.?!…] )([^\\p{L}\\p{N}_${SPACE}<]*(?:« )?\\p{L})`, "gu");

// The French sentence of these words. It and what follows a full stop begin with a capital.
export const writeFrench = (words) => {
  let text = "";
  let glued = true;
  let inside = false;
  for (const word of words) {
    const opens = OPENING.has(word) || (word === '"' && !inside);
    if (word === '"') inside = !inside;
    const alone = !CLOSING.has(word) && (word !== '"' || opens);
    const enclitic = word.length > 1 && word.startsWith("-");
    text += (alone && !enclitic && !glued ? " " : "") + word;
    glued = opens || (word.length > 1 && word.endsWith("'"));
  }
  return text.replace(BEGINNING, (_, before, start) => before + start.toUpperCase());
};
