"""Budget of pages: how much of this process visitors may take by loading pages.

A page is rendered on the event loop, so a visitor who loads pages on many connections would delay
the requests of all organisations.

Guarantees:
- Rendering takes at most a quarter of the process for each organisation, and for the signed-out
  visitors of each client address, after a short burst.
- Further pages wait, without delaying other organisations. Members of one organisation take turns,
  however many pages each one loads.
- A waiting visitor who disconnects leaves the queue.

API requests that a page makes have slots of their own (platform/http/concurrency.py).
"""

import asyncio
import time
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID
from weakref import WeakValueDictionary

# What else a page costs, beside its rendering, is about as much.
_COST_FACTOR: Final = 2.0
# Cost for each second of time, and cost that may be taken at once after a pause.
_SHARE: Final = 0.5
_BURST_S: Final = 0.3
# Cost that is expected of a page at least, before it is known; else that of the latest ones.
_EXPECTED_MIN_S: Final = 0.03
_WEIGHT_OF_LATEST: Final = 0.25
# Accounts without pages in this process are forgotten beyond this number.
_ACCOUNTS_MAX: Final = 1_000


@dataclass(slots=True)
class _RenderingDebt:
    """Cost that an organisation or an address has taken, less what has been paid off since."""

    debt_s: float = 0.0
    at_s: float = field(default_factory=time.monotonic)
    usual_s: float = 0.0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    turns: WeakValueDictionary[UUID | str, asyncio.Lock] = field(
        default_factory=WeakValueDictionary[UUID | str, asyncio.Lock]
    )

    def add(self, cost_s: float) -> None:
        """Add a cost to the debt, or take one back."""
        self.debt_s = max(self._left_s() + cost_s, 0.0)
        self.at_s = time.monotonic()

    def pause_s(self) -> float:
        """Return how long the next page has to wait; zero or less if it may begin."""
        return (self._left_s() - _BURST_S) / _SHARE

    def _left_s(self) -> float:
        return max(self.debt_s - (time.monotonic() - self.at_s) * _SHARE, 0.0)


@dataclass(slots=True)
class AdmittedPage:
    """Page that may be rendered now; `has_waited` if others came first."""

    has_waited: bool
    _account: _RenderingDebt
    _expected_s: float

    def charge(self, rendering_s: float) -> None:
        """Charge how long a rendering has kept the event loop, instead of what was expected."""
        cost_s = rendering_s * _COST_FACTOR
        account = self._account
        account.usual_s += (cost_s - account.usual_s) * _WEIGHT_OF_LATEST
        account.add(cost_s - self._expected_s)
        self._expected_s = 0.0


class PageBudget:
    """Budgets of all organisations and addresses in one process. Belongs to one event loop."""

    def __init__(self) -> None:
        self._accounts: dict[UUID | str, _RenderingDebt] = {}

    async def admit(self, owner: UUID | str, visitor: UUID | str) -> AdmittedPage:
        """Wait until a visitor's next page may be rendered.

        The owner of the budget is an organisation, its visitors are members; or a client address.
        """
        account = self._account(owner)
        turn = account.turns.setdefault(visitor, asyncio.Lock())
        has_waited = False
        async with turn, account.turn:
            while (pause_s := account.pause_s()) > 0:
                has_waited = True
                await asyncio.sleep(pause_s)
            expected_s = max(account.usual_s, _EXPECTED_MIN_S)
            account.add(expected_s)
        return AdmittedPage(has_waited, account, expected_s)

    def _account(self, owner: UUID | str) -> _RenderingDebt:
        if owner not in self._accounts and len(self._accounts) >= _ACCOUNTS_MAX:
            self._accounts = {
                key: each
                for key, each in self._accounts.items()
                if each.turn.locked() or each.pause_s() > -_BURST_S / _SHARE
            }
        return self._accounts.setdefault(owner, _RenderingDebt())
