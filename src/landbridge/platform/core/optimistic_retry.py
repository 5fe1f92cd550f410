"""Optimistic concurrency: read, decide, write, and start over if another process was faster.

@optimistic_retry("the swap was changed concurrently; try again")
async def accept(self, caller: Caller, swap_id: UUID) -> Swap | None:
swap = await self.get(caller.org_id, swap_id)
...
moved = await self.ledger.advance(accepted(swap, at), TRANSITIONS)
return as_swap(moved) if isinstance(moved, Transfer) else None
"""

from collections.abc import Awaitable, Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from landbridge.platform.core.errors import Busy

# An attempt is lost only if another one succeeded, so few attempts are lost in a row.
ATTEMPTS_MAX = 20

P = ParamSpec("P")
T = TypeVar("T")


def optimistic_retry(
    busy: str,
) -> Callable[[Callable[P, Awaitable[T | None]]], Callable[P, Coroutine[Any, Any, T]]]:
    """Decorate an attempt, which returns None if a concurrent change made it fail.

    The decorated function repeats the attempt. After `ATTEMPTS_MAX` it raises `Busy` with the
    message `busy`.
    """

    def decorate(
        attempt: Callable[P, Awaitable[T | None]],
    ) -> Callable[P, Coroutine[Any, Any, T]]:
        @wraps(attempt)
        async def repeat(*args: P.args, **kwargs: P.kwargs) -> T:
            for _ in range(ATTEMPTS_MAX):
                result = await attempt(*args, **kwargs)
                if result is not None:
                    return result
            raise Busy(busy)

        return repeat

    return decorate
