"""Milliseconds a word of the models that a reader's browser runs, by Node.

Run it with `python bench/live.py`. The scripts are those of docs/live, and Node is the
one that Playwright brings along; its engine is Chromium's. Translators write ten test
sentences, greedily and with a beam of five; language models say what follows after each
word of them, as they do while a reader types. What counts is the time of the processor,
with that of Node's compiler, and of each sentence the fastest run.
"""

import json
import os
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

from lookback.text.corpora import grammar
from lookback.workshop.checkpoint import path_of

SCRIPTS = Path(__file__).parents[1] / "docs" / "live"
TRANSLATORS = ("ibm1", "encdec", "seq2seq", "bahdanau", "luong", "transformer")
TEXTS = ("ngram", "lstm", "lstm-gru", "gpt")
LIMIT = 2.0  # milliseconds a word, greedy
RUNS = 7
SCRIPT = """
import { readFileSync } from "node:fs";
const given = JSON.parse(readFileSync(0, "utf8"));
const { build } = await import(given.models);
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
// Of each sentence the fastest of several runs, by what the processor did for it.
const a_word = (run) => {
  const all = given.sentences.map((sentence) => {
    let [least, words] = [Infinity, 0];
    for (let n = 0; n < given.runs; n++) {
      const from = process.cpuUsage().user;
      words = run(sentence);
      least = Math.min(least, (process.cpuUsage().user - from) / 1000);
    }
    return [least, words];
  });
  return sum(all.map(([time]) => time)) / sum(all.map(([, words]) => words));
};
const found = {};
for (const [name, path] of Object.entries(given.paths)) {
  const { buffer, byteOffset, length } = readFileSync(path);
  const model = await build(name, buffer.slice(byteOffset, byteOffset + length));
  const ids = (words) => words.map((word) => model.words.id(word));
  found[name] = model.write
    ? [a_word((words) => [...model.write(words)].length),
       a_word((words) => [...model.beam(words, 5)].length + 1)]
    : model.model.read
      ? [a_word((words) => [...model.model.read(ids(words))].length)]
      : [a_word((words) =>
          words.map((_, t) => model.next(words.slice(0, t + 1))).length)];
}
console.log(JSON.stringify(found));
"""


def measured() -> dict[str, list[float]]:
    """Name of a model → its milliseconds a word: greedy, and with a beam of five."""
    driver = str(files("playwright") / "driver")
    node = shutil.which("node", path=driver) or shutil.which("node")
    assert node, "there is no Node: `pip install playwright` brings it"
    test = sorted((pair.source for pair in grammar(pairs=6500).test), key=len)
    given = {
        "models": (SCRIPTS / "models.js").as_uri(),
        "paths": {name: str(path_of(name)) for name in (*TRANSLATORS, *TEXTS)},
        "sentences": [test[round(i * (len(test) - 1) / 9)] for i in range(10)],
        "runs": RUNS,
    }
    done = subprocess.run(
        [node, "--no-warnings", "--input-type=module", "--eval", f"""
globalThis.window = {{}};
globalThis.document = {{ querySelectorAll: () => [] }};
{SCRIPT}"""],
        input=json.dumps(given),
        capture_output=True,
        check=True,
        text=True,
        encoding="utf-8",
    )  # fmt: skip
    return dict(json.loads(done.stdout))


def main() -> None:
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"milliseconds a word, the fastest of {RUNS} runs; load {load:.1f}")
    print(f"{'':14}{'greedy':>8}{'beam of 5':>12}")
    for name, (greedy, *beam) in measured().items():
        more = "".join(f"{time:12.2f}" for time in beam)
        print(f"{name:14}{greedy:8.2f}{more}{'  too slow' * (greedy > LIMIT)}")


if __name__ == "__main__":
    main()
