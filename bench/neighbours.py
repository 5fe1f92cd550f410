"""Reports of one organisation while another one calculates a heavy template without a pause."""

import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from typing import Any, Self

import msgspec

# More than the two costly requests per process that an organisation may have at work.
_HEAVY_CLIENTS = 6
# Read from the records, since the roll-ups have no countries.
_HEAVY = {
    "subject": "transactions",
    "measure": {"function": "average", "of": "feesUsd", "digits": 2, "rounding": "halfUp"},
    "breakdowns": ["country", "userType"],
}


def heavy_body(days: int) -> dict[str, Any]:
    """Return a preview of a template that reads the records of the last days."""
    today = datetime.now(UTC).date()
    params = {
        "createdAfter": (today - timedelta(days)).isoformat(),
        "createdBefore": today.isoformat(),
        "calculationInterval": "day",
        "breakdowns": ["country", "userType"],
    }
    return {"definition": _HEAVY, "params": params}


class HeavyLoad:
    """Clients that repeat a heavy request; use as a context."""

    def __init__(self, port: int, key: str, days: int) -> None:
        self._port, self._body = port, msgspec.json.encode(heavy_body(days))
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        self._stop, self._exit = threading.Event(), ExitStack()
        # Status and milliseconds of each request.
        self.answers: list[tuple[int, float]] = []

    def __enter__(self) -> Self:
        """Start the clients."""
        for _ in range(_HEAVY_CLIENTS):
            thread = threading.Thread(target=self._repeat, daemon=True)
            thread.start()
            self._exit.callback(thread.join)
        return self

    def __exit__(self, *_: object) -> None:
        """Stop them, each after its request."""
        self._stop.set()
        self._exit.close()

    def _repeat(self) -> None:
        connection = HTTPConnection("127.0.0.1", self._port, timeout=60)
        while not self._stop.is_set():
            began = datetime.now(UTC)
            connection.request("POST", "/v2/reporting/metrics/preview", self._body, self._headers)
            with connection.getresponse() as answer:
                answer.read()
            took = (datetime.now(UTC) - began) / timedelta(milliseconds=1)
            self.answers.append((answer.status, took))


def longest_days(ask: Callable[[int], int], choices: Sequence[int] = (30, 14, 7, 3, 2, 1)) -> int:
    """Return the largest number of days that is not refused; `ask` returns the status."""
    return next((days for days in choices if ask(days) == 200), choices[-1])
