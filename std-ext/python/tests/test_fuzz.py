"""A bounded number of the random calls of fuzz.py."""

import fuzz
import pytest


@pytest.mark.parametrize("seed", range(4))
def test_whatever_a_call_is_given_it_returns_or_refuses(seed):
    made, accepted = fuzz.run(seed, calls=400)
    # Both happen often, or the calls would try nothing.
    assert made == 400 and 60 < accepted < 340
