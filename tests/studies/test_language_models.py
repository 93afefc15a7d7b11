"""The running table of language models: how the models of a system are mixed."""

import numpy as np

from lookback.studies.language_models import mixed, mixture_weights


def test_mixture_weights_by_hand() -> None:
    # Two tokens that one model gives 1 and the other 0, and one the other way round.
    with np.errstate(divide="ignore"):
        log_p = np.log([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    weights = mixture_weights(log_p)
    np.testing.assert_allclose(weights, [2 / 3, 1 / 3])
    np.testing.assert_allclose(np.exp(mixed(log_p, weights)), [2 / 3, 2 / 3, 1 / 3])
    # One step from a half each: credit .8 and .2, then .2 and .8, then .5 and .5.
    log_p = np.log([[0.4, 0.1, 0.3, 0.4], [0.1, 0.4, 0.3, 0.1]])
    np.testing.assert_allclose(mixture_weights(log_p, 1), [0.575, 0.425])
    assert mixture_weights(np.log([[0.2, 0.3]])).tolist() == [1.0]
