"""Verbs on virtual accounts. Source: contract, accounts 5.

Guarantees: an account keeps its number for good; a change of the row and its line in `changes` are
one transaction; an account never has a rule for another chain than its own; a member lets no
money leave the platform by one, since what it delivers waits for nobody's approval.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol
from uuid import UUID

from landbridge.accounts.errors import AccountNotFound
from landbridge.chains.tokens import Chain
from landbridge.core.clock import Clock
from landbridge.core.errors import Busy, ResourceConflict, ResourceNotFound, RoleNotAllowed
from landbridge.core.ids import new_id
from landbridge.core.pages import Window
from landbridge.db.pool import Database, Tx
from landbridge.kyc.model import Rail as KycRail
from landbridge.privacy.keys import key_of
from landbridge.privacy.service import Vault
from landbridge.rails.port import Coordinates, Rails, shared_seed
from landbridge.users.service import Users
from landbridge.virtual_accounts import deposit_store, rule_store, store
from landbridge.virtual_accounts.deposits import Bounds, Deposits
from landbridge.virtual_accounts.destinations import Destinations, Route
from landbridge.virtual_accounts.model import Credit, MicroDeposit, Status, VirtualAccount
from landbridge.virtual_accounts.rule_model import SettlementRule
from landbridge.virtual_accounts.telling import Telling, tell_account
from landbridge.virtual_accounts.wire import AccountInfo, account_info, micro_deposit_replies
from landbridge.web.caller import Caller, check_admin, check_payer

# Account numbers that are tried; two alike among millions is rare, three times in a row a fault.
_NUMBERS_MAX = 5


class Verified(Protocol):
    """Whether a user is verified on a rail."""

    async def check_active(self, org_id: UUID, user_id: UUID, rail: KycRail) -> None:
        """Raise `VerificationMissing` unless the user is verified there."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What a list is narrowed to."""

    source_currency: str | None
    destination_currency: str | None
    chain: Chain | None


