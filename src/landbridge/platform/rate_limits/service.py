"""Rate limits: count each request before it is executed, and refuse requests above the rate.

Guarantees:
- A request with a valid key counts for the key and for its organisation, any other request for the
  client's address, even on an unknown path. A refused request is not counted and has no log line of
  its own: their number is logged once a minute.
- Counting never waits. Processes exchange the usage of keys and organisations about once a second,
  for buckets that are used by at least a quarter. So for about a second, a client that spreads its
  requests over all processes can use what is left in each.
- Addresses are not stored, and internal requests of dashboard pages are not counted.

Source: contract, errors (429, where it is configured); the headers are those of the IETF's draft
draft-ietf-httpapi-ratelimit-headers.
"""

import math
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple
from uuid import UUID

from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Refused
from landbridge.platform.db.organisation_groups import batches
from landbridge.platform.db.pool import Database
from landbridge.platform.http.bound_hits import RequestBound, count_hit
from landbridge.platform.http.caller import Caller
from landbridge.platform.http.connection_admission import (
    HEALTH_PATHS,
    TrustedNetworks,
    address_share,
)
from landbridge.platform.http.periodic_task import repeating
from landbridge.platform.http.telemetry import add_headers, skip_access_log
from landbridge.platform.rate_limits import store
from landbridge.platform.rate_limits.buckets import WINDOW_S, BucketLevel, TokenBuckets
from landbridge.platform.rate_limits.store import BucketUsage

_SHARE_EVERY_S = 1.0
# Used part of a bucket, in seconds, from which other processes are informed.
_EXCHANGE_FROM_S = WINDOW_S / 4
_WINDOW = timedelta(seconds=WINDOW_S)

_KEY, _ORG, _ADDRESS = "key", "org", "address"
_BOUNDS = {
    _KEY: RequestBound.KEY_RATE,
    _ORG: RequestBound.ORG_RATE,
    _ADDRESS: RequestBound.ADDRESS_RATE,
}
_SCOPES = {_KEY: "with this key", _ORG: "of this organisation", _ADDRESS: "from this address"}


class _BucketOwner(NamedTuple):
    """Owner of a bucket: an API key or an organisation."""

    policy: str
    org_id: UUID
    id: UUID


class TooManyRequests(Refused):
    """There are too many requests; send this one again after Retry-After seconds."""

    code, name, status = 200002, "TOO_MANY_REQUESTS", 429

    def __init__(self, message: str | None = None, *, retry_after_s: int = 1) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(message)


class RateLimits:
    """Rate limits of keys, organisations and addresses in this process; zero is no limit."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        per_key: int,
        per_org: int,
        per_address: int,
        proxies: Sequence[str],
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._clock = clock
        self._rates = {_KEY: per_key, _ORG: per_org, _ADDRESS: per_address}
        self._buckets = {
            policy: TokenBuckets(per_second)
            for policy, per_second in self._rates.items()
            if per_second
        }
        self._exempt = TrustedNetworks(proxies)
        self._now_s = now_s
        # Tokens taken here that other processes do not know of yet.
        self._unshared: defaultdict[_BucketOwner, int] = defaultdict(int)

    @property
    def per_key(self) -> int:
        """Maximum requests per second of one key; zero means unlimited."""
        return self._rates[_KEY]

    @property
    def per_org(self) -> int:
        """Maximum requests per second of one organisation; zero means unlimited."""
        return self._rates[_ORG]

    def count_caller(self, scope: Any, caller: Caller) -> None:
        """Count a request with a valid key; raises `TooManyRequests` above a limit."""
        levels: list[tuple[str, BucketLevel]] = []
        # The key is counted first: a request refused for its key takes no token of the
        # organisation.
        for policy, bucket_id in ((_KEY, caller.id), (_ORG, caller.org_id)):
            if policy in self._buckets:
                level = self._buckets[policy].take(bucket_id, self._now_s())
                levels.append((policy, level))
                if not level.is_allowed:
                    self._refuse(scope, levels)
                self._unshared[_BucketOwner(policy, caller.org_id, bucket_id)] += 1
        if levels:
            self._add_headers(scope, levels)

    def count_address(self, scope: Any) -> None:
        """Count a request without a valid key; raises `TooManyRequests` above the limit."""
        client = scope.get("client")
        if client is None or _ADDRESS not in self._buckets:
            return
        is_health_check = scope["method"] == "GET" and scope["path"].encode() in HEALTH_PATHS
        if is_health_check or self._exempt.has(client[0]):
            return
        level = self._buckets[_ADDRESS].take(address_share(client[0]), self._now_s())
        if not level.is_allowed:
            self._refuse(scope, [(_ADDRESS, level)])

    async def share(self) -> None:
        """Exchange the usage of buckets with other processes."""
        now_s = self._now_s()
        for buckets in self._buckets.values():
            buckets.sweep(now_s)
        used: dict[_BucketOwner, timedelta] = {}
        unshared: defaultdict[_BucketOwner, int] = defaultdict(int)
        for each, tokens in self._unshared.items():
            buckets = self._buckets[each.policy]
            empty_s = buckets.empty_s(each.id, now_s)
            if empty_s >= _EXCHANGE_FROM_S:
                # Usage that exceeds the used part has been refilled since.
                used[each] = timedelta(seconds=min(buckets.seconds(tokens), empty_s))
            elif empty_s > 0:
                unshared[each] = tokens
        self._unshared = unshared
        if used:
            await self._exchange(used)

    def sharing(self) -> AbstractAsyncContextManager[None]:
        """Exchange usage periodically during the block."""
        return repeating(
            self.share,
            every_s=_SHARE_EVERY_S,
            busy="request_rates.busy",
            failed="request_rates.not_shared",
        )

    async def _exchange(self, used: Mapping[_BucketOwner, timedelta]) -> None:
        usages = [BucketUsage(each.org_id, each.id, time) for each, time in used.items()]
        at = self._clock.now()
        found: list[BucketUsage] = []
        for batch in batches(self._database, usages, attrgetter("org_id")):
            found += await self._database.single(
                partial(store.add, usages=batch, at=at, window=_WINDOW)
            )
        times = {each.bucket_id: each.time.total_seconds() for each in found}
        now_s = self._now_s()
        for each in used:
            buckets = self._buckets[each.policy]
            # The result does not include tokens taken here during the exchange.
            since_s = buckets.seconds(self._unshared.get(each, 0))
            buckets.set_empty_s(each.id, times[each.id] + since_s, now_s)

    def _refuse(self, scope: Any, levels: Sequence[tuple[str, BucketLevel]]) -> None:
        policy, level = levels[-1]
        self._add_headers(scope, levels)
        skip_access_log(scope)
        count_hit(_BOUNDS[policy])
        raise TooManyRequests(
            f"there are too many requests {_SCOPES[policy]}: {self._rates[policy]} a second may be "
            "sent; send this one again after Retry-After seconds",
            retry_after_s=max(math.ceil(level.wait_s), 1),
        )

    def _add_headers(self, scope: Any, levels: Sequence[tuple[str, BucketLevel]]) -> None:
        """Add headers with the limits and the remaining requests."""
        policies = ", ".join(
            f'"{policy}";q={self._buckets[policy].capacity};w={WINDOW_S}' for policy, _ in levels
        )
        remaining = ", ".join(
            f'"{policy}";r={level.remaining};t={math.ceil(level.full_in_s)}'
            for policy, level in levels
        )
        add_headers(
            scope,
            [(b"ratelimit-policy", policies.encode()), (b"ratelimit", remaining.encode())],
        )
