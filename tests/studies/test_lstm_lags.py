"""A digit over few and many signs of noise: what is trained, asked and told.

Mutants that these tests kill: noise that is not as long as said; a training that does
not repeat; a cell for another.
"""

from dataclasses import replace

from lookback.lstm import GRUCell, LSTMCell
from lookback.recurrent import RNNCell
from lookback.studies.lstm_forget import Recall, network_of
from lookback.studies.lstm_lags import CELLS, NOISE, SEEDS, STUDY, WIDE, Lags, measured
from lookback.workshop import results

TASK = Recall("gru", 1.0, 0, noise=2, kinds=2, n=8, steps=60, rate=0.03, batch=32)


def test_a_short_task_is_learned_at_short_lags_and_repeats_itself() -> None:
    found = measured(Lags(TASK, longest=4))
    assert found["noise"] == [*NOISE] and found["right"][0] > 0.95
    assert measured(Lags(TASK, longest=4)) == found
    assert measured(Lags(replace(TASK, seed=1), longest=4)) != found
    blank = measured(Lags(replace(TASK, steps=0), longest=4))
    assert max(blank["right"]) < 0.7  # of two kinds


def test_each_case_is_of_the_cell_that_it_names() -> None:
    kinds = {"RNN": RNNCell, "LSTM": LSTMCell, "GRU": GRUCell}
    assert kinds.keys() == CELLS.keys()
    for label, case in STUDY.cases.items():
        name, steps, seed = label.split(", ")
        cell, wide = network_of(case.recall).cell, name == f"RNN of {WIDE}"
        assert type(cell) is kinds["RNN" if wide else name]
        assert cell.n == (WIDE if wide else 32)
        assert steps == f"{case.recall.steps} steps"
        assert seed == f"seed {case.recall.seed}"


def test_the_wide_plain_cell_has_about_the_parameters_of_the_lstms() -> None:
    def size(cell: str, n: int) -> int:
        task = Recall(cell, 1.0, 0, kinds=10, n=n)
        return sum(p.numel() for p in network_of(task).cell.parameters())

    lstm = size("lstm", 32)
    assert size("rnn", WIDE) <= lstm < size("rnn", WIDE + 1)


def test_what_was_measured_is_what_the_chapter_says() -> None:
    stored = results("lstm_lags")
    assert [*stored.rows] == [*STUDY.cases]
    for seed in SEEDS:
        plain = stored[f"RNN, 200 steps, seed {seed}"]["right"]
        for name in ("LSTM", "GRU"):
            assert stored[f"{name}, 200 steps, seed {seed}"]["right"][3] > plain[3]
