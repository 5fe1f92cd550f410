"""Ports of an outbox that fail at a chosen call: a killed worker, or a lost answer."""

import inspect
from collections.abc import Awaitable, Callable, Collection
from dataclasses import replace
from typing import Any, cast

from landbridge.platform.core.ids import new_id
from landbridge.providers.evm.outbox.service import ChainOutbox
from tests.chain_world import ChainWorld

# What changes the chain, the signer's log or the database.
_POINTS = frozenset(
    {
        "send_raw",
        "transact",
        "sign_transaction",
        "sign_token_authorization",
        "sign_account_calls",
        "sign_delegation",
    }
)


class Killed(Exception):
    """The worker was killed here."""


class KillSwitch:
    """Counts calls of the outside world, and kills the worker before or after one of them."""

    def __init__(self, at: int | None = None, *, is_after: bool = False) -> None:
        self.count = 0
        self._at = at
        self._is_after = is_after
        self._is_dead = False

    async def call(self, work: Callable[[], Awaitable[Any]]) -> Any:
        """Carry out a call, unless the worker dies first."""
        self.count += 1
        is_here = self.count == self._at
        if self._is_dead or (is_here and not self._is_after):
            self._is_dead = True
            raise Killed
        result = await work()
        # Others of its tasks may have died during the call.
        self._is_dead |= is_here
        if self._is_dead:
            raise Killed
        return result


class FailingPort:
    """A port of which some methods go through `call`."""

    def __init__(
        self,
        inner: object,
        call: Callable[[Callable[[], Awaitable[Any]]], Awaitable[Any]],
        points: Collection[str] = _POINTS,
    ) -> None:
        self._inner = inner
        self._call = call
        self._points = points

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._inner, name)
        if name not in self._points or not inspect.iscoroutinefunction(member):
            return member

        async def through(*values: Any, **named: Any) -> Any:
            return await self._call(lambda: member(*values, **named))

        return through


def killed_outbox(world: ChainWorld, switch: KillSwitch) -> ChainOutbox:
    """Return the outbox of a worker that the switch kills."""
    context = world.outbox.context
    return ChainOutbox(
        replace(
            context,
            client=cast("Any", FailingPort(context.client, switch.call)),
            database=cast("Any", FailingPort(context.database, switch.call)),
            signer=cast("Any", FailingPort(context.signer, switch.call)),
        ),
        owner=new_id(),
    )
