"""Deposits into users' wallets. Source: contract, users 7.

A deposit is not stored, but derived from ledger credits (`ledger.credits`): coins from outside,
from other users, from onramps and bridges. Its id is computed, so that no table is needed to find
it. The id of a deposit from outside is that of its ledger record. For other deposits, the last 62
bits of the record's id are changed by the account's id, because a batch pays several accounts.

Deposits on a real chain are listed before they are credited, from the table `chain_deposits`. A
deposit that its chain has lost, and that was reversed, is not listed.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from uuid import UUID

from landbridge.customers.wallets import confirmed_deposit_store
from landbridge.customers.wallets.errors import WalletNotFound
from landbridge.customers.wallets.model import DEPOSIT_KIND, Wallet
from landbridge.customers.wallets.service import Wallets, wallets_of
from landbridge.ledger.credits import (
    CreditPage,
    WalletCredit,
    credits_of_account,
    find_credits,
    find_recorded_credits,
)
from landbridge.ledger.reversed_journals import reversal_id
from landbridge.ledger.service import Ledger
from landbridge.platform.core.errors import ResourceNotFound
from landbridge.platform.core.gather import gather_in_order
from landbridge.platform.core.money import Money
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.db.pool import Database, Row, Tx
from landbridge.providers.chains.tokens import ASSETS, TOKENS, Chain, Token

_LAST_BITS = (1 << 62) - 1


@dataclass(frozen=True, slots=True)
class WalletDeposit:
    """Deposit of coins; hash and sender are None without a transaction on a chain.

    `is_final` is True once the deposit is credited, at `updated_at`; before, it can't be spent.
    """

    id: UUID
    wallet: Wallet
    token: Token
    contract_address: str
    money: Money
    transaction_hash: str | None
    source_address: str | None
    is_final: bool
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class WalletDepositPage:
    """Deposits, newest first; `next_cursor` is the start of the next page, None after the last."""

    deposits: Sequence[WalletDeposit]
    next_cursor: datetime | None


@dataclass(frozen=True, slots=True)
class WalletDeposits:
    """Deposits of all organisations."""

    database: Database
    ledger: Ledger
    wallets: Wallets

    async def page(
        self,
        org_id: UUID,
        user_id: UUID,
        *,
        chain: Chain,
        currency: str,
        units_min: int,
        is_final: bool | None,
        window: PageWindow,
    ) -> WalletDepositPage:
        """Return a page, newest first, of at least `units_min` smallest units each.

        `is_final` filters unless it is None; a final deposit is sorted by the time of its credit.
        If matches are rare the page may end early, with a cursor to continue. Raises `FieldInvalid`
        for a currency that the chain does not have, and `WalletNotFound`.
        """
        token = self.wallets.token(chain, currency)
        wallet = await self.wallets.find(org_id, user_id, chain)
        if wallet is None:
            raise WalletNotFound(f"user {user_id} has no wallet on {chain}")
        found = CreditPage([], None)
        if is_final is not False:
            account = await self.ledger.account(org_id, wallet.id, token.asset)
            found = await credits_of_account(
                self.database,
                org_id,
                account_id=account.id,
                wallet_id=wallet.id,
                units_min=units_min,
                window=window,
            )
        confirmed: Sequence[WalletDeposit] = []
        if is_final is not True:
            confirmed = await self._confirmed(wallet, token, units_min, window)
        kept = await self._without_reversed(org_id, found.credits)
        credited = [_deposit(each, wallet, token) for each in kept]
        return _merged(credited, confirmed, found, window.limit)

    async def get(self, org_id: UUID, user_id: UUID, deposit_id: UUID) -> WalletDeposit:
        """Return a deposit in a wallet of this user; raise `ResourceNotFound`."""
        ends = {
            account.id: (wallet, token)
            for wallet in (await self.wallets.of_users(org_id, [user_id]))[user_id]
            for (chain, _), token in self.wallets.tokens.items()
            if chain is wallet.chain
            for account in [await self.ledger.account(org_id, wallet.id, token.asset)]
        }
        # Look up the record of the account-specific id, and the deposit from outside with this id.
        credit_keys = {(account_id, _record_id(deposit_id, account_id)) for account_id in ends}
        credit_keys |= {(account_id, deposit_id) for account_id in ends}
        for credit in await find_credits(self.database, org_id, credit_keys):
            is_reversed = not await self._without_reversed(org_id, [credit])
            if _deposit_id(credit) == deposit_id and not is_reversed:
                return _deposit(credit, *ends[credit.account_id])
        wallets = {wallet.id: wallet for wallet, _ in ends.values()}
        row = await self.database.single(
            lambda tx: confirmed_deposit_store.find(tx, org_id, deposit_id, list(wallets))
        )
        if row is not None:
            return _confirmed_deposit(row, wallets[row["wallet_id"]])
        raise ResourceNotFound(f"there is no deposit {deposit_id}")

    async def count_by_change(
        self, org_id: UUID, changes: Collection[tuple[UUID, int]]
    ) -> Mapping[tuple[UUID, int], int]:
        """Count the deposits of each change of a record, given by (record id, change number)."""
        if not changes:
            return {}
        found = await self.database.single(lambda tx: find_recorded_credits(tx, org_id, changes))
        return Counter((each.credit.transfer_id, each.seq) for each in found)

    async def by_change(
        self, org_id: UUID, changes: Collection[tuple[UUID, int]]
    ) -> Mapping[tuple[UUID, int], Sequence[WalletDeposit]]:
        """Return the deposits of each change of a record, given by (record id, change number).

        Changes without deposits are omitted. The order within a change is always the same.
        """

        async def read(tx: Tx) -> dict[tuple[UUID, int], list[WalletDeposit]]:
            found = await find_recorded_credits(tx, org_id, changes)
            wallets = await wallets_of(tx, org_id, {each.credit.account_id for each in found})
            found_by_change: defaultdict[tuple[UUID, int], list[WalletDeposit]] = defaultdict(list)
            for each in found:
                wallet = wallets[each.credit.account_id]
                token = self.wallets.tokens[wallet.chain, ASSETS[each.asset].currency]
                key = (each.credit.transfer_id, each.seq)
                found_by_change[key].append(_deposit(each.credit, wallet, token))
            return dict(found_by_change)

        return await self.database.read(read) if changes else {}

    async def _confirmed(
        self, wallet: Wallet, token: Token, units_min: int, window: PageWindow
    ) -> Sequence[WalletDeposit]:
        """Return the newest deposits of a page window that are not credited yet."""
        rows = await self.database.single(
            lambda tx: confirmed_deposit_store.page(
                tx,
                wallet.org_id,
                wallet_id=wallet.id,
                asset=token.asset.code,
                units_min=units_min,
                since=window.since,
                before=window.position.created_at,
                limit=window.limit,
            )
        )
        return [_confirmed_deposit(row, wallet) for row in rows]

    async def _without_reversed(
        self, org_id: UUID, credited: Sequence[WalletCredit]
    ) -> Sequence[WalletCredit]:
        """Return the credits that were not reversed, which happens only on real chains."""
        ids = [
            each.transfer_id
            for each in credited
            if each.kind == DEPOSIT_KIND and "found_at" in each.record_data
        ]
        # Read concurrently, so that the ledger groups the reads into one statement.
        found = await gather_in_order([self.ledger.find(org_id, reversal_id(each)) for each in ids])
        lost = {id_ for id_, reversal in zip(ids, found, strict=True) if reversal is not None}
        return [each for each in credited if each.transfer_id not in lost]


def _merged(
    credited: Sequence[WalletDeposit],
    confirmed: Sequence[WalletDeposit],
    credits_found: CreditPage,
    limit: int,
) -> WalletDepositPage:
    """Return one page of credited and confirmed deposits, by latest change, newest first."""
    complete_to = credits_found.complete_to
    older = [each for each in confirmed if complete_to and each.updated_at < complete_to]
    both = [*credited, *(each for each in confirmed if each not in older)]
    shown = sorted(both, key=lambda each: each.updated_at, reverse=True)[:limit]
    if len(shown) < limit and complete_to is not None:
        return WalletDepositPage(shown, complete_to)
    return WalletDepositPage(shown, shown[-1].updated_at if shown else credits_found.next_cursor)


def _deposit(credit: WalletCredit, wallet: Wallet, token: Token) -> WalletDeposit:
    record_data = credit.record_data
    found_at: str | None = record_data.get("found_at")
    return WalletDeposit(
        id=_deposit_id(credit),
        wallet=wallet,
        token=token,
        contract_address=record_data.get("contract_address") or token.address,
        money=Money(credit.units, token.asset),
        # The deposit of a bridge is the transaction that mints the coins.
        transaction_hash=record_data.get("mint_transaction_hash")
        or record_data.get("transaction_hash"),
        source_address=record_data.get("source_address"),
        is_final=True,
        created_at=datetime.fromisoformat(found_at) if found_at else credit.at,
        updated_at=credit.at,
    )


def _confirmed_deposit(row: Row, wallet: Wallet) -> WalletDeposit:
    asset = ASSETS[row["asset"]]
    return WalletDeposit(
        id=row["id"],
        wallet=wallet,
        token=TOKENS[wallet.chain, asset.currency],
        contract_address=row["contract_address"],
        money=Money(int(row["units"]), asset),
        transaction_hash=row["transaction_hash"],
        source_address=row["source_address"],
        is_final=False,
        created_at=row["found_at"],
        updated_at=row["found_at"],
    )


def _deposit_id(credit: WalletCredit) -> UUID:
    is_record = credit.kind == DEPOSIT_KIND
    return credit.transfer_id if is_record else _mixed(credit.transfer_id, credit.account_id)


def _record_id(deposit_id: UUID, account_id: UUID) -> UUID:
    """Return the record id for this deposit id in that account."""
    return _mixed(deposit_id, account_id)


def _mixed(id_: UUID, account_id: UUID) -> UUID:
    """Return a different id per account; applied twice, it returns the original."""
    digest = sha256(account_id.bytes).digest()
    return UUID(int=id_.int ^ (int.from_bytes(digest[:8]) & _LAST_BITS))
