"""What names lead to, asked of the system, so that names that nobody answers hold up no others.

The system is asked in threads, and who is asked can't be told to stop: a name that hangs takes its
thread for many seconds, however soon it is given up. So each share has so many threads at most, and
what was found, or not found, is kept for a while.
"""

import asyncio
import errno
import os
import socket
from collections.abc import Awaitable, Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address

from aiohttp.abc import AbstractResolver, ResolveResult
from typing_extensions import override

from landbridge.web.addresses import LOCAL_ADDRESSES, LOCALHOST, Address
from landbridge.web.ears import current
from landbridge.web.places import Places

# Looks a name up: all addresses that it leads to. Raises OSError if it leads nowhere.
Names = Callable[[str], Awaitable[Sequence[str]]]

# What a process may be out of; no address is to blame for that.
WANTS = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})

_LOOKUPS_MAX = 128
_LOOKUPS_EACH = 8
_KEPT_S = 10.0
_KEPT_MAX = 1_000


class NotPublic(OSError):
    """What somebody named leads into a network that is not everybody's."""


@dataclass(frozen=True, slots=True)
class _Found:
    """What came of a look-up, until when it counts, by the clock of the loop."""

    addresses: Sequence[str]
    error: OSError | None
    until: float

    def told(self) -> Sequence[str]:
        if self.error is not None:
            # A new one each time: an error that is raised again grows.
            raise type(self.error)(*self.error.args)
        return self.addresses


class Lookups:
    """Looks each name up once at a time, and not again for a while."""

    def __init__(self, names: Names | None) -> None:
        self._names = names or self._of_system
        self._places = Places(_LOOKUPS_MAX, each=_LOOKUPS_EACH)
        self._threads: ThreadPoolExecutor | None = None
        self._kept: dict[str, _Found] = {}
        self._running: dict[str, asyncio.Task[_Found]] = {}

    async def addresses(self, host: str) -> Sequence[str]:
        """Where a name leads; raises OSError if that is nowhere, or `current` waits in vain."""
        trip = current.get()
        while True:
            kept = self._fresh(host)
            if kept is not None:
                return kept.told()
            running = self._running.get(host)
            if running is None:
                trip.is_waiting = True
                await self._places.take(trip.share)
                trip.is_waiting = False
                if host in self._running or self._fresh(host) is not None:
                    self._places.give_back(trip.share)
                    continue
                running = asyncio.create_task(self._look_up(host, trip.share))
                self._running[host] = running
            # Others wait for it too, and its thread goes on anyway.
            return (await asyncio.shield(running)).told()

    def close(self) -> None:
        """Wait for nobody any more, and forget what was found."""
        self._kept.clear()
        for each in list(self._running.values()):
            each.cancel()
        threads, self._threads = self._threads, None
        if threads is not None:
            threads.shutdown(wait=False, cancel_futures=True)

    def _fresh(self, host: str) -> _Found | None:
        kept = self._kept.get(host)
        return kept if kept is not None and kept.until > _now_s() else None

    async def _look_up(self, host: str, share: Hashable) -> _Found:
        addresses: Sequence[str] = ()
        error: OSError | None = None
        try:
            addresses = await self._names(host)
        except OSError as failed:
            error = failed.with_traceback(None)
        finally:
            del self._running[host]
            self._places.give_back(share)
        found = _Found(addresses, error, _now_s() + _KEPT_S)
        if error is None or error.errno not in WANTS:
            self._keep(host, found)
        return found

    def _keep(self, host: str, found: _Found) -> None:
        self._kept.pop(host, None)
        self._kept[host] = found
        if len(self._kept) > _KEPT_MAX:
            del self._kept[next(iter(self._kept))]

    async def _of_system(self, host: str) -> Sequence[str]:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(_LOOKUPS_MAX, thread_name_prefix="names")
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, _addresses_of, host)


class Resolver(AbstractResolver):
    """What names lead to, if all of it is public."""

    def __init__(self, lookups: Lookups, is_refused: Callable[[Address], bool]) -> None:
        self._lookups = lookups
        self._is_refused = is_refused

    @override
    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        if host == LOCALHOST:
            # Only a sandbox comes here with it.
            return [_result(host, address, port) for address in LOCAL_ADDRESSES]
        found = [ip_address(each) for each in await self._lookups.addresses(host)]
        if not found:
            raise socket.gaierror(socket.EAI_NONAME, "leads nowhere")
        # One bad address spoils the name: which of them is connected to is not ours to say.
        if any(map(self._is_refused, found)):
            raise NotPublic
        return [_result(host, address, port) for address in found]

    @override
    async def close(self) -> None:
        """Nothing is kept open."""


def be_quick_about_names() -> None:
    """Let the system give names up sooner, unless somebody said how; before the first look-up.

    Its own figures, 5 seconds and twice, are more than a request waits.
    """
    os.environ.setdefault("RES_OPTIONS", "timeout:2 attempts:2")


def _now_s() -> float:
    return asyncio.get_running_loop().time()


def _result(host: str, address: Address, port: int) -> ResolveResult:
    return ResolveResult(
        hostname=host,
        host=str(address),
        port=port,
        family=socket.AF_INET6 if isinstance(address, IPv6Address) else socket.AF_INET,
        proto=socket.IPPROTO_TCP,
        flags=socket.AI_NUMERICHOST,
    )


def _addresses_of(host: str) -> list[str]:
    """Asks the system. The full stop keeps it from trying our own domains behind the name."""
    found = socket.getaddrinfo(
        f"{host}.", None, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG
    )
    return list(dict.fromkeys(str(place[0]) for *_, place in found))
