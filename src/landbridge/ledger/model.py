"""Types of the ledger: postings, records, commands and their outcomes."""

from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum, StrEnum
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

import msgspec

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.money import Money
from landbridge.platform.core.transitions import Transitions

T = TypeVar("T")


class HouseRole(StrEnum):
    """Role of a house account: one per organisation, role and asset. It may be negative."""

    LIQUIDITY = "liquidity"  # inventory of coins for the organisation's swaps
    FEES = "fees"  # fees paid by customers
    OUTSIDE = "outside"  # counterpart of money that came from or went to chains and banks
    # money between two legs of a record; zero once all records are terminal
    IN_TRANSIT = "in_transit"
    RECEIVABLE = "receivable"  # debts of customers to the organisation; negative
    WRITE_OFFS = "write_offs"  # permanent losses of the organisation; negative
    SUSPENSE = "suspense"  # deposits that arrived, but are not released or have no known owner
    GAS = "gas"  # native coins paid to validators for transactions; an expense, negative
    PAYABLE = (
        "payable"  # fees owed to beneficiaries, not yet paid; zero once all records are terminal
    )


@dataclass(frozen=True, slots=True)
class Posting:
    """Line of a journal: the amount added to an account; negative if taken from it.

    `account` is a wallet account or a house role. Held money still belongs to the wallet but can't
    be spent. House accounts hold nothing.
    """

    account: UUID | HouseRole
    available: Money
    held_units: int = 0


def check_journal(postings: Sequence[Posting]) -> None:
    """Raise `InvariantBroken` unless no posting is zero and they sum to zero per asset."""
    sums: defaultdict[str, int] = defaultdict(int)
    for posting in postings:
        if not posting.available.units and not posting.held_units:
            raise InvariantBroken(f"a posting moves nothing: {posting}")
        if posting.held_units and isinstance(posting.account, HouseRole):
            raise InvariantBroken(f"a house account can't hold money: {posting}")
        sums[posting.available.asset.code] += posting.available.units + posting.held_units
    if any(sums.values()):
        raise InvariantBroken(f"a journal does not sum to zero: {dict(sums)}")


@dataclass(frozen=True, slots=True)
class Transfer:
    """Transfer record as it was read or has just been written.

    `details` and `facts` belong to the flow, as JSON-like values; the flow decodes both into its
    frozen struct. Units are in the smallest unit of the asset beside them.
    """

    org_id: UUID
    id: UUID
    kind: str
    user_id: UUID
    request_id: UUID
    request: Mapping[str, Any]
    status: str
    version: int
    source_asset: str
    source_units: int
    destination_asset: str
    destination_units: int
    details: Mapping[str, Any]
    facts: Mapping[str, Any]
    due_at: datetime | None
    created_at: datetime
    updated_at: datetime
    # Metadata that the client attached; None for a due record, which the worker reads without it.
    metadata: dict[str, str] | None = None

    def decode(self, kind: type[T]) -> T:
        """Decode details and facts into the struct of a flow; a fact replaces a detail."""
        return msgspec.convert({**self.details, **self.facts}, kind, strict=False)


@dataclass(frozen=True, slots=True)
class CreateTransfer:
    """Command to create a record along `path` (normally one status), with its postings.

    `journals` maps a position in the path to its postings: `{0: [...]}` posts with the first
    change.
    """

    org_id: UUID
    id: UUID
    kind: str
    user_id: UUID
    request_id: UUID
    request: Mapping[str, Any]
    path: tuple[str, ...]
    source: Money
    destination: Money
    details: Mapping[str, Any]
    due_at: datetime | None
    at: datetime
    actor: str
    journals: Mapping[int, Sequence[Posting]] = field(default_factory=dict[int, Sequence[Posting]])

    def check(self, transitions: "Transitions[Any]") -> None:
        """Raise `InvariantBroken` for a path that the flow forbids or an unbalanced journal."""
        _check(transitions, None, self.path, self.journals)


class DueCheck(Enum):
    """Check of the record's due time, made by the database function that advances records."""

    ANY = "any"
    IN_TIME = "in time"  # advance only before the due time
    OVERDUE = "overdue"  # advance only from the due time on


