"""Verbs on settlement rules. Source: contract, accounts 6.

Guarantees: a request id does one thing, once, and one that comes again late undoes nothing; a rule
that is applied to an account is neither deleted nor moved to another chain, under any race.
Rules send money to any address without asking anybody, so only admins and keys make them.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from landbridge.chains.tokens import Chain
from landbridge.changes.service import tell
from landbridge.core.clock import Clock
from landbridge.core.errors import Broken, ResourceConflict, ResourceNotFound
from landbridge.core.ids import new_id
from landbridge.core.made import Made
from landbridge.core.pages import Window
from landbridge.db.pool import Database, Tx
from landbridge.ledger.replays import first_difference
from landbridge.quotes.errors import RouteInvalid
from landbridge.virtual_accounts import rule_store as store
from landbridge.virtual_accounts.rule_model import KIND, SettlementRule
from landbridge.virtual_accounts.rule_reading import Asked
from landbridge.wallets.service import Wallets
from landbridge.web.caller import Caller, check_admin, check_payer
from landbridge.web.replays import note_replay


@dataclass(frozen=True, slots=True)
class SettlementRules:
    """Settlement rules of all organisations."""

    database: Database
    wallets: Wallets
    clock: Clock
    # Whether coins can leave the platform (see payments.ends).
    can_leave: bool

    async def create(self, caller: Caller, asked: Asked, *, request_id: UUID) -> SettlementRule:
        """Make a rule, once per request id.

        Raises `ResourceConflict` for a request id that was used with another body, `RouteInvalid`
        for an address that no chain reaches, `WalletNotFound` for the address of a user who has no
        wallet on the chain, `ProfileFrozen` and `RoleNotAllowed`.
        """
        at = self.clock.stamp(caller.clock_offset)
        rule = SettlementRule(
            org_id=caller.org_id,
            id=new_id(),
            chain=asked.chain,
            includes_fee=asked.includes_fee,
            parts=asked.parts,
            version=1,
            created_at=at,
            updated_at=at,
        )

        async def make(tx: Tx) -> SettlementRule:
            await store.add(tx, rule)
            await _tell(tx, rule, "create", caller.actor)
            return rule

        request = store.Request(rule_id=rule.id, action="create", request=asked.as_told(), at=at)
        return await self._once(caller, asked, request_id, request, make)

    async def update(
        self, caller: Caller, rule_id: UUID, asked: Asked, *, request_id: UUID
    ) -> SettlementRule:
        """Replace all that a rule says; deposits that have arrived keep what was computed.

        Raises as `create`, `ResourceNotFound`, and `ResourceConflict` for another chain while the
        rule is applied.
        """
        await self.get(caller.org_id, rule_id)
        at = self.clock.stamp(caller.clock_offset)

        async def change(tx: Tx) -> SettlementRule:
            rule = await self._lock(tx, caller.org_id, rule_id)
            if asked.chain is not rule.chain:
                used = await store.find_use(tx, caller.org_id, rule_id)
                if used is not None:
                    raise ResourceConflict(
                        f"the rule is applied to virtual account {used}, which delivers on "
                        f"{rule.chain}; remove it there first",
                        field="chain",
                    )
            changed = replace(
                rule, chain=asked.chain, includes_fee=asked.includes_fee, parts=asked.parts
            )
            if changed == rule:
                return rule
            # While the rule is locked: changes are told in the order of their times.
            changed_at = self.clock.stamp(caller.clock_offset)
            changed = replace(changed, version=rule.version + 1, updated_at=changed_at)
            await store.update(tx, changed)
            await _tell(tx, changed, "update", caller.actor)
            return changed

        request = store.Request(rule_id=rule_id, action="update", request=asked.as_told(), at=at)
        return await self._once(caller, asked, request_id, request, change)

    async def get(self, org_id: UUID, rule_id: UUID) -> SettlementRule:
        """A rule; raises `ResourceNotFound`."""
        found = await self.database.single(lambda tx: store.get(tx, org_id, rule_id))
        if found is None:
            raise _unknown(rule_id)
        return found

    async def page(
        self, org_id: UUID, window: Window, *, chain: Chain | None
    ) -> Sequence[SettlementRule]:
        """A page of rules, newest first."""
        return await self.database.single(
            lambda tx: store.page(
                tx,
                org_id,
                since=window.since,
                before=window.position,
                limit=window.limit,
                chain=chain,
            )
        )

    async def delete(self, caller: Caller, rule_id: UUID) -> None:
        """Delete a rule that is applied nowhere.

        Raises `ResourceNotFound`, `ResourceConflict`, `ProfileFrozen` and `RoleNotAllowed`.
        """
        check_payer(caller)
        check_admin(caller)
        is_ours = False

        async def work(tx: Tx) -> None:
            nonlocal is_ours
            rule = await store.lock(tx, caller.org_id, rule_id)
            if rule is None and is_ours:
                return  # deleted by an attempt whose commit was not heard of
            if rule is None:
                raise _unknown(rule_id)
            used = await store.find_use(tx, caller.org_id, rule_id)
            if used is not None:
                raise ResourceConflict(
                    f"the rule is applied to virtual account {used}; remove it there first"
                )
            is_ours = True
            await store.delete(tx, caller.org_id, rule_id)
            at = self.clock.stamp(caller.clock_offset)
            deleted = replace(rule, version=rule.version + 1, updated_at=at)
            await _tell(tx, deleted, "delete", caller.actor)

        await self.database.transact(work)

    async def _once(
        self,
        caller: Caller,
        asked: Asked,
        request_id: UUID,
        request: store.Request,
        do: Callable[[Tx], Awaitable[SettlementRule]],
    ) -> SettlementRule:
        """What `do` makes, or what this request id made before, as it is now."""
        org_id = caller.org_id
        # Before anything is refused: what was done once is answered, whatever has changed since.
        known = await self.database.transact(lambda tx: _replayed(tx, org_id, request_id, request))
        if known is not None:
            return known
        check_payer(caller)
        check_admin(caller)
        await self._check_reachable(org_id, asked)

        async def work(tx: Tx) -> SettlementRule:
            if await store.add_request(tx, org_id, request_id, request):
                return await do(tx)
            replayed = await _replayed(tx, org_id, request_id, request)
            if replayed is None:
                raise Broken(f"requestId {request_id} is taken, and yet nothing was asked")
            return replayed

        return await self.database.transact(work)

    async def _check_reachable(self, org_id: UUID, asked: Asked) -> None:
        for place, part in enumerate(asked.parts):
            ours = await self.wallets.find_address(org_id, asked.chain, part.wallet_address)
            if ours is None and not self.can_leave:
                name = f"rules[{place}].walletAddress"
                raise RouteInvalid(
                    f"{name}: no chain is connected that could carry the coins there; "
                    "name the wallet of a user of the platform",
                    field=name,
                )

    async def _lock(self, tx: Tx, org_id: UUID, rule_id: UUID) -> SettlementRule:
        found = await store.lock(tx, org_id, rule_id)
        if found is None:
            raise _unknown(rule_id)
        return found


async def _replayed(
    tx: Tx, org_id: UUID, request_id: UUID, request: store.Request
) -> SettlementRule | None:
    known = await store.find_request(tx, org_id, request_id)
    if known is None:
        return None
    is_same = known.action == request.action and (
        request.action == "create" or known.rule_id == request.rule_id
    )
    if not is_same:
        raise ResourceConflict(
            f"requestId {request_id} was already used to {known.action} settlement rule "
            f"{known.rule_id}",
            field="requestId",
        )
    if field := first_difference(known.request, request.request):
        raise ResourceConflict(
            f"requestId {request_id} was already used with another {field}", field=field
        )
    rule = await store.get(tx, org_id, known.rule_id)
    if rule is None:
        raise ResourceConflict(
            f"requestId {request_id} made settlement rule {known.rule_id}, which was deleted since",
            field="requestId",
        )
    # Stamps are unique: it is ours if only the answer to its commit was lost.
    if known.at != request.at:
        note_replay()
    return rule


async def made_by(tx: Tx, org_id: UUID, request_id: UUID) -> Made | None:
    """The rule that a request made or changed; `DELETED` if it is no more."""
    return await store.made_by(tx, org_id, request_id)


async def _tell(tx: Tx, rule: SettlementRule, what: str, actor: str) -> None:
    facts: dict[str, Any] = {"chain": rule.chain, "parts": len(rule.parts)}
    await tell(
        tx,
        org_id=rule.org_id,
        object_id=rule.id,
        seq=rule.version,
        kind=KIND,
        what=what,
        actor=actor,
        at=rule.updated_at,
        facts=facts,
    )


def _unknown(rule_id: UUID) -> ResourceNotFound:
    return ResourceNotFound(f"there is no settlement rule {rule_id}")
