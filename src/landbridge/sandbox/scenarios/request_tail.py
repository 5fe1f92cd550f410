"""`landbridge logs tail`: prints the requests of an organisation as they are logged."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from landbridge.sandbox.scenarios.client import ScenarioClient, ServerUnavailable, shown

_LOG: Final = "/v2/request-log"
_PAGE: Final = 100
_PAUSE_S: Final = 1.0
# API processes write their requests each second, so one may appear behind a later one.
_LATE: Final = timedelta(seconds=5)

PrintLine = Callable[[str], None]


@dataclass(slots=True)
class RequestTail:
    """Prints new requests, oldest first; `filters` are those of the request log.

    Its own requests are left out.
    """

    client: ScenarioClient
    filters: Mapping[str, str]
    print_line: PrintLine
    _since: datetime | None = field(default=None, init=False)
    _seen: frozenset[tuple[str, str]] = field(default=frozenset(), init=False)
    _is_missing: bool = field(default=False, init=False)

    async def begin(self) -> None:
        """Skip what is logged already."""
        newest = (await self.client.get(_LOG, limit=1, **self.filters))["requests"]
        if newest:
            self._since = datetime.fromisoformat(newest[0]["at"])
            self._seen = frozenset({_key(newest[0])})

    async def run(self) -> None:
        """Print requests until cancelled, also after the server was away."""
        while True:
            try:
                await self.print_new()
                self._is_missing = False
            except ServerUnavailable as error:
                if not self._is_missing:
                    self.print_line(str(error))
                self._is_missing = True
            await asyncio.sleep(_PAUSE_S)

    async def print_new(self) -> None:
        """Print what was logged since the last call."""
        found = await self._read()
        for each in found:
            if _key(each) not in self._seen and not each["path"].startswith(_LOG):
                self.print_line(_line(each))
        if found:
            newest = max(datetime.fromisoformat(each["at"]) for each in found)
            self._since = max(self._since or datetime.min.replace(tzinfo=UTC), newest - _LATE)
        self._seen = frozenset(_key(each) for each in found)

    async def _read(self) -> list[Any]:
        """Return all requests since the bound, oldest first."""
        query = dict(self.filters)
        if self._since is not None:
            query["createdAfter"] = self._since.isoformat()
        found: list[Any] = []
        while True:
            page = await self.client.get(_LOG, limit=_PAGE, **query)
            found += page["requests"]
            if "nextCursor" not in page:
                return found[::-1]
            query["createdBefore"] = page["nextCursor"]


def _key(request: Any) -> tuple[str, str]:
    """Return what identifies a request: clients may repeat the id alone."""
    return request["xRequestId"], request["at"]


def _line(request: Any) -> str:
    time = datetime.fromisoformat(request["at"]).astimezone().strftime("%H:%M:%S")
    return shown(
        f"{time}  {request['status']}  {request['method']} {request['path']}  "
        f"{request['milliseconds']} ms  {request['xRequestId']}"
    )
