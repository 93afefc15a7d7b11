"""A digit over few and many signs of noise: a plain cell of the LSTM's size."""

from lookback.studies.lstm_forget import network
from lookback.studies.lstm_lags import WIDE


def test_the_wide_plain_cell_has_about_the_parameters_of_the_lstms() -> None:
    def size(cell: str, n: int) -> int:
        return sum(p.numel() for p in network(cell, 14, 10, n).cell.parameters())

    lstm = size("lstm", 32)
    assert size("rnn", WIDE) <= lstm < size("rnn", WIDE + 1)
