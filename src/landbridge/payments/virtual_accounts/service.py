"""Virtual account service. Source: contract, accounts 5.

Guarantees:
- An account never changes its number.
- The update of a row and its entry in `changes` are one transaction.
- An account never has a rule for another chain than its own.
- A team member can't send money out of the platform by an account: deliveries have no approval.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from uuid import UUID

from landbridge.customers.bank_accounts.errors import AccountNotFound
from landbridge.customers.kyc.model import Rail as KycRail
from landbridge.customers.users.service import Users
from landbridge.customers.verification.service import Verification
from landbridge.payments.incoming_payments.model import IncomingPayment
from landbridge.payments.virtual_accounts import deposits, rule_store, store
from landbridge.payments.virtual_accounts.change_events import (
    VirtualAccountChangeEvents,
    record_change,
)
from landbridge.payments.virtual_accounts.deposits import MicroDepositBounds, VirtualAccountDeposits
from landbridge.payments.virtual_accounts.destinations import (
    DeliveryDestinations,
    NewVirtualAccount,
    check_member_may_deliver,
)
from landbridge.payments.virtual_accounts.model import (
    MicroDeposit,
    VirtualAccount,
    VirtualAccountFilters,
    VirtualAccountStatus,
)
from landbridge.payments.virtual_accounts.rule_model import SettlementRule
from landbridge.payments.virtual_accounts.schemas import (
    VirtualAccountReply,
    account_info,
    micro_deposit_replies,
)
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Busy, ResourceConflict, ResourceNotFound
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault
from landbridge.platform.encryption.user_keys import key_of
from landbridge.platform.http.caller import Caller, check_admin, check_payer
from landbridge.platform.idempotency.model import Claim, no_claim
from landbridge.providers.rails.port import DepositCoordinates, Rails, give_number, shared_seed

# Account numbers that are tried: a collision is rare, and several in a row are a fault.
_NUMBERS_MAX = 5


@dataclass(frozen=True, slots=True)
class VirtualAccounts:
    """Virtual accounts of all organisations."""

    database: Database
    vault: Vault
    clock: Clock
    users: Users = field(kw_only=True)
    verified: Verification = field(kw_only=True)
    rails: Rails = field(kw_only=True)
    destinations: DeliveryDestinations = field(kw_only=True)
    deposits: VirtualAccountDeposits = field(kw_only=True)

    async def create(
        self, caller: Caller, user_id: UUID, route: NewVirtualAccount, *, claim: Claim = no_claim
    ) -> VirtualAccount:
        """Open an account; each call opens another one, unless `claim` finds a repeated request.

        Raises the errors of `DeliveryDestinations.find`, `ProfileFrozen`, `RoleNotAllowed`,
        `UserNotFound`, `UserFrozen` and `VerificationMissing`.
        """
        await self._check_may_receive(caller, user_id)
        check_member_may_deliver(caller, route.external_wallet_id)
        found = await self.destinations.find(caller, user_id, route)
        at = self.clock.stamp(caller.clock_offset)
        account = VirtualAccount(
            org_id=caller.org_id,
            id=new_id(),
            user_id=user_id,
            status=VirtualAccountStatus.ACTIVATED,
            source_currency=route.source_currency,
            destination_currency=found.currency,
            chain=found.chain,
            wallet_address=found.wallet_address,
            external_wallet_id=found.external_wallet_id,
            account_number="",
            settlement_rule_id=None,
            version=1,
            created_at=at,
            updated_at=at,
        )
        # The shared account for deposits by reference belongs to no user.
        number_of = partial(give_number, self.rails, caller.org_id, route.source_currency)
        shared = await number_of(shared_seed(caller.org_id, route.source_currency))
        # Numbers are requested one by one, because a bank may open an account for each. No bank is
        # called in a transaction.
        for seed in (account.id, *(new_id() for _ in range(_NUMBERS_MAX - 1))):
            numbered = replace(account, account_number=await number_of(seed))
            coordinates = await self.instructions(numbered)
            add = partial(
                self._add, account=numbered, coordinates=coordinates, caller=caller, claim=claim
            )
            if numbered.account_number != shared and (added := await self.database.transact(add)):
                return added
        raise Busy("no unused account number found")

    async def get(self, org_id: UUID, user_id: UUID, account_id: UUID) -> VirtualAccount:
        """Get an account; raises `AccountNotFound`, also for an account of another user."""
        found = await self.database.single(lambda tx: store.get(tx, org_id, account_id))
        if found is None or found.user_id != user_id:
            raise _unknown(account_id)
        return found

    async def page(
        self, org_id: UUID, user_id: UUID, filters: VirtualAccountFilters, window: PageWindow
    ) -> Sequence[VirtualAccount]:
        """List accounts of a user, newest first; raises `UserNotFound`."""
        await self.users.check_exists(org_id, user_id)
        return await self.database.single(
            lambda tx: store.page(
                tx,
                org_id,
                user_id,
                window.positions,
                filters=(filters.source_currency, filters.destination_currency, filters.chain),
            )
        )

    async def update(
        self, caller: Caller, user_id: UUID, account_id: UUID, route: NewVirtualAccount
    ) -> VirtualAccount:
        """Change the destination of future deposits; the same destination changes nothing.

        Raises the errors of `create`, `AccountNotFound`, and `ResourceConflict` if the applied rule
        is for another chain.
        """
        await self.get(caller.org_id, user_id, account_id)
        await self._check_may_receive(caller, user_id)
        check_member_may_deliver(caller, route.external_wallet_id)
        found = await self.destinations.find(caller, user_id, route)

        def changed(account: VirtualAccount) -> VirtualAccount:
            if account.settlement_rule_id is not None and account.chain is not found.chain:
                raise ResourceConflict(
                    f"settlement rule {account.settlement_rule_id} is for {account.chain}; remove "
                    f"it before the account delivers on {found.chain}"
                )
            return replace(
                account,
                destination_currency=found.currency,
                chain=found.chain,
                wallet_address=found.wallet_address,
                external_wallet_id=found.external_wallet_id,
            )

        return await self._change(caller, user_id, account_id, changed)

    async def deactivate(self, caller: Caller, user_id: UUID, account_id: UUID) -> VirtualAccount:
        """Deactivate an account: future deposits are returned, earlier ones are still settled.

        A repeated call changes nothing. Raises `AccountNotFound`, `ProfileFrozen` and
        `RoleNotAllowed`.
        """
        check_payer(caller)
        return await self._change(
            caller,
            user_id,
            account_id,
            lambda each: replace(each, status=VirtualAccountStatus.DEACTIVATED),
        )

    async def reactivate(self, caller: Caller, user_id: UUID, account_id: UUID) -> VirtualAccount:
        """Reactivate an account: it accepts deposits again. A repeated call changes nothing.

        Raises `AccountNotFound`, `UserFrozen`, `VerificationMissing`, `ProfileFrozen` and
        `RoleNotAllowed`.
        """
        await self.get(caller.org_id, user_id, account_id)
        await self._check_may_receive(caller, user_id)

        def changed(account: VirtualAccount) -> VirtualAccount:
            if not account.is_active:
                check_member_may_deliver(
                    caller, account.external_wallet_id or account.settlement_rule_id
                )
            return replace(account, status=VirtualAccountStatus.ACTIVATED)

        return await self._change(caller, user_id, account_id, changed)

    async def apply_rule(
        self, caller: Caller, user_id: UUID, account_id: UUID, rule_id: UUID
    ) -> VirtualAccount:
        """Apply a rule to future deposits, replacing the previous one.

        Raises `AccountNotFound`, `ResourceNotFound` for an unknown rule, `ResourceConflict` for one
        of another chain, `ProfileFrozen` and `RoleNotAllowed`.
        """
        check_payer(caller)
        check_admin(caller)
        coordinates = await self._instructions(caller.org_id, user_id, account_id)

        async def work(tx: Tx) -> VirtualAccount:
            # Lock order: the account, then the rule; verbs on rules lock no account.
            account = await self._lock(tx, caller.org_id, user_id, account_id)
            rule = await rule_store.lock_shared(tx, caller.org_id, rule_id)
            if rule is None:
                raise ResourceNotFound(f"there is no settlement rule {rule_id}")
            if rule.chain is not account.chain:
                raise ResourceConflict(
                    f"the rule is for {rule.chain}, and the account delivers on {account.chain}"
                )
            ruled = replace(account, settlement_rule_id=rule_id)
            return await self._store(tx, caller, account, ruled, coordinates)

        return await self.database.transact(work)

    async def remove_rule(self, caller: Caller, user_id: UUID, account_id: UUID) -> VirtualAccount:
        """Remove the rule; future deposits are delivered whole. A repeated call changes nothing.

        Raises `AccountNotFound`, `ProfileFrozen` and `RoleNotAllowed`.
        """
        check_payer(caller)
        check_admin(caller)
        return await self._change(
            caller, user_id, account_id, lambda each: replace(each, settlement_rule_id=None)
        )

    async def find_by_number(self, org_id: UUID, account_number: str) -> VirtualAccount | None:
        """Return the account with this number, active or not; None if there is none."""
        return await self.database.single(lambda tx: store.find_number(tx, org_id, account_number))

    async def find(self, org_id: UUID, account_id: UUID) -> VirtualAccount:
        """Get an account of any user, active or not; raises `AccountNotFound`."""
        found = await self.database.single(lambda tx: store.get(tx, org_id, account_id))
        if found is None:
            raise _unknown(account_id)
        return found

    async def rule_of(self, org_id: UUID, account: VirtualAccount) -> SettlementRule | None:
        """Return the current rule of this account.

        Raises `Busy` if the account was changed since it was read; read it again.
        """
        if account.settlement_rule_id is None:
            return None
        found = await self.database.single(
            lambda tx: rule_store.of_account(tx, org_id, account.id, version=account.version)
        )
        if found is None:
            raise Busy(f"virtual account {account.id} was changed concurrently; read it again")
        return found

    async def record_micro_deposit(
        self, tx: Tx, account: VirtualAccount, credit: IncomingPayment, at: datetime
    ) -> MicroDeposit:
        """Store and book a micro-deposit, once per incoming payment `credit`.

        Runs in the transaction that matches the incoming payment with the returned id.
        Micro-deposits are never converted.
        """
        return await self.deposits.record_once(tx, account, credit, at)

    async def instructions(self, account: VirtualAccount) -> DepositCoordinates | None:
        """Return the deposit instructions; None if no bank is connected any more."""
        return await self.rails.coordinates(
            account.org_id, account.source_currency, account.account_number
        )

    async def info(
        self, account: VirtualAccount, bounds: MicroDepositBounds
    ) -> VirtualAccountReply:
        """Return the account's reply with the micro-deposits within these bounds.

        Raises the errors of `VirtualAccountDeposits.micro_deposits`.
        """
        micro_deposits = await self.deposits.micro_deposits(account, bounds)
        return account_info(
            account,
            await self.instructions(account),
            await self.users.cards(account.org_id, [account.user_id]),
            micro_deposit_replies(micro_deposits),
        )

    async def _instructions(
        self, org_id: UUID, user_id: UUID, account_id: UUID
    ) -> DepositCoordinates | None:
        """Return the deposit instructions; a number never changes, so no lock is needed."""
        return await self.instructions(await self.get(org_id, user_id, account_id))

    async def _check_may_receive(self, caller: Caller, user_id: UUID) -> None:
        check_payer(caller)
        await self.users.check_active(caller.org_id, user_id)
        await self.verified.check_active(caller.org_id, user_id, KycRail.USD)

    async def _add(
        self,
        tx: Tx,
        account: VirtualAccount,
        coordinates: DepositCoordinates | None,
        caller: Caller,
        claim: Claim,
    ) -> VirtualAccount | None:
        """Store an account; return None if another account has its number."""
        if not await store.add(tx, account):
            # The stored account is ours if the commit of an earlier attempt was not confirmed.
            return await store.get(tx, account.org_id, account.id)
        await self._check_not_erased(tx, account)
        await claim(tx, account.id)
        await self._change_events.record(tx, account, caller.actor, coordinates)
        return account

    async def _change(
        self,
        caller: Caller,
        user_id: UUID,
        account_id: UUID,
        changed: Callable[[VirtualAccount], VirtualAccount],
    ) -> VirtualAccount:
        coordinates = await self._instructions(caller.org_id, user_id, account_id)

        async def work(tx: Tx) -> VirtualAccount:
            before = await self._lock(tx, caller.org_id, user_id, account_id)
            return await self._store(tx, caller, before, changed(before), coordinates)

        return await self.database.transact(work)

    async def _lock(self, tx: Tx, org_id: UUID, user_id: UUID, account_id: UUID) -> VirtualAccount:
        found = await store.lock(tx, org_id, account_id)
        if found is None or found.user_id != user_id:
            raise _unknown(account_id)
        return found

    async def _store(
        self,
        tx: Tx,
        caller: Caller,
        before: VirtualAccount,
        after: VirtualAccount,
        coordinates: DepositCoordinates | None,
    ) -> VirtualAccount:
        """Store and record a change of a locked account, unless nothing changed."""
        if after == before:
            return before
        if after.is_active:
            await self._check_not_erased(tx, after)
        at = self.clock.stamp(caller.clock_offset)
        stored = replace(after, version=before.version + 1, updated_at=at)
        await store.update(tx, stored)
        await self._change_events.record(tx, stored, caller.actor, coordinates)
        return stored

    @property
    def _change_events(self) -> VirtualAccountChangeEvents:
        return VirtualAccountChangeEvents(self.vault, self.users, self.deposits)

    async def _check_not_erased(self, tx: Tx, account: VirtualAccount) -> None:
        # This locks the user's row, so an erasure has either finished before, or waits for this
        # transaction.
        await key_of(self.vault, tx, account.org_id, account.user_id)


async def forget(tx: Tx, org_id: UUID, user_id: UUID, at: datetime) -> None:
    """Deactivate an erased user's accounts, and blank the senders of their deposits."""
    await deposits.forget(tx, org_id, user_id)
    for each in await store.deactivate(tx, org_id, user_id, at):
        await record_change(tx, each, "erasure", None)


def _unknown(account_id: UUID) -> AccountNotFound:
    return AccountNotFound(f"there is no virtual account {account_id}")
