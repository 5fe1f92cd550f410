"""Counts each request before it is carried out, and refuses those that are too many.

Guarantees:
- a request with a valid key counts for the key and for its organisation, any other one for the
  address of its client; one that is refused counts for nothing;
- counting waits for nobody. Processes tell each other about once a second what was taken of keys
  and organisations, of those that have taken a quarter of their bucket: so one that spreads its
  requests over all of them gets for a second at most what each has left;
- nothing of an address is written down, and what pages of ours ask from within is not counted.

Source: contract, errors (429, where it is configured); the headers are those of the IETF's draft
draft-ietf-httpapi-ratelimit-headers.
"""

import math
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from typing import Any, NamedTuple
from uuid import UUID

from landbridge.core.clock import Clock
from landbridge.core.errors import Refused
from landbridge.db.pool import Database
from landbridge.request_rates import store
from landbridge.request_rates.buckets import WINDOW_S, Buckets, Level
from landbridge.request_rates.store import Taken
from landbridge.web.admission import HEALTH_PATHS, Exempt, address_share
from landbridge.web.bounds import Bound, count_hit
from landbridge.web.caller import Caller
from landbridge.web.observe import add_headers
from landbridge.web.repeating import repeating

_SHARE_EVERY_S = 1.0
# From which part of a bucket on others are told of it.
_TOLD_FROM_S = WINDOW_S / 4
_WINDOW = timedelta(seconds=WINDOW_S)

_KEY, _ORG, _ADDRESS = "key", "org", "address"
_BOUNDS = {_KEY: Bound.KEY_RATE, _ORG: Bound.ORG_RATE, _ADDRESS: Bound.ADDRESS_RATE}
_WHOSE = {_KEY: "with this key", _ORG: "of this organisation", _ADDRESS: "from this address"}


class _Share(NamedTuple):
    """Whose bucket: a key's, or that of an organisation itself."""

    policy: str
    org_id: UUID
    id: UUID


class TooManyRequests(Refused):
    """There are too many requests; send this one again after Retry-After seconds."""

    code, name, status = 200002, "TOO_MANY_REQUESTS", 429

    def __init__(self, message: str | None = None, *, retry_after_s: int = 1) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(message)


class RequestRates:
    """The rates of all keys, organisations and addresses in this process; zero is no bound."""

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
            policy: Buckets(per_second) for policy, per_second in self._rates.items() if per_second
        }
        self._exempt = Exempt(proxies)
        self._now_s = now_s
        # Tokens that no other process knows of.
        self._untold: defaultdict[_Share, int] = defaultdict(int)

    @property
    def per_key(self) -> int:
        """Requests a second of one key; zero: without a bound."""
        return self._rates[_KEY]

    @property
    def per_org(self) -> int:
        """Requests a second of one organisation; zero: without a bound."""
        return self._rates[_ORG]

    def take_of_caller(self, scope: Any, caller: Caller) -> None:
        """Count a request with a valid key; raises `TooManyRequests`."""
        told: list[tuple[str, Level]] = []
        # The key first: a key that is refused takes nothing of its organisation.
        for policy, share_id in ((_KEY, caller.id), (_ORG, caller.org_id)):
            if policy in self._buckets:
                level = self._buckets[policy].take(share_id, self._now_s())
                told.append((policy, level))
                if not level.is_taken:
                    self._refuse(scope, told)
                self._untold[_Share(policy, caller.org_id, share_id)] += 1
        if told:
            self._tell(scope, told)

    def take_of_address(self, scope: Any) -> None:
        """Count a request without a valid key; raises `TooManyRequests`."""
        client = scope.get("client")
        if client is None or _ADDRESS not in self._buckets:
            return
        if scope["path"].encode() in HEALTH_PATHS or self._exempt.has(client[0]):
            return
        level = self._buckets[_ADDRESS].take(address_share(client[0]), self._now_s())
        if not level.is_taken:
            self._refuse(scope, [(_ADDRESS, level)])

    async def share(self) -> None:
        """Tell other processes what was taken here, and learn what they have taken."""
        now_s = self._now_s()
        for buckets in self._buckets.values():
            buckets.sweep(now_s)
        told: dict[_Share, timedelta] = {}
        kept: defaultdict[_Share, int] = defaultdict(int)
        for each, tokens in self._untold.items():
            buckets = self._buckets[each.policy]
            empty_s = buckets.empty_s(each.id, now_s)
            if empty_s >= _TOLD_FROM_S:
                # Of what was taken long ago, much has come back.
                told[each] = timedelta(seconds=min(buckets.seconds(tokens), empty_s))
            elif empty_s > 0:
                kept[each] = tokens
        self._untold = kept
        if told:
            await self._exchange(told)

    def sharing(self) -> AbstractAsyncContextManager[None]:
        """Share now and then, while this lasts."""
        return repeating(
            self.share,
            every_s=_SHARE_EVERY_S,
            busy="request_rates.busy",
            failed="request_rates.not_shared",
        )

    async def _exchange(self, told: Mapping[_Share, timedelta]) -> None:
        taken = [Taken(each.org_id, each.id, time) for each, time in told.items()]
        at = self._clock.now()
        found = await self._database.single(lambda tx: store.add(tx, taken, at=at, window=_WINDOW))
        times = {each.share_id: each.time.total_seconds() for each in found}
        now_s = self._now_s()
        for each in told:
            buckets = self._buckets[each.policy]
            # What was taken here while others were asked is not in their answer.
            since_s = buckets.seconds(self._untold.get(each, 0))
            buckets.set_empty_s(each.id, times[each.id] + since_s, now_s)

    def _refuse(self, scope: Any, told: Sequence[tuple[str, Level]]) -> None:
        policy, level = told[-1]
        self._tell(scope, told)
        count_hit(_BOUNDS[policy])
        raise TooManyRequests(
            f"there are too many requests {_WHOSE[policy]}: {self._rates[policy]} a second may be "
            "sent; send this one again after Retry-After seconds",
            retry_after_s=max(math.ceil(level.wait_s), 1),
        )

    def _tell(self, scope: Any, told: Sequence[tuple[str, Level]]) -> None:
        """The headers of the answer."""
        policies = ", ".join(
            f'"{policy}";q={self._buckets[policy].capacity};w={WINDOW_S}' for policy, _ in told
        )
        levels = ", ".join(
            f'"{policy}";r={level.left};t={math.ceil(level.full_in_s)}' for policy, level in told
        )
        add_headers(
            scope,
            [(b"ratelimit-policy", policies.encode()), (b"ratelimit", levels.encode())],
        )
