"""Proof that a transaction was committed, if its connection was lost during the commit.

A transaction that writes a unique row calls `register_commit_proof` with a statement that finds
this row. If the response to the commit is lost, `Database.transact` looks for the row on another
connection. If the row exists, the result of the body is returned, and the body does not run again.
"""

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")
Connection = TypeVar("Connection", bound="ValueConnection")

# One row is enough as proof. More are kept in case the first was written in a savepoint that was
# rolled back.
_PROOFS_MAX = 8


class ValueConnection(Protocol):
    """A connection that returns one value."""

    async def fetchval(self, sql: str, *args: Any) -> Any:
        """Return the first column of the first row, or None."""
        ...


@dataclass(frozen=True, slots=True)
class CommitProof:
    """A statement that finds a row if the transaction that wrote it was committed."""

    sql: str
    args: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class CommitAttempt(Generic[T]):
    """A transaction whose body has ended: its result, and the proof of its commit."""

    result: T
    proofs: tuple[CommitProof, ...]

    async def is_committed(self, connection: ValueConnection) -> bool:
        """Return whether the transaction was committed; False if it set no proof."""
        for proof in self.proofs:
            if await connection.fetchval(proof.sql, *proof.args) is not None:
                return True
        return False

    async def check_before(
        self, connection: ValueConnection, before: "CommitAttempt[T] | None"
    ) -> None:
        """Raise `AlreadyCommittedError` if the previous attempt was committed after all.

        If both attempts have a proof in common, this attempt has just written that unique row, so
        the previous one was not committed.
        """
        if before is None or not set(before.proofs).isdisjoint(self.proofs):
            return
        if await before.is_committed(connection):
            raise AlreadyCommittedError


class AlreadyCommittedError(Exception):
    """The previous attempt was committed, although its connection was lost."""


_proofs: ContextVar[list[CommitProof] | None] = ContextVar("proofs", default=None)


def register_commit_proof(sql: str, *args: Any) -> None:
    """Register a commit proof of the current transaction: a statement that finds its unique row."""
    proofs = _proofs.get()
    if proofs is not None and len(proofs) < _PROOFS_MAX:
        proofs.append(CommitProof(sql, args))


async def attempt(
    connection: Connection, work: Callable[[Connection], Awaitable[T]]
) -> CommitAttempt[T]:
    """Run the body of a transaction, and collect its commit proofs."""
    proofs: list[CommitProof] = []
    token = _proofs.set(proofs)
    try:
        return CommitAttempt(await work(connection), tuple(proofs))
    finally:
        _proofs.reset(token)
