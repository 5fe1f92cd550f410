"""Concurrent reads whose errors keep the order of a sequence of reads."""

import asyncio
from collections.abc import Awaitable, Iterable
from typing import TypeVar, cast

T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")


async def gather_in_order(reads: Iterable[Awaitable[T]]) -> list[T]:
    """Return the results of concurrent reads.

    Raises the error of the first read in their order that failed, whichever failed first in time,
    after all of them have ended.
    """
    reads = list(reads)
    if len(reads) == 1:
        # Without a task of its own.
        return [await reads[0]]
    results = await asyncio.gather(*reads, return_exceptions=True)
    found: list[T] = []
    for result in results:
        if isinstance(result, BaseException):
            raise result
        found.append(result)
    return found


async def both_in_order(first: Awaitable[A], second: Awaitable[B]) -> tuple[A, B]:
    """Return the results of two concurrent reads; raises as `gather_in_order`."""
    reads: tuple[Awaitable[A | B], Awaitable[A | B]] = (first, second)
    return cast("tuple[A, B]", tuple(await gather_in_order(reads)))
