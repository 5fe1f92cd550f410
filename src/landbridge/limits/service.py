"""Verbs on limits: what rules say of a payment, in the transaction that commits it.

Guarantees:
- what is counted is counted in the payment's own transaction, once for each record and counter,
  whoever counts it: of any number of payments at once, together they stay within a limit;
- rows of counters are locked last and in one order: payments wait for each other, never for good;
- a process knows for a second at most whether there are rules; which ones is read in the
  transaction.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from hashlib import sha256
from uuid import UUID

from landbridge.accounts import service as accounts
from landbridge.changes.service import tell
from landbridge.core.errors import ResourceConflict, RoleNotAllowed
from landbridge.core.ids import derived_id
from landbridge.db.pool import Database, Tx
from landbridge.ledger.model import Transfer
from landbridge.limits import store
from landbridge.limits.document import restored, stored
from landbridge.limits.judging import claims, counter_of, judge, left_of, new_ones
from landbridge.limits.model import (
    Counter,
    Kind,
    Left,
    Rules,
    Spending,
    Target,
    Use,
    Used,
    Verdict,
    Window,
)
from landbridge.wallets import service as wallets
from landbridge.web.caller import Caller, check_admin

CHANGE_KIND = "LIMITS"

# How long a process may not know that rules were set.
KNOWN_S = 1.0
_NO_RULES = Rules()


class RuleBook:
    """The rules that are in force, with the number of their version; 0 if none were ever set."""

    __slots__ = ("is_empty", "rules", "set_at", "version")

    def __init__(self, rules: Rules, version: int, set_at: datetime | None) -> None:
        self.rules = rules
        self.is_empty = rules == _NO_RULES
        self.version = version
        self.set_at = set_at


class Limits:
    """Rules of all organisations, and what was used of them; `kinds` are what they are for."""

    def __init__(self, database: Database, kinds: Mapping[str, Kind] | None = None) -> None:
        self._database = database
        self.kinds = kinds or {}
        # Rules by organisation as they were read last, and until when that may be believed.
        self._books: dict[UUID, RuleBook] = {}
        self._fresh_until_s: dict[UUID, float] = {}

    async def has_rules(self, org_id: UUID) -> bool:
        """Whether the organisation has any rule; asked for each payment, so it costs nothing."""
        if self._fresh_until_s.get(org_id, 0.0) < time.monotonic():
            await self._database.single(lambda tx: self.book(tx, org_id))
        return not self._books[org_id].is_empty

    async def take_in(self, tx: Tx, record: Transfer, *, is_approved: bool = False) -> Verdict:
        """What the rules say of a payment, counted if it is committed; a quote is only looked at.

        In the transaction that opens or accepts it, after all else: what was used stands in rows
        that many payments want. Once per record: what was counted before is not again. What the
        verdict is of is counted, too: a caller that does not go on rolls back. What would want an
        approval passes if it `is_approved`.
        """
        spending = self.spending(record)
        book = await self.book(tx, record.org_id)
        if spending is None or book.is_empty:
            return Verdict()
        rules = book.rules
        known = (await known_since(tx, record.org_id, rules, [spending])).of(spending)
        wanted = claims(rules, spending, known)
        if spending.is_committed:
            taken = await _count(tx, record.org_id, {spending: wanted}, record.updated_at)
            # What it was in before can't be over because of it: it was judged then.
            used = {each: taken.get(each, Used()) for each in wanted}
        else:
            before = await store.used(tx, record.org_id, wanted)
            used = {each: before.get(each, Used()) + usd for each, usd in wanted.items()}
        verdict = judge(rules, spending, known, used)
        return verdict.approved() if is_approved else verdict

    async def count_in(self, tx: Tx, org_id: UUID, records: Sequence[Transfer]) -> None:
        """Count payments that were committed without: before there were rules, or these."""
        read = [self.spending(each) for each in records]
        spendings = [each for each in read if each is not None and each.is_committed]
        rules = (await self.book(tx, org_id)).rules
        known = await known_since(tx, org_id, rules, spendings)
        wanted = {each: claims(rules, each, known.of(each)) for each in spendings}
        if records:
            at = max(each.updated_at for each in records)
            await _count(tx, org_id, wanted, at)

    async def reopen_in(self, tx: Tx, org_id: UUID, record_id: UUID, *, at: datetime) -> None:
        """Let what a completed payment used be given back once it has come to nothing.

        In the transaction that reopens the payment, after its record was moved.
        """
        await store.reopen(tx, org_id, record_id, at)

    def spending(self, record: Transfer) -> Spending | None:
        """A record as the rules see it; None for one that no rule is for."""
        kind = self.kinds.get(record.kind)
        return None if kind is None else kind.read(record)

    async def book(self, tx: Tx, org_id: UUID) -> RuleBook:
        """The rules as they are now; parsed only when they have changed."""
        found = await store.rules(tx, org_id)
        known = self._books.get(org_id)
        version = 0 if found is None else found.version
        if known is None or known.version != version:
            known = (
                RuleBook(_NO_RULES, 0, None)
                if found is None
                else RuleBook(restored(found.document), found.version, found.set_at)
            )
            self._books[org_id] = known
        self._fresh_until_s[org_id] = time.monotonic() + KNOWN_S
        return known

    async def rules(self, org_id: UUID) -> RuleBook:
        """The rules of an organisation."""
        return await self._database.single(lambda tx: self.book(tx, org_id))

    async def set_rules_for(
        self, caller: Caller, rules: Rules, *, instead_of: int, at: datetime
    ) -> bool:
        """As `set_rules`, because somebody asks for it who saw the rules of version `instead_of`.

        Raises `RoleNotAllowed` for all but admins who signed in: a key that pays can't raise its
        own limits.
        """
        check_admin(caller)
        if caller.member is None:
            raise RoleNotAllowed("only an admin who signed in may do this")
        return await self.set_rules(
            caller.org_id, rules, actor=caller.actor, at=at, instead_of=instead_of
        )

    async def set_rules(
        self,
        org_id: UUID,
        rules: Rules,
        *,
        actor: str,
        at: datetime,
        instead_of: int | None = None,
    ) -> bool:
        """Let these rules hold from now on; False if they do already.

        They begin with what was used before, which the worker, or `Counting`, counts. Raises
        `ResourceConflict` if those of version `instead_of` hold no more.
        """
        document = stored(rules)

        async def work(tx: Tx) -> bool:
            version = await store.set_rules(tx, org_id, document, at, instead_of=instead_of)
            if version is None:
                if stored((await self.book(tx, org_id)).rules) != document:
                    raise ResourceConflict(
                        "somebody else has set other rules meanwhile; look at them first"
                    )
                return False
            await tell(
                tx,
                org_id=org_id,
                object_id=derived_id(org_id, CHANGE_KIND),
                seq=version,
                kind=CHANGE_KIND,
                what="set",
                actor=actor,
                at=at,
                facts={
                    "rules": len(rules.rules),
                    "sha256": sha256(document.encode()).hexdigest(),
                },
            )
            return True

        is_new = await self._database.transact(work)
        # This process need not wait until it looks again.
        self._fresh_until_s.pop(org_id, None)
        return is_new

    async def left(self, org_id: UUID, user_id: UUID | None, at: datetime) -> tuple[Left, ...]:
        """What the rules leave now: those of the organisation, and with a user of theirs."""

        async def read(tx: Tx) -> tuple[Left, ...]:
            book = await self.book(tx, org_id)
            shown = {
                rule: counter_of(rule, org_id, user_id or org_id, at)
                for rule in book.rules.rules
                if rule.window is not Window.PAYMENT and rule.is_about(user_id)
            }
            used = await store.used(tx, org_id, list(shown.values()))
            return tuple(left_of(rule, used.get(key, Used())) for rule, key in shown.items())

        return await self._database.transact(read)


@dataclass(frozen=True, slots=True)
class Known:
    """Since when destinations are known: accounts by id, addresses by who registered them."""

    accounts: Mapping[UUID, datetime]
    addresses: Mapping[tuple[UUID, str], datetime]

    def of(self, spending: Spending) -> Mapping[str, datetime]:
        """The destinations of one payment, by name; those that nobody registered are left out."""
        found = {each.name: self._since(each) for each in spending.targets}
        return {name: since for name, since in found.items() if since is not None}

    def _since(self, target: Target) -> datetime | None:
        if target.account_id is not None:
            return self.accounts.get(target.account_id)
        told = [self.addresses.get((user_id, target.name)) for user_id in target.user_ids]
        return min((each for each in told if each is not None), default=None)


async def known_since(tx: Tx, org_id: UUID, rules: Rules, spendings: Sequence[Spending]) -> Known:
    """Since when the destinations of these payments are known, as far as that matters."""
    targets = [target for each in spendings for target in new_ones(rules, each)]
    account_ids = {each.account_id for each in targets if each.account_id is not None}
    outside = [each for each in targets if each.account_id is None]
    user_ids = {user_id for each in outside for user_id in each.user_ids}
    addresses = {each.name for each in outside}
    return Known(
        await accounts.known_since(tx, org_id, account_ids) if account_ids else {},
        await wallets.known_since(tx, org_id, user_ids, addresses) if addresses else {},
    )


async def _count(
    tx: Tx, org_id: UUID, wanted: Mapping[Spending, Mapping[Counter, Decimal]], at: datetime
) -> Mapping[Counter, Used]:
    """Take what is wanted, as far as it was not taken before; what stands there then."""
    uses = [
        Use(each.record_id, counter, usd, each.at)
        for each, claimed in wanted.items()
        for counter, usd in claimed.items()
    ]
    if not uses:
        return {}
    fresh = await store.add_uses(tx, org_id, uses)
    sums: dict[Counter, Used] = {}
    for use in uses:
        if (use.record_id, use.counter) in fresh:
            sums[use.counter] = sums.get(use.counter, Used()) + use.usd
    return await store.add(tx, org_id, sums, at) if sums else {}
