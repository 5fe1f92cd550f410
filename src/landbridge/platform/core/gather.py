"""Concurrent reads that raise the same error as the same reads one after the other."""

import asyncio
from collections.abc import Awaitable, Iterable
from typing import TypeVar, cast

T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")


async def gather_in_order(reads: Iterable[Awaitable[T]]) -> list[T]:
    """Return the results of concurrent reads, after all of them have ended.

    If reads failed, raises the error of the failed read that is first in the order of `reads`, even
    if another failed earlier.
    """
    reads = list(reads)
    if len(reads) == 1:
        # A single read needs no task.
        return [await reads[0]]
    results = await asyncio.gather(*reads, return_exceptions=True)
    found: list[T] = []
    for result in results:
        if isinstance(result, BaseException):
            raise result
        found.append(result)
    return found


async def both_in_order(first: Awaitable[A], second: Awaitable[B]) -> tuple[A, B]:
    """Return the results of two concurrent reads; errors are raised as in `gather_in_order`."""
    reads: tuple[Awaitable[A | B], Awaitable[A | B]] = (first, second)
    return cast("tuple[A, B]", tuple(await gather_in_order(reads)))
