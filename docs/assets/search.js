// Correct what is typed before Material's search reads it. Words that say nothing go, as
// they do in the index; of a word that no word of the index begins with, words count that
// differ from it by one letter. The address names the script that Material would start.

let known = [];

addEventListener("message", (event) => {
  if (!event.isTrusted) return; // our own, below
  const { type, data } = event.data; // 0: the index; 2: a query
  if (type === 0) {
    const separator = new RegExp(data.config.separator);
    const texts = data.docs.flatMap(({ title, text, keywords = [] }) => [title, text, ...keywords]);
    known = [...new Set(texts.join(" ").toLowerCase().split(separator))];
  }
  if (type !== 2) return;
  const query = corrected(data);
  if (query === data) return;
  event.stopImmediatePropagation();
  dispatchEvent(new MessageEvent("message", { data: { type, data: query } }));
});

function corrected(query) {
  const words = query.split(" ");
  const telling = words.filter((word) => lunr.stopWordFilter(word.toLowerCase()));
  return (telling.join("") ? telling : words).map(nearest).join(" ");
}

function nearest(word) {
  const plain = /^[\p{L}]{4,}$/u.test(word); // no short word, no operator
  return plain && !known.some((one) => one.startsWith(word.toLowerCase())) ? `${word}~1` : word;
}

importScripts(`javascripts/workers/${location.search.slice(1)}`);