class VirtualAccounts:
    """Virtual accounts of all organisations."""

    def __init__(
        self,
        database: Database,
        vault: Vault,
        clock: Clock,
        *,
        users: Users,
        verified: Verified,
        rails: Rails,
        destinations: Destinations,
        deposits: Deposits,
    ) -> None:
        self._database = database
        self._vault = vault
        self._clock = clock
        self._users = users
        self._verified = verified
        self._rails = rails
        self._destinations = destinations
        self._deposits = deposits
        self._telling = Telling(vault, users, deposits)

    async def create(self, caller: Caller, user_id: UUID, route: Route) -> VirtualAccount:
        """Open an account; each call opens another.

        Raises as `Destinations.find`, `ProfileFrozen`, `RoleNotAllowed`, `UserNotFound`,
        `UserFrozen` and `VerificationMissing`.
        """
        await self._check_may_receive(caller, user_id)
        _check_stays(caller, route.external_wallet_id)
        found = await self._destinations.find(caller.org_id, user_id, route)
        at = self._clock.stamp(caller.clock_offset)
        account = VirtualAccount(
            org_id=caller.org_id,
            id=new_id(),
            user_id=user_id,
            status=Status.ACTIVATED,
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
        seeds = (account.id, *(new_id() for _ in range(_NUMBERS_MAX - 1)))
        numbers = [await self._new_number(account, seed) for seed in seeds]
        # Where deposits of everybody arrive is nobody's own.
        shared = await self._new_number(account, shared_seed(caller.org_id, route.source_currency))
        candidates = [replace(account, account_number=each) for each in numbers if each != shared]
        # Whatever number it gets; a bank is not asked inside a transaction.
        ways = [(each, await self.instructions(each)) for each in candidates]
        return await self._database.transact(lambda tx: self._add(tx, ways, caller.actor))

    async def get(self, org_id: UUID, user_id: UUID, account_id: UUID) -> VirtualAccount:
        """An account; raises `AccountNotFound`, also for another user's."""
        found = await self._database.single(lambda tx: store.get(tx, org_id, account_id))
        if found is None or found.user_id != user_id:
            raise _unknown(account_id)
        return found

    async def page(
        self, org_id: UUID, user_id: UUID, filters: Filters, window: Window
    ) -> Sequence[VirtualAccount]:
        """Accounts of a user, newest first; raises `UserNotFound`."""
        await self._users.check_exists(org_id, user_id)
        return await self._database.single(
            lambda tx: store.page(
                tx,
                org_id,
                user_id,
                since=window.since,
                before=window.position,
                limit=window.limit,
                filters=(filters.source_currency, filters.destination_currency, filters.chain),
            )
        )

    async def update(
        self, caller: Caller, user_id: UUID, account_id: UUID, route: Route
    ) -> VirtualAccount:
        """Let an account deliver elsewhere; asked for what is so already, nothing changes.

        What arrives from now on goes there. Raises as `create`, `AccountNotFound`, and
        `ResourceConflict` if the rule that is applied is for another chain.
        """
        await self.get(caller.org_id, user_id, account_id)
        await self._check_may_receive(caller, user_id)
        _check_stays(caller, route.external_wallet_id)
        found = await self._destinations.find(caller.org_id, user_id, route)

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
        """Let nothing more arrive; what has arrived goes on. Done again, nothing changes.

        Raises `AccountNotFound`, `ProfileFrozen` and `RoleNotAllowed`.
        """
        check_payer(caller)
        return await self._change(
            caller, user_id, account_id, lambda each: replace(each, status=Status.DEACTIVATED)
        )

    async def reactivate(self, caller: Caller, user_id: UUID, account_id: UUID) -> VirtualAccount:
        """Take deposits again. Done again, nothing changes.

        Raises `AccountNotFound`, `UserFrozen`, `VerificationMissing`, `ProfileFrozen` and
        `RoleNotAllowed`.
        """
        await self.get(caller.org_id, user_id, account_id)
        await self._check_may_receive(caller, user_id)

        def changed(account: VirtualAccount) -> VirtualAccount:
            if not account.is_active:
                _check_stays(caller, account.external_wallet_id or account.settlement_rule_id)
            return replace(account, status=Status.ACTIVATED)

        return await self._change(caller, user_id, account_id, changed)

    async def apply_rule(
        self, caller: Caller, user_id: UUID, account_id: UUID, rule_id: UUID
    ) -> VirtualAccount:
        """Divide what arrives from now on by this rule, in place of the one before.

        Raises `AccountNotFound`, `ResourceNotFound` for an unknown rule, and `ResourceConflict`
        for one of another chain, `ProfileFrozen` and `RoleNotAllowed`.
        """
        check_payer(caller)
        check_admin(caller)
        coordinates = await self._instructions(caller.org_id, user_id, account_id)

        async def work(tx: Tx) -> VirtualAccount:
            # The account first, then the rule: verbs on rules lock no account.
            account = await self._lock(tx, caller.org_id, user_id, account_id)
            rule = await rule_store.hold(tx, caller.org_id, rule_id)
            if rule is None:
                raise ResourceNotFound(f"there is no settlement rule {rule_id}")
            if rule.chain is not account.chain:
                raise ResourceConflict(
                    f"the rule is for {rule.chain}, and the account delivers on {account.chain}"
                )
            ruled = replace(account, settlement_rule_id=rule_id)
            return await self._store(tx, caller, account, ruled, coordinates)

        return await self._database.transact(work)

    async def remove_rule(self, caller: Caller, user_id: UUID, account_id: UUID) -> VirtualAccount:
        """Deliver what arrives from now on whole. Done again, nothing changes.

        Raises `AccountNotFound`, `ProfileFrozen` and `RoleNotAllowed`.
        """
        check_payer(caller)
        check_admin(caller)
        return await self._change(
            caller, user_id, account_id, lambda each: replace(each, settlement_rule_id=None)
        )

    async def find_by_number(self, org_id: UUID, account_number: str) -> VirtualAccount | None:
        """The account that fiat arrives on, active or not."""
        return await self._database.single(lambda tx: store.find_number(tx, org_id, account_number))

    async def find(self, org_id: UUID, account_id: UUID) -> VirtualAccount:
        """An account, whosever it is, active or not; raises `AccountNotFound`."""
        found = await self._database.single(lambda tx: store.get(tx, org_id, account_id))
        if found is None:
            raise _unknown(account_id)
        return found

    async def rule_of(self, org_id: UUID, account: VirtualAccount) -> SettlementRule | None:
        """The rule that is applied to this account, as the rule is now.

        Raises `Busy` if the account was changed since it was read: read it again.
        """
        if account.settlement_rule_id is None:
            return None
        found = await self._database.single(
            lambda tx: rule_store.of_account(tx, org_id, account.id, version=account.version)
        )
        if found is None:
            raise Busy(f"virtual account {account.id} has just been changed")
        return found

    async def note_micro_deposit(
        self, tx: Tx, account: VirtualAccount, credit: Credit
    ) -> MicroDeposit:
        """Keep cents that check an account, once per receipt; `credit` is that receipt.

        In the transaction that matches the receipt with what this answers. They are booked, and
        never converted.
        """
        return await self._deposits.note(tx, account, credit)

    async def instructions(self, account: VirtualAccount) -> Coordinates | None:
        """Where to send fiat; None where no bank is connected any more."""
        return await self._rails.coordinates(
            account.org_id, account.source_currency, account.account_number
        )

    async def info(self, account: VirtualAccount, bounds: Bounds) -> AccountInfo:
        """An account as retrieving it answers it, with the micro-deposits within these bounds.

        Raises as `Deposits.micro_deposits`.
        """
        micro_deposits = await self._deposits.micro_deposits(account, bounds)
        return account_info(
            account,
            await self.instructions(account),
            await self._users.cards(account.org_id, [account.user_id]),
            micro_deposit_replies(micro_deposits),
        )

    async def _instructions(
        self, org_id: UUID, user_id: UUID, account_id: UUID
    ) -> Coordinates | None:
        """What `instructions` answers; a number never changes, so no lock is needed."""
        return await self.instructions(await self.get(org_id, user_id, account_id))

    async def _new_number(self, account: VirtualAccount, seed: UUID) -> str:
        return await self._rails.new_account_number(account.org_id, account.source_currency, seed)

    async def _check_may_receive(self, caller: Caller, user_id: UUID) -> None:
        check_payer(caller)
        await self._users.check_active(caller.org_id, user_id)
        await self._verified.check_active(caller.org_id, user_id, KycRail.USD)

    async def _add(
        self,
        tx: Tx,
        candidates: Sequence[tuple[VirtualAccount, Coordinates | None]],
        actor: str,
    ) -> VirtualAccount:
        """Store the first candidate whose number is free."""
        for account, coordinates in candidates:
            if await store.add(tx, account):
                await self._check_not_erased(tx, account)
                await self._telling.tell(tx, account, actor, coordinates)
                return account
            # Ours, if its commit was not heard of and all this is done again.
            stored = await store.get(tx, account.org_id, account.id)
            if stored is not None:
                return stored
        raise Busy("no account number was free")

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

        return await self._database.transact(work)

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
        coordinates: Coordinates | None,
    ) -> VirtualAccount:
        """Store and tell what an account that is locked has become, if that is anything else."""
        if after == before:
            return before
        if after.is_active:
            await self._check_not_erased(tx, after)
        at = self._clock.stamp(caller.clock_offset)
        stored = replace(after, version=before.version + 1, updated_at=at)
        await store.update(tx, stored)
        await self._telling.tell(tx, stored, caller.actor, coordinates)
        return stored

    async def _check_not_erased(self, tx: Tx, account: VirtualAccount) -> None:
        # The row holds its user: who is being erased was so before, or waits for us.
        await key_of(self._vault, tx, account.org_id, account.user_id)


async def forget(tx: Tx, org_id: UUID, user_id: UUID, at: datetime) -> None:
    """Deactivate a user's accounts, and blank who sent money there; part of erasing the user."""
    await deposit_store.forget(tx, org_id, user_id)
    for each in await store.deactivate(tx, org_id, user_id, at):
        await tell_account(tx, each, "erasure", None)


def _check_stays(caller: Caller, way_out: UUID | None) -> None:
    """Raise `RoleNotAllowed` where a member would pay others: deposits know no approvals.

    `way_out` is the external wallet or the rule by which money gets to others, if there is one.
    """
    if caller.must_ask and way_out is not None:
        raise RoleNotAllowed(
            "a member's virtual accounts deliver to wallets of their user; ask an admin for others"
        )


def _unknown(account_id: UUID) -> AccountNotFound:
    return AccountNotFound(f"there is no virtual account {account_id}")
