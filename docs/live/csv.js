// Offer each table of "The numbers" as a CSV file, made where the reader opens the fold.
// Numbers are written as programs read them: 12 345 as 12345, 2 × 10⁻⁷ as 2e-7.

import { make } from "./dom.js";

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const digit = (sign) => (sign === "⁻" ? "-" : RAISED.indexOf(sign));

const value = (text) => {
  const number = text
    .replace("−", "-")
    .replace(/\s*×\s*10([⁻⁰¹²³⁴-⁹]+)$/, (_, power) => `e${[...power].map(digit).join("")}`)
    .replace(/(?<=\d)[\s,](?=\d{3})/g, "");
  if (text === "–") return ""; // nothing was measured
  return Number.isNaN(Number(number)) ? text : number;
};

const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const csv = (table) =>
  [...table.rows]
    .map((row) => [...row.cells].map((cell) => quoted(value(cell.textContent))).join(","))
    .join("\r\n");

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
