"""What a score of Luong's costs: the bytes that are saved."""

from lookback.studies.luong_costs import B, T, cost


def test_concat_saves_a_vector_for_every_pair_of_positions() -> None:
    dot, concat = (cost(score, n=64, S=24, repeats=1) for score in ("dot", "concat"))
    vector = 4 * 64 * 24 * T * B  # bytes of n floats for each of S · T · B pairs
    assert dot["bytes"] < vector / 4 < vector < concat["bytes"] < 3 * vector
