"""Modules that import one another are served as one, and the others alone."""

import json
import os
import subprocess
import sys

import pytest

from lookback.engine.plugin_scripts import joined, needed, served

DOOR = """\
export const make = (x) => x;
const module = (name) => import(`./${name}.js`);
"""
SOURCES = {
    "live": DOOR,
    "models": """\
// Two of them.
import { make } from "./live.js";
import { one, TWO } from "./base.js";

const LATER = { other: () => import("./other.js").then((m) => m.Other) };
export class Models {}
export const load = (x) => make(one(x) + TWO);
""",
    "base": """\
export const one = (x) => x;
export const [TWO, THREE] = [2, 3];
export function* all() {}
""",
    "film": 'const a = await import("./map.js");\n',
    "map": "export const map = 1;\n",
    "other": "export class Other {}\n",
    "alone": "// A comment.\nconst f = (x) => `a  ${x} // b`;\nf(1);\n",
}


def test_what_a_module_needs() -> None:
    assert needed(SOURCES["models"]) == {"live", "base", "other"}
    assert needed(SOURCES["alone"]) == set()


def test_the_kit_holds_each_module_after_what_it_needs() -> None:
    found = joined(SOURCES)
    assert {*found} == {"live", "kit", "alone", "film", "map"}
    kit = found["kit"]
    assert kit.startswith('import { make } from "./live.js";\n')
    assert kit.index("const one =") < kit.index("const models =")
    assert "Promise.resolve(other).then((m) => m.Other)" in kit
    assert kit.endswith("export { models };\n")
    assert 'import("./kit.js").then((all) => all[name])' in found["live"]


def test_a_module_is_a_function_where_a_name_of_it_is_another_s_too() -> None:
    kit = joined(SOURCES)["kit"]
    assert "base" not in kit  # its names are the kit's own
    assert "const other = (() => {" in kit  # asked for as an object
    for more in ("const one = 2;\n", "let [x, one] = y;\n", "export class one {}\n"):
        both = SOURCES | {"m": f"{more}export class M {{}}\n"}
        both["models"] += 'import { M } from "./m.js";\n'
        kit = joined(both)["kit"]
        assert "const base = (() => {" in kit and "const { one, TWO } = base;" in kit
        assert "return { one, TWO, THREE, all };" in kit
    door = SOURCES | {"base": f"{SOURCES['base']}const make = 1;\n"}
    assert "const base = (() => {" in joined(door)["kit"]


def test_a_function_has_a_name_that_no_other_has() -> None:
    """`models` is one, so that another module cannot have that name at the top."""
    found = joined(SOURCES | {"base": f"{SOURCES['base']}const models = 1;\n"})
    assert "const base = (() => {" in found["kit"]


def test_the_same_bytes_whatever_the_order_of_sets() -> None:
    many = {f"m{i}": f"export const x{i} = {i};\n" for i in range(20)}
    lines = [f'import {{ x{i} }} from "./m{i}.js";\n' for i in range(20)]
    lines += ['import { make } from "./live.js";\n', "export const aa = make;\n"]
    sources = SOURCES | many | {"aa": "".join(lines)}  # it comes before its needs
    program = (
        "import json, sys; from lookback.engine.plugin_scripts import served\n"
        "print(served(json.load(sys.stdin))['kit'])"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            input=json.dumps(sources),
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(found) == 1 and "x19" in next(iter(found))


def test_what_is_served_has_no_comments() -> None:
    found = served(SOURCES)
    assert found["alone"] == "const f=(x)=>`a  ${x} // b`;f(1);"
    assert "Two of them" not in found["kit"]


def test_the_small_scripts_of_a_text_are_one_and_keep_their_names() -> None:
    small = {"twin": "const a = 2;\nf(a);\n", "folding": "const a = 1;\nf(a);\n"}
    assert joined({**small, "map": "f(3);\n"}) == {
        "map": "f(3);\n",
        "page": "{\nconst a = 1;\nf(a);\n}\n{\nconst a = 2;\nf(a);\n}\n",
    }
    assert served(small) == {"page": "{const a=1;f(a);}\n{const a=2;f(a);}"}
    assert joined({"twin": "f(1);\n"}) == {"twin": "f(1);\n"}
    assert {*joined(SOURCES | small)} == {*joined(SOURCES), "page"}


def test_without_a_door_all_stay_as_they_are() -> None:
    alone = {"alone": SOURCES["alone"], "other": SOURCES["other"]}
    assert joined(alone) == alone


@pytest.mark.parametrize(
    "line", ['import * as x from "./base.js";', "export default 1;", "export { x };"]
)
def test_other_forms_are_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"models\.js: .* is neither of the usual"):
        joined(SOURCES | {"models": f"{SOURCES['models']}{line}\n"})


def test_a_door_that_loads_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="it could not load the others"):
        joined(SOURCES | {"live": "export const make = 1;\n"})
