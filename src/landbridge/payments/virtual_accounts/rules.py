"""Settlement rule service. Source: contract, accounts 6.

Guarantees:
- A request id takes effect once; a repetition does not undo later changes.
- A rule that is applied to an account is never deleted or moved to another chain, even under
  concurrent requests.
- Only admins and API keys create rules, because rules send money anywhere without an approval.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from landbridge.customers.chain_operations.service import ChainOperations
from landbridge.customers.wallets.service import Wallets
from landbridge.ledger.replays import first_difference
from landbridge.payments.quotes.errors import RouteInvalid
from landbridge.payments.virtual_accounts import rule_store as store
from landbridge.payments.virtual_accounts.rule_model import KIND, SettlementRule
from landbridge.payments.virtual_accounts.rule_parsing import RuleRequest
from landbridge.platform.changes.service import append_change
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.created_resource import CreatedResource
from landbridge.platform.core.errors import InvariantBroken, ResourceConflict, ResourceNotFound
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.http.caller import Caller, check_admin, check_payer
from landbridge.platform.http.replays import note_replay
from landbridge.providers.chains.port import ChainAction, Chains
from landbridge.providers.chains.tokens import Chain


@dataclass(frozen=True, slots=True)
class SettlementRules:
    """Settlement rules of all organisations."""

    database: Database
    wallets: Wallets
    clock: Clock
    # The chains on which coins can leave the platform (see payments/engine/parties.py).
    chains: Chains
    operations: ChainOperations

    async def create(
        self, caller: Caller, rule_request: RuleRequest, *, request_id: UUID
    ) -> SettlementRule:
        """Create a rule, once per request id.

        Raises `ResourceConflict` for a request id used with another body, `RouteInvalid` for too
        many parts or if coins can't leave the platform on the chain, `WalletNotFound` for the
        address of a user without a wallet on the chain, `ProfileFrozen` and `RoleNotAllowed`.
        """
        at = self.clock.stamp(caller.clock_offset)
        rule = SettlementRule(
            org_id=caller.org_id,
            id=new_id(),
            chain=rule_request.chain,
            includes_fee=rule_request.includes_fee,
            parts=rule_request.parts,
            version=1,
            created_at=at,
            updated_at=at,
        )

        async def make(tx: Tx) -> SettlementRule:
            await store.add(tx, rule)
            await _record_change(tx, rule, "create", caller.actor)
            return rule

        request = store.RuleRequestRecord(
            rule_id=rule.id, action="create", request=rule_request.as_submitted(), at=at
        )
        return await self._once(caller, rule_request, request_id, request, make)

    async def update(
        self, caller: Caller, rule_id: UUID, rule_request: RuleRequest, *, request_id: UUID
    ) -> SettlementRule:
        """Replace the whole rule; earlier deposits keep their split.

        Raises the errors of `create`, `ResourceNotFound`, and `ResourceConflict` for another chain
        while the rule is applied.
        """
        await self.get(caller.org_id, rule_id)
        at = self.clock.stamp(caller.clock_offset)

        async def change(tx: Tx) -> SettlementRule:
            rule = await self._lock(tx, caller.org_id, rule_id)
            if rule_request.chain is not rule.chain:
                used = await store.find_use(tx, caller.org_id, rule_id)
                if used is not None:
                    raise ResourceConflict(
                        f"the rule is applied to virtual account {used}, which delivers on "
                        f"{rule.chain}; remove it there first",
                        field="chain",
                    )
            changed = replace(
                rule,
                chain=rule_request.chain,
                includes_fee=rule_request.includes_fee,
                parts=rule_request.parts,
            )
            if changed == rule:
                return rule
            # Stamped while the rule is locked, so that changes are recorded in the order of times.
            changed_at = self.clock.stamp(caller.clock_offset)
            changed = replace(changed, version=rule.version + 1, updated_at=changed_at)
            await store.update(tx, changed)
            await _record_change(tx, changed, "update", caller.actor)
            return changed

        request = store.RuleRequestRecord(
            rule_id=rule_id, action="update", request=rule_request.as_submitted(), at=at
        )
        return await self._once(caller, rule_request, request_id, request, change)

    async def get(self, org_id: UUID, rule_id: UUID) -> SettlementRule:
        """Get a rule; raises `ResourceNotFound`."""
        found = await self.database.single(lambda tx: store.get(tx, org_id, rule_id))
        if found is None:
            raise _unknown(rule_id)
        return found

    async def page(
        self, org_id: UUID, window: PageWindow, *, chain: Chain | None
    ) -> Sequence[SettlementRule]:
        """List rules, newest first."""
        return await self.database.single(
            lambda tx: store.page(tx, org_id, window.positions, chain)
        )

    async def delete(self, caller: Caller, rule_id: UUID) -> None:
        """Delete a rule that is not applied to any account.

        Raises `ResourceNotFound`, `ResourceConflict` for an applied rule, `ProfileFrozen` and
        `RoleNotAllowed`.
        """
        check_payer(caller)
        check_admin(caller)
        is_ours = False

        async def work(tx: Tx) -> None:
            nonlocal is_ours
            rule = await store.lock(tx, caller.org_id, rule_id)
            if rule is None and is_ours:
                return  # deleted by an earlier attempt with an unconfirmed commit
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
            await _record_change(tx, deleted, "delete", caller.actor)

        await self.database.transact(work)

    async def _once(
        self,
        caller: Caller,
        rule_request: RuleRequest,
        request_id: UUID,
        request: store.RuleRequestRecord,
        operation: Callable[[Tx], Awaitable[SettlementRule]],
    ) -> SettlementRule:
        """Run the operation once per request id; a replay returns the rule as it is now."""
        org_id = caller.org_id
        # Replays are answered before any check, so that they succeed after later changes too.
        known = await self.database.transact(lambda tx: _replayed(tx, org_id, request_id, request))
        if known is not None:
            return known
        check_payer(caller)
        check_admin(caller)
        self._check_recipients(rule_request)
        await self._check_reachable(org_id, rule_request)

        async def work(tx: Tx) -> SettlementRule:
            if await store.add_request(tx, org_id, request_id, request):
                return await operation(tx)
            replayed = await _replayed(tx, org_id, request_id, request)
            if replayed is None:
                raise InvariantBroken(f"requestId {request_id} exists, but its request does not")
            return replayed

        return await self.database.transact(work)

    def _check_recipients(self, rule_request: RuleRequest) -> None:
        """Raise `RouteInvalid` for too many parts to be paid, with the remainder, at once."""
        most = self.operations.recipients_max(rule_request.chain)
        if most is not None and len(rule_request.parts) >= most:
            raise RouteInvalid(
                f"rules: one transaction on {rule_request.chain} pays at most {most} recipients: "
                f"{most - 1} parts, and the account's own wallet",
                field="rules",
            )

    async def _check_reachable(self, org_id: UUID, rule_request: RuleRequest) -> None:
        for index, part in enumerate(rule_request.parts):
            ours = await self.wallets.find_address(org_id, rule_request.chain, part.wallet_address)
            if ours is None and not self.chains.carries(rule_request.chain, ChainAction.TRANSFER):
                name = f"rules[{index}].walletAddress"
                raise RouteInvalid(
                    f"{name}: no connected chain can deliver the coins there; "
                    "name the wallet of a user of the platform",
                    field=name,
                )

    async def _lock(self, tx: Tx, org_id: UUID, rule_id: UUID) -> SettlementRule:
        found = await store.lock(tx, org_id, rule_id)
        if found is None:
            raise _unknown(rule_id)
        return found


async def _replayed(
    tx: Tx, org_id: UUID, request_id: UUID, request: store.RuleRequestRecord
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
            f"requestId {request_id} created settlement rule {known.rule_id}, which was "
            "deleted since",
            field="requestId",
        )
    # Stamps are unique: an equal stamp means that this call stored the request, and that the
    # confirmation of its commit was lost.
    if known.at != request.at:
        note_replay()
    return rule


async def find_created(tx: Tx, org_id: UUID, request_id: UUID) -> CreatedResource | None:
    """Return the rule that a request created or changed; `DELETED` if it was deleted since."""
    return await store.find_created(tx, org_id, request_id)


async def _record_change(tx: Tx, rule: SettlementRule, change_type: str, actor: str) -> None:
    facts: dict[str, Any] = {"chain": rule.chain, "parts": len(rule.parts)}
    await append_change(
        tx,
        org_id=rule.org_id,
        object_id=rule.id,
        seq=rule.version,
        kind=KIND,
        change_type=change_type,
        actor=actor,
        at=rule.updated_at,
        facts=facts,
    )


def _unknown(rule_id: UUID) -> ResourceNotFound:
    return ResourceNotFound(f"there is no settlement rule {rule_id}")
