"""DNS lookups through the system resolver, isolated so that slow names do not delay others.

Lookups run in threads that cannot be cancelled: a name that hangs occupies its thread for many
seconds, however soon the caller gives up. So each share has a bounded number of threads, and
results, including failures, are cached for a while.
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

from landbridge.platform.http.egress_addresses import LOCAL_ADDRESSES, LOCALHOST, Address
from landbridge.platform.http.egress_connections import current
from landbridge.platform.http.fair_semaphore import FairSemaphore

# Function that resolves a name to all its addresses. Raises OSError if there are none.
Names = Callable[[str], Awaitable[Sequence[str]]]

# Errors of a process without free resources; they are no evidence against the address.
EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})

_LOOKUPS_MAX = 128
_LOOKUPS_EACH = 8
_CACHE_S = 10.0
_CACHE_MAX = 1_000


class AddressNotPublic(OSError):
    """The name resolves to an address that is not public."""


@dataclass(frozen=True, slots=True)
class _DnsResult:
    """Cached result of a lookup; valid until `until`, in the event loop's time."""

    addresses: Sequence[str]
    error: OSError | None
    until: float

    def result(self) -> Sequence[str]:
        if self.error is not None:
            # Raise a new exception each time: the traceback of a re-raised one grows.
            raise type(self.error)(*self.error.args)
        return self.addresses


class DnsLookups:
    """Resolves each name only once at the same time, and caches the result."""

    def __init__(self, names: Names | None) -> None:
        self._names = names or self._of_system
        self._slots = FairSemaphore(_LOOKUPS_MAX, each=_LOOKUPS_EACH)
        self._threads: ThreadPoolExecutor | None = None
        self._cache: dict[str, _DnsResult] = {}
        self._running: dict[str, asyncio.Task[_DnsResult]] = {}

    async def addresses(self, host: str) -> Sequence[str]:
        """Return the addresses of a name; raises OSError if there are none or no thread is free."""
        context = current.get()
        while True:
            cached = self._fresh(host)
            if cached is not None:
                return cached.result()
            running = self._running.get(host)
            if running is None:
                context.is_waiting = True
                await self._slots.acquire(context.share)
                context.is_waiting = False
                if host in self._running or self._fresh(host) is not None:
                    self._slots.release(context.share)
                    continue
                running = asyncio.create_task(self._resolve(host, context.share))
                self._running[host] = running
            # The lookup is shielded: other callers may wait for it, and its thread goes on in any
            # case.
            return (await asyncio.shield(running)).result()

    def close(self) -> None:
        """Cancel all waiting callers, and clear the cache."""
        self._cache.clear()
        for each in list(self._running.values()):
            each.cancel()
        threads, self._threads = self._threads, None
        if threads is not None:
            threads.shutdown(wait=False, cancel_futures=True)

    def _fresh(self, host: str) -> _DnsResult | None:
        cached = self._cache.get(host)
        return cached if cached is not None and cached.until > _now_s() else None

    async def _resolve(self, host: str, share: Hashable) -> _DnsResult:
        addresses: Sequence[str] = ()
        error: OSError | None = None
        try:
            addresses = await self._names(host)
        except OSError as failed:
            error = failed.with_traceback(None)
        finally:
            del self._running[host]
            self._slots.release(share)
        found = _DnsResult(addresses, error, _now_s() + _CACHE_S)
        if error is None or error.errno not in EXHAUSTED:
            self._store(host, found)
        return found

    def _store(self, host: str, found: _DnsResult) -> None:
        self._cache.pop(host, None)
        self._cache[host] = found
        if len(self._cache) > _CACHE_MAX:
            del self._cache[next(iter(self._cache))]

    async def _of_system(self, host: str) -> Sequence[str]:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(_LOOKUPS_MAX, thread_name_prefix="names")
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, _addresses_of, host)


class DnsResolver(AbstractResolver):
    """Resolver for aiohttp that returns the addresses of a name only if all of them are public."""

    def __init__(self, lookups: DnsLookups, is_refused: Callable[[Address], bool]) -> None:
        self._lookups = lookups
        self._is_refused = is_refused

    @override
    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        if host == LOCALHOST:
            # Only a sandbox allows the name localhost.
            return [_result(host, address, port) for address in LOCAL_ADDRESSES]
        found = [ip_address(each) for each in await self._lookups.addresses(host)]
        if not found:
            raise socket.gaierror(socket.EAI_NONAME, "leads nowhere")
        # One forbidden address refuses the name: aiohttp chooses the address to which it connects.
        if any(map(self._is_refused, found)):
            raise AddressNotPublic
        return [_result(host, address, port) for address in found]

    @override
    async def close(self) -> None:
        """Do nothing: the resolver holds no resources."""


def shorten_resolver_timeouts() -> None:
    """Shorten the timeouts of the system resolver unless configured; call it before any lookup.

    The defaults, 5 seconds and two attempts, exceed the timeout of a request.
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
    """Query the system resolver. The trailing dot prevents the use of search domains."""
    found = socket.getaddrinfo(
        f"{host}.", None, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG
    )
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))
