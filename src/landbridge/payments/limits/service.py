"""Limit service: evaluates the rules in the transaction that commits a payment.

Guarantees:
- Usage is counted in the payment's own transaction, once per record and counter, by any process.
  Concurrent payments together stay within a limit.
- Counter rows are locked last and in one order, so payments wait for each other but never deadlock.
- A process notices within a second whether an organisation has rules; the rules themselves are read
  in the transaction.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from hashlib import sha256
from uuid import UUID

from landbridge.customers.bank_accounts import erasure as accounts
from landbridge.ledger.model import Transfer
from landbridge.payments.limits import store
from landbridge.payments.limits.destinations import Destinations, listed_ids
from landbridge.payments.limits.document import decoded, encoded
from landbridge.payments.limits.errors import LimitExceeded
from landbridge.payments.limits.evaluation import (
    counter_increments,
    counter_of,
    evaluate,
    is_new,
    list_findings,
    remaining_amount,
)
from landbridge.payments.limits.model import (
    CounterUsage,
    DestinationList,
    LimitAction,
    LimitedKind,
    LimitRemaining,
    LimitRules,
    LimitUsage,
    LimitVerdict,
    LimitWindow,
    PaymentDestination,
    UsageCounter,
    UsageIncrement,
)
from landbridge.platform.changes.service import append_change
from landbridge.platform.core.errors import ResourceConflict, RoleNotAllowed
from landbridge.platform.core.ids import derived_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault
from landbridge.platform.http.caller import Caller, check_admin

CHANGE_KIND = "LIMITS"

# Seconds within which every process notices that rules were set.
RULES_CACHE_S = 1.0
_NO_RULES = LimitRules()


class RuleBook:
    """Rules in force, with their version, which is 0 if none were ever set."""

    __slots__ = ("is_empty", "rules", "set_at", "version")

    def __init__(self, rules: LimitRules, version: int, set_at: datetime | None) -> None:
        self.rules = rules
        self.is_empty = rules == _NO_RULES
        self.version = version
        self.set_at = set_at


class Limits:
    """Rules and usage of all organisations; `kinds` are the kinds of record with limits."""

    def __init__(
        self, database: Database, vault: Vault, kinds: Mapping[str, LimitedKind] | None = None
    ) -> None:
        self._database = database
        self.destinations = Destinations(vault)
        self.kinds = kinds or {}
        # Cached rules by organisation, and until when they may be used.
        self._books: dict[UUID, RuleBook] = {}
        self._fresh_until_s: dict[UUID, float] = {}

    async def has_rules(self, org_id: UUID) -> bool:
        """Return whether the organisation has any rule, as known for at most `RULES_CACHE_S`."""
        if self._fresh_until_s.get(org_id, 0.0) < time.monotonic():
            await self._database.read(lambda tx: self.current_rules(tx, org_id))
        return not self._books[org_id].is_empty

    async def evaluate_in(
        self, tx: Tx, record: Transfer, *, is_approved: bool = False
    ) -> LimitVerdict:
        """Evaluate a payment, and count it if it is committed; a quote is only evaluated.

        Must run in the transaction that creates or accepts the payment, after all other statements,
        because many payments lock the same counter rows. A record is counted once. Usage is counted
        even if the verdict rejects the payment: the caller must then roll back. With `is_approved`,
        rules that only require an approval are passed.
        """
        verdict = await self._evaluate(tx, record, counts=True)
        return verdict.approved() if is_approved else verdict

    async def preview(self, tx: Tx, record: Transfer) -> LimitVerdict:
        """Evaluate a payment that does not exist yet, and count nothing."""
        return await self._evaluate(tx, record, counts=False)

    async def _evaluate(self, tx: Tx, record: Transfer, *, counts: bool) -> LimitVerdict:
        usage = self.usage(record)
        current_rules = await self.current_rules(tx, record.org_id)
        if usage is None or current_rules.is_empty:
            return LimitVerdict()
        rules = current_rules.rules
        destinations = await self.destinations.known(tx, record.org_id, rules, [usage])
        usage, known = destinations.located(usage), destinations.of(usage)
        increments = counter_increments(rules, usage, known)
        if usage.is_committed and counts:
            totals = await _count(tx, record.org_id, {usage: increments}, record.updated_at)
            # The payment was evaluated when it was counted, so those counters do not reject it.
            used = {each: totals.get(each, CounterUsage()) for each in increments}
        else:
            before = await store.used(tx, record.org_id, increments)
            used = {
                each: before.get(each, CounterUsage()) + usd for each, usd in increments.items()
            }
        return evaluate(rules, usage, known, used)

    async def count_in(self, tx: Tx, org_id: UUID, records: Sequence[Transfer]) -> None:
        """Count payments that were committed before the current rules were set."""
        read = [self.usage(each) for each in records]
        usages = [each for each in read if each is not None and each.is_committed]
        rules = (await self.current_rules(tx, org_id)).rules
        known = await self.destinations.known(tx, org_id, rules, usages)
        increments = {each: counter_increments(rules, each, known.of(each)) for each in usages}
        if records:
            at = max(each.updated_at for each in records)
            await _count(tx, org_id, increments, at)

    async def reopen_in(self, tx: Tx, org_id: UUID, record_id: UUID, *, at: datetime) -> None:
        """Reopen the usage of a completed payment, so that it is released if the payment fails.

        Must run in the transaction that reopens the payment, after its record was advanced.
        """
        await store.reopen(tx, org_id, record_id, at)

    def usage(self, record: Transfer) -> LimitUsage | None:
        """Return the usage of a record; None for a kind without limits."""
        kind = self.kinds.get(record.kind)
        return None if kind is None else kind.read(record)

    async def current_rules(self, tx: Tx, org_id: UUID) -> RuleBook:
        """Return the rules as stored now; they are parsed again only if they have changed."""
        found = await store.rules(tx, org_id)
        known = self._books.get(org_id)
        version = 0 if found is None else found.version
        if known is None or known.version != version:
            known = RuleBook(_NO_RULES, 0, None)
            if found is not None:
                rules = await self.destinations.resolved(tx, org_id, decoded(found.document))
                known = RuleBook(rules, found.version, found.set_at)
            self._books[org_id] = known
        self._fresh_until_s[org_id] = time.monotonic() + RULES_CACHE_S
        return known

    async def rules(self, org_id: UUID) -> RuleBook:
        """Return the rules of an organisation."""
        return await self._database.read(lambda tx: self.current_rules(tx, org_id))

    async def check_listed(
        self, org_id: UUID, target: PaymentDestination, *, is_approved: bool = False
    ) -> None:
        """Raise `LimitExceeded` if a list excludes a destination.

        Used where no other rule applies: for deliveries without a request, and for refunds that
        people redirect. With `is_approved`, lists that only require an approval are passed.
        """
        rules = (await self.rules(org_id)).rules
        located = await self._database.read(
            lambda tx: self.destinations.located(tx, org_id, [target])
        )
        for each in list_findings(rules, located):
            if each.over is LimitAction.REFUSE or not is_approved:
                raise LimitExceeded(each.sentence)

    async def find_block_reason(
        self, org_id: UUID, targets: Iterable[PaymentDestination]
    ) -> str | None:
        """Return why one of these destinations may receive nothing now; None if all may.

        Used by the worker's steps, because a payment may wait for days after the evaluation of its
        request. Lists that only require an approval were respected in that evaluation.
        """
        block = _refusing(self._books[org_id]) if await self.has_rules(org_id) else None
        if block is None:
            return None
        found: Sequence[PaymentDestination] = list(targets)
        if block.hashes and any(each.account_id is not None for each in found):
            found = await self._database.read(
                lambda tx, read=found: self.destinations.located(tx, org_id, read)
            )
        findings = list_findings(LimitRules(block=block), found)
        return next((each.sentence for each in findings), None)

    async def find_blocked_in(
        self, tx: Tx, org_id: UUID, payouts: Sequence[Transfer]
    ) -> frozenset[UUID]:
        """Return the ids of the payouts to a bank account that may receive nothing now."""
        block = _refusing(await self.current_rules(tx, org_id))
        if block is None:
            return frozenset()
        found = [
            (record.id, target)
            for record in payouts
            if (usage := self.usage(record)) is not None
            for target in usage.targets
            if target.account_id is not None
        ]
        targets = [target for _, target in found]
        if block.hashes:
            targets = await self.destinations.located(tx, org_id, targets)
        return frozenset(
            record_id
            for (record_id, _), target in zip(found, targets, strict=True)
            if block.shares(target)
        )

    async def check_cooled_down(self, org_id: UUID, known_since: datetime, now: datetime) -> None:
        """Raise `LimitExceeded` while the cool-down of a destination known since then lasts.

        Used for virtual accounts, which deliver deposits of any amount without a request.
        """
        rule = (await self.rules(org_id)).rules.cool_down
        if rule is not None and is_new(rule, known_since, now):
            raise LimitExceeded(
                "a virtual account delivers only to addresses that were registered at least "
                f"{rule.hours} hours ago"
            )

    async def set_rules_for(
        self, caller: Caller, rules: LimitRules, *, instead_of: int, at: datetime
    ) -> bool:
        """Set rules on request of a caller who has seen the rules of version `instead_of`.

        Raises `RoleNotAllowed` except for signed-in admins: an API key that creates payments must
        not raise its own limits.
        """
        check_admin(caller)
        if caller.member is None:
            raise RoleNotAllowed("only a signed-in admin may do this")
        return await self.set_rules(
            caller.org_id, rules, actor=caller.actor, at=at, instead_of=instead_of
        )

    async def set_rules(
        self,
        org_id: UUID,
        rules: LimitRules,
        *,
        actor: str,
        at: datetime,
        instead_of: int | None = None,
    ) -> bool:
        """Replace the rules; return False if these rules are in force already.

        The worker (`LimitMaintenance`) then counts earlier payments under the new rules. Raises
        `ResourceConflict` if version `instead_of` is no longer in force.
        """
        document = encoded(rules)

        async def work(tx: Tx) -> bool:
            before = await store.lock_rules(tx, org_id)
            version = await store.set_rules(tx, org_id, document, at, instead_of=instead_of)
            if version is None:
                if encoded((await self.current_rules(tx, org_id)).rules) != document:
                    raise ResourceConflict("the rules were changed meanwhile; review them first")
                return False
            if before is not None:
                removed_ids = listed_ids(decoded(before.document)) - listed_ids(rules)
                await accounts.forget_hashes(tx, org_id, removed_ids)
            await append_change(
                tx,
                org_id=org_id,
                object_id=derived_id(org_id, CHANGE_KIND),
                seq=version,
                kind=CHANGE_KIND,
                change_type="set",
                actor=actor,
                at=at,
                facts={
                    "rules": len(rules.rules),
                    "sha256": sha256(document.encode()).hexdigest(),
                },
            )
            return True

        is_new = await self._database.transact(work)
        # The cache of this process is dropped, so that it uses the new rules at once.
        self._fresh_until_s.pop(org_id, None)
        return is_new

    async def forget_accounts(self, tx: Tx, org_id: UUID, user_id: UUID, at: datetime) -> None:
        """Erase the coordinate hashes of a user's bank accounts, except those of listed accounts.

        The rules are locked, so that no account is listed concurrently.
        """
        found = await store.lock_rules_shared(tx, org_id)
        listed = set[UUID]() if found is None else listed_ids(decoded(found.document))
        await accounts.forget(tx, org_id, user_id, at, keep_hashes_of=listed)

    async def left(
        self, org_id: UUID, user_id: UUID | None, at: datetime
    ) -> tuple[LimitRemaining, ...]:
        """Return the remaining amounts of the organisation and, if given, of the user."""

        async def read(tx: Tx) -> tuple[LimitRemaining, ...]:
            current_rules = await self.current_rules(tx, org_id)
            displayed = {
                rule: counter_of(rule, org_id, user_id or org_id, at)
                for rule in current_rules.rules.rules
                if rule.window is not LimitWindow.PAYMENT and rule.applies_to(user_id)
            }
            used = await store.used(tx, org_id, list(displayed.values()))
            return tuple(
                remaining_amount(rule, used.get(key, CounterUsage()))
                for rule, key in displayed.items()
            )

        return await self._database.read(read)


def _refusing(book: RuleBook) -> DestinationList | None:
    """Return the list of destinations that may receive nothing; None if there is no such list.

    A list that only requires an approval was respected when the payment was requested.
    """
    block = book.rules.block
    return None if block is None or block.over is not LimitAction.REFUSE else block


async def _count(
    tx: Tx,
    org_id: UUID,
    increments: Mapping[LimitUsage, Mapping[UsageCounter, Decimal]],
    at: datetime,
) -> Mapping[UsageCounter, CounterUsage]:
    """Add increments that were not counted before; return the new values of the counters."""
    uses = [
        UsageIncrement(each.record_id, counter, usd, each.at)
        for each, claimed in increments.items()
        for counter, usd in claimed.items()
    ]
    if not uses:
        return {}
    fresh = await store.add_usage(tx, org_id, uses)
    sums: dict[UsageCounter, CounterUsage] = {}
    for use in uses:
        if (use.record_id, use.counter) in fresh:
            sums[use.counter] = sums.get(use.counter, CounterUsage()) + use.usd
    return await store.add(tx, org_id, sums, at) if sums else {}