@dataclass(frozen=True, slots=True)
class AdvanceTransfer:
    """Command to advance a record along `path`, from the version at which it was read.

    `source` and `destination` replace the created amounts, for a quote that is made later. The flow
    repeats them in `facts`, so that the change log has them.
    """

    transfer: Transfer
    path: tuple[str, ...]
    change_type: str
    actor: str
    at: datetime
    timing: DueCheck = DueCheck.ANY
    due_at: datetime | None = None
    source: Money | None = None
    destination: Money | None = None
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    journals: Mapping[int, Sequence[Posting]] = field(default_factory=dict[int, Sequence[Posting]])

    def check(self, transitions: "Transitions[Any]") -> None:
        """Raise `InvariantBroken` for a path that the flow forbids or an unbalanced journal."""
        if self.transfer.status not in transitions.table:
            raise InvariantBroken(f"{self.transfer.status} is no status of a {self.transfer.kind}")
        _check(transitions, self.transfer.status, self.path, self.journals)


class CommitOutcome(StrEnum):
    """Outcome of one item of a batch."""

    DONE = "done"
    DUPLICATE = "known"  # create: a record with this request id or id exists
    STALE = "lost"  # advance: the record has another version than the one read
    LATE = "late"  # advance: the record is past its due time
    EARLY = "early"  # advance: the record is not due yet
    INSUFFICIENT = "short"  # a wallet has an insufficient balance
    # a posting references an account that does not exist, which only a bug can cause
    UNKNOWN_ACCOUNT = "stray"


def created_record(creation: CreateTransfer) -> Transfer:
    """Return the record that a create command will produce."""
    return Transfer(
        org_id=creation.org_id,
        id=creation.id,
        kind=creation.kind,
        user_id=creation.user_id,
        request_id=creation.request_id,
        request=creation.request,
        status=creation.path[-1],
        version=len(creation.path),
        source_asset=creation.source.asset.code,
        source_units=creation.source.units,
        destination_asset=creation.destination.asset.code,
        destination_units=creation.destination.units,
        details=creation.details,
        facts={},
        due_at=creation.due_at,
        created_at=creation.at,
        updated_at=creation.at,
    )


def advanced_record(move: AdvanceTransfer) -> Transfer:
    """Return the record that an advance command will produce."""
    before = move.transfer
    source, destination = move.source, move.destination
    return replace(
        before,
        status=move.path[-1],
        version=before.version + len(move.path),
        source_asset=source.asset.code if source else before.source_asset,
        source_units=source.units if source else before.source_units,
        destination_asset=destination.asset.code if destination else before.destination_asset,
        destination_units=destination.units if destination else before.destination_units,
        facts={**before.facts, **move.facts},
        due_at=move.due_at,
        updated_at=move.at,
    )


def _check(
    transitions: "Transitions[Any]",
    before: Any,
    path: tuple[str, ...],
    journals: Mapping[int, Sequence[Posting]],
) -> None:
    if not transitions.is_path(before, path):
        raise InvariantBroken(f"{before} may not become {' > '.join(path)}")
    for position, postings in journals.items():
        if not 0 <= position < len(path) or not postings:
            raise InvariantBroken("a journal belongs to a position in the path and has postings")
        check_journal(postings)


def is_due(command: "CreateTransfer | AdvanceTransfer") -> bool:
    """Return whether the record is due as soon as the command is committed."""
    return command.due_at is not None and command.due_at <= command.at


def account_keys(org_id: UUID, journals: Mapping[int, Sequence[Posting]]) -> set[tuple[UUID, UUID]]:
    """Return (organisation, id) of every wallet account that these postings change."""
    return {
        (org_id, posting.account)
        for postings in journals.values()
        for posting in postings
        if not isinstance(posting.account, HouseRole)
    }


def creation_keys(creation: CreateTransfer) -> Collection[Hashable]:
    """Return keys of a creation; commands with a common key must not be in the same batch."""
    return {
        (creation.org_id, creation.request_id),
        (creation.org_id, creation.id),
        *account_keys(creation.org_id, creation.journals),
    }


def advance_keys(move: AdvanceTransfer) -> Collection[Hashable]:
    """Return keys of an advance; commands with a common key must not be in the same batch."""
    org_id = move.transfer.org_id
    return {(org_id, move.transfer.id), *account_keys(org_id, move.journals)}


class NewAccount(NamedTuple):
    """Account that a wallet lacks, because the wallet is older than the asset."""

    id: UUID
    wallet_id: UUID
    asset_code: str


@dataclass(frozen=True, slots=True)
class AccountBalance:
    """Balance of a wallet in one asset, in smallest units; `held_units` can't be spent.

    `missing` is set if the account does not exist yet; the balance is then zero.
    """

    id: UUID
    available_units: int
    held_units: int
    missing: NewAccount | None = None
