"""The two clients: `Landbridge` waits, `AsyncLandbridge` is for event loops."""

from __future__ import annotations

import asyncio
import itertools
import os
import time
from typing import TYPE_CHECKING, Any, Self

import httpx

from landbridge_sdk._calls import Call, checked, decoded, not_reached
from landbridge_sdk._errors import KEY_EXTENSION, LandbridgeError
from landbridge_sdk._version import VERSION
from landbridge_sdk.async_resources import AsyncResources
from landbridge_sdk.resources import Resources

if TYPE_CHECKING:
    from types import TracebackType

_TIMEOUT_S = 30.0
_RETRIES = 2


def _settings(api_key: str | None, base_url: str | None, timeout: float) -> dict[str, Any]:
    key = api_key or os.environ.get("LANDBRIDGE_API_KEY")
    if not key:
        raise LandbridgeError("give api_key, or set LANDBRIDGE_API_KEY")
    return {
        "base_url": base_url or os.environ.get("LANDBRIDGE_URL") or "http://127.0.0.1:8080",
        "headers": {
            "Authorization": f"Bearer {key}",
            "User-Agent": f"landbridge-sdk-python/{VERSION} httpx/{httpx.__version__}",
        },
        "timeout": timeout,
    }


class Landbridge(Resources):
    """Client of an installation, with one API key.

    `api_key` and `base_url` are read from LANDBRIDGE_API_KEY and LANDBRIDGE_URL if left out. Safe
    for several threads. `retries` is how often a request is sent again after a lost answer, a 429
    or a 503, always under the same request id.
    """

    def __init__(
        self,
        api_key: str | None = None,
        *,
        base_url: str | None = None,
        timeout: float = _TIMEOUT_S,
        retries: int = _RETRIES,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._http = httpx.Client(**_settings(api_key, base_url, timeout), transport=transport)
        self._retries = retries
        super().__init__(self)

    def send(self, call: Call, reply: Any) -> Any:
        """Send a call; return its reply."""
        return decoded(self._answered(call), reply)

    def download(self, call: Call) -> bytes:
        """Send a call; return the bytes of its response."""
        return checked(self._answered(call)).content

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _answered(self, call: Call) -> httpx.Response:
        call = call.identified()
        arguments = call.arguments()
        for attempt in itertools.count():
            try:
                response, lost = self._http.request(**arguments), None
            except httpx.TransportError as error:
                response, lost = None, error
            pause_s = call.pause_s(attempt, response) if attempt < self._retries else None
            if pause_s is not None:
                time.sleep(pause_s)
            elif response is None:
                raise not_reached(self._http.base_url, call, lost) from lost
            else:
                response.extensions[KEY_EXTENSION] = call.idempotency_key
                return response
        raise AssertionError  # the loop above returns or raises


class AsyncLandbridge(AsyncResources):
    """As `Landbridge`, for an event loop."""

    def __init__(
        self,
        api_key: str | None = None,
        *,
        base_url: str | None = None,
        timeout: float = _TIMEOUT_S,
        retries: int = _RETRIES,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._http = httpx.AsyncClient(**_settings(api_key, base_url, timeout), transport=transport)
        self._retries = retries
        super().__init__(self)

    async def send(self, call: Call, reply: Any) -> Any:
        """Send a call; return its reply."""
        return decoded(await self._answered(call), reply)

    async def download(self, call: Call) -> bytes:
        """Send a call; return the bytes of its response."""
        return checked(await self._answered(call)).content

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def _answered(self, call: Call) -> httpx.Response:
        call = call.identified()
        arguments = call.arguments()
        for attempt in itertools.count():
            try:
                response, lost = await self._http.request(**arguments), None
            except httpx.TransportError as error:
                response, lost = None, error
            pause_s = call.pause_s(attempt, response) if attempt < self._retries else None
            if pause_s is not None:
                await asyncio.sleep(pause_s)
            elif response is None:
                raise not_reached(self._http.base_url, call, lost) from lost
            else:
                response.extensions[KEY_EXTENSION] = call.idempotency_key
                return response
        raise AssertionError  # the loop above returns or raises
