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

const lower = (text) => text.toLowerCase().replaceAll("’", "'");

// A sentence → lower-cased words, numbers and single marks.
export const tokenize = (sentence) => lower(sentence).match(TOKEN) ?? [];

// May a word end here? Not between two letters.
const between = (letters, place) =>
  !(LETTER.test(letters[place - 1]) && LETTER.test(letters[place]));

// A piece cut beside its marks into known words, the fewest; null where none fit.
export const pieces = (piece, known) => {
  const letters = [...piece];
  const best = Array(letters.length + 1).fill(null);
  best[letters.length] = [];
  for (let start = letters.length - 1; start >= 0; start--)
    for (let end = start + 1; end <= letters.length; end++) {
      if (end < letters.length && !between(letters, end)) continue;
      const word = letters.slice(start, end).join("");
      if (!best[end] || !known.has(word)) continue;
      if (!best[start] || best[end].length + 1 < best[start].length)
        best[start] = [word, ...best[end]];
    }
  return best[0];
};

// What is unknown of a piece: "arbrex." without its full stop.
export const bare = (piece, known) => {
  const letters = [...piece];
  for (let end = letters.length - 1; end > 0; end--) {
    if (!between(letters, end)) continue;
    const [before, after] = [letters.slice(0, end).join(""), letters.slice(end).join("")];
    if (known.has(before)) return bare(after, known);
    if (known.has(after)) return bare(before, known);
  }
  return piece;
};

// A text → {words, unknown}: the words that the vocabulary knows, and those it does not.
export const read = (text, known) => {
  const words = [];
  const unknown = [];
  for (const piece of lower(text).split(SPACES)) {
    if (!piece) continue;
    const cut = pieces(piece, known);
    if (cut) words.push(...cut);
    else unknown.push(bare(piece, known));
  }
  return { words, unknown };
};

// The words of a text, in order; one that is not known is as it was typed.
export const typed = (text, known) =>
  text.toLowerCase().split(/\s+/).filter(Boolean).flatMap((piece) => {
    const { words } = read(piece, known);
    return words.length ? words : [piece];
  });

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
