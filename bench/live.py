"""Milliseconds a word of the models that a reader's browser runs, by Node.

The scripts are those of docs/live, and Node is the one that Playwright brings along;
its engine is Chromium's. Translators write ten test sentences, greedily and with a beam
of five; language models say what follows each word of them. What counts is the time of
the processor, and of each sentence the fastest run. The aim is 2 ms at most, greedily.
"""

import json
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

from lookback.text.corpora import grammar
from lookback.workshop.checkpoint import path_of

SCRIPTS = Path(__file__).parents[1] / "docs" / "live"
MODELS = (
    *("ibm1", "encdec", "seq2seq", "bahdanau", "luong", "transformer"),
    *("ngram", "lstm", "lstm-gru", "gpt"),
)
SCRIPT = """
import { readFileSync } from "node:fs";
globalThis.window = {};
globalThis.document = { querySelectorAll: () => [] };
const given = JSON.parse(readFileSync(0, "utf8"));
const { build } = await import(given.models);
const aWord = (run) => {
  let [spent, words] = [0, 0];
  for (const sentence of given.sentences) {
    let [least, written] = [Infinity, 0];
    for (let n = 0; n < 7; n++) {
      const from = process.cpuUsage().user;
      written = run(sentence);
      least = Math.min(least, (process.cpuUsage().user - from) / 1000);
    }
    [spent, words] = [spent + least, words + written];
  }
  return spent / words;
};
const found = {};
for (const [name, path] of Object.entries(given.paths)) {
  const { buffer, byteOffset, length } = readFileSync(path);
  const model = await build(name, buffer.slice(byteOffset, byteOffset + length));
  const ids = (words) => words.map((word) => model.words.id(word));
  found[name] = model.write
    ? [aWord((words) => [...model.write(words)].length),
       aWord((words) => [...model.beam(words, 5)].length + 1)]
    : model.model.read
      ? [aWord((words) => [...model.model.read(ids(words))].length)]
      : [aWord((words) =>
          words.map((_, t) => model.next(words.slice(0, t + 1))).length)];
}
console.log(JSON.stringify(found));
"""


def main() -> None:
    driver = str(files("playwright") / "driver")
    node = shutil.which("node", path=driver) or shutil.which("node")
    assert node, "there is no Node: `pip install playwright` brings it"
    test = sorted((pair.source for pair in grammar(pairs=6500).test), key=len)
    given = {
        "models": (SCRIPTS / "models.js").as_uri(),
        "paths": {name: str(path_of(name)) for name in MODELS},
        "sentences": [test[round(i * (len(test) - 1) / 9)] for i in range(10)],
    }
    done = subprocess.run(
        [node, "--no-warnings", "--input-type=module", "--eval", SCRIPT],
        input=json.dumps(given),
        stdout=subprocess.PIPE,
        check=True,
        text=True,
        encoding="utf-8",
    )
    print(f"{'ms a word':30}{'greedy':>14}{'beam of 5':>14}")
    for name, times in json.loads(done.stdout).items():
        print(f"{name:30}" + "".join(f"{time:14.2f}" for time in times))
