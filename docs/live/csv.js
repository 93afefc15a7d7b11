// Offer each table of "The numbers" as a CSV file, made where the reader opens the fold.
// A cell's `data-value` is its number as programs read it: 12345, 2e-07, and nothing.

import { make } from "./dom.js";

const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const value = (cell) => quoted(cell.dataset.value ?? cell.textContent);

const csv = (table) =>
  [...table.rows].map((row) => [...row.cells].map(value).join(",")).join("\r\n");

const offer = ({ target: fold }) => {
  const tables = [...fold.querySelectorAll("table")];
  tables.forEach((table, i) => {
    const name = `${fold.dataset.csv}${tables.length > 1 ? `-${i + 1}` : ""}.csv`;
    const href = `data:text/csv;charset=utf-8,${encodeURIComponent(csv(table))}`;
    table.before(make("a", { class: "lb-csv", download: name, href }, `Save ${name}`));
  });
};

for (const fold of document.querySelectorAll('[data-live="csv"]'))
  fold.addEventListener("toggle", offer, { once: true });
