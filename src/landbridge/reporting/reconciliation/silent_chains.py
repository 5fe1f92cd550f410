"""Chains that do not answer, within one run over many organisations.

Each call to such a chain lasts until its timeout: asked once for each organisation, it would delay
the comparison of all others by hours.
"""

import time
from collections import defaultdict
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from landbridge.platform.core.errors import Unavailable
from landbridge.providers.chains.tokens import Chain

# After this many organisations without an answer in a row a chain is asked no more, for a while.
_FAILURES: Final = 3
_PAUSE_S: Final = 30


class SilentChains:
    """Counts calls without an answer in a row, by chain."""

    def __init__(self) -> None:
        self._failures: dict[Chain, int] = defaultdict(int)
        self._until_s: dict[Chain, float] = {}

    @contextmanager
    def asking(self, chain: Chain) -> Generator[None]:
        """Note whether a chain answers; raises `Unavailable` at once if it did not a moment ago."""
        if self._until_s.get(chain, 0) > time.monotonic():
            raise Unavailable(f"{chain} has not answered for other organisations")
        try:
            yield
        except Unavailable:
            self._failures[chain] += 1
            if self._failures[chain] >= _FAILURES:
                self._until_s[chain] = time.monotonic() + _PAUSE_S
            raise
        self._failures[chain] = 0
