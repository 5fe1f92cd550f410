"""Deposits: what arrived in users' wallets. Source: contract, users 7.

A deposit is no record of its own but a reading of the books (`ledger.credits`): coins from outside,
from other users, from onramps and bridges. Its id is made so that it is found again without a
table: that of the record, which is the deposit itself where coins came from outside; else the
record's with its last 62 bits changed by the account's id, for a batch pays several.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from uuid import UUID

from landbridge.chains.tokens import ASSETS, TOKENS, Chain, Token
from landbridge.core.errors import FieldInvalid, ResourceNotFound
from landbridge.core.money import Money
from landbridge.core.pages import Window
from landbridge.db.pool import Database, Tx
from landbridge.ledger.credits import Credit, credits_made, credits_of_account, find_credits
from landbridge.ledger.service import Ledger
from landbridge.wallets.errors import WalletNotFound
from landbridge.wallets.model import DEPOSIT_KIND, Wallet
from landbridge.wallets.service import Wallets, wallets_of

_LAST_BITS = (1 << 62) - 1


@dataclass(frozen=True, slots=True)
class Deposit:
    """Coins that arrived; hash and sender are None where nothing went over a chain."""

    id: UUID
    wallet: Wallet
    token: Token
    money: Money
    transaction_hash: str | None
    source_address: str | None
    at: datetime


@dataclass(frozen=True, slots=True)
class DepositsFound:
    """Deposits newest first; `next_cursor` is where to go on, None for an empty page at the end."""

    deposits: Sequence[Deposit]
    next_cursor: datetime | None


class Deposits:
    """Deposits of all organisations."""

    def __init__(self, database: Database, ledger: Ledger, wallets: Wallets) -> None:
        self._database = database
        self._ledger = ledger
        self._wallets = wallets

    async def page(
        self,
        org_id: UUID,
        user_id: UUID,
        *,
        chain: Chain,
        currency: str,
        units_min: int,
        window: Window,
    ) -> DepositsFound:
        """A page, newest first, of at least `units_min` smallest units each.

        Where such are rare it may end early, with a cursor to go on from. Raises `FieldInvalid`
        for a currency that the chain does not have, and `WalletNotFound`.
        """
        token = deposit_token(chain, currency)
        wallet = await self._wallets.find(org_id, user_id, chain)
        if wallet is None:
            raise WalletNotFound(f"user {user_id} has no wallet on {chain}")
        account = await self._ledger.account(org_id, wallet.id, token.asset)
        found = await credits_of_account(
            self._database,
            org_id,
            account_id=account.id,
            wallet_id=wallet.id,
            units_min=units_min,
            window=window,
        )
        shown = [_deposit(each, wallet, token) for each in found.credits]
        return DepositsFound(shown, found.next_cursor)

    async def get(self, org_id: UUID, user_id: UUID, deposit_id: UUID) -> Deposit:
        """A deposit in a wallet of this user; raises `ResourceNotFound`."""
        ends = {
            account.id: (wallet, token)
            for wallet in (await self._wallets.of_users(org_id, [user_id]))[user_id]
            for (chain, _), token in TOKENS.items()
            if chain is wallet.chain
            for account in [await self._ledger.account(org_id, wallet.id, token.asset)]
        }
        # An account's own way to this id, and coins from outside.
        wanted = {(account_id, _record_id(deposit_id, account_id)) for account_id in ends}
        wanted |= {(account_id, deposit_id) for account_id in ends}
        for credit in await find_credits(self._database, org_id, wanted):
            if _deposit_id(credit) == deposit_id:
                return _deposit(credit, *ends[credit.account_id])
        raise ResourceNotFound(f"there is no deposit {deposit_id}")

    async def count_made(
        self, org_id: UUID, changes: Collection[tuple[UUID, int]]
    ) -> Mapping[tuple[UUID, int], int]:
        """How many deposits came with these changes of records, each (record, number)."""
        if not changes:
            return {}
        found = await self._database.single(lambda tx: credits_made(tx, org_id, changes))
        return Counter((each.credit.transfer_id, each.seq) for each in found)

    async def made(
        self, org_id: UUID, changes: Collection[tuple[UUID, int]]
    ) -> Mapping[tuple[UUID, int], Sequence[Deposit]]:
        """The deposits that came with these changes of records, each (record, number).

        Left out: changes without any. The order of a change's is the same each time.
        """

        async def read(tx: Tx) -> dict[tuple[UUID, int], list[Deposit]]:
            found = await credits_made(tx, org_id, changes)
            wallets = await wallets_of(tx, org_id, {each.credit.account_id for each in found})
            made: defaultdict[tuple[UUID, int], list[Deposit]] = defaultdict(list)
            for each in found:
                wallet = wallets[each.credit.account_id]
                token = TOKENS[wallet.chain, ASSETS[each.asset].currency]
                key = (each.credit.transfer_id, each.seq)
                made[key].append(_deposit(each.credit, wallet, token))
            return dict(made)

        return await self._database.transact(read) if changes else {}


def deposit_token(chain: Chain, currency: str) -> Token:
    """The token of a currency on a chain; raises `FieldInvalid`."""
    token = TOKENS.get((chain, currency))
    if token is None:
        raise FieldInvalid(f"currency: there is no {currency[:50]} on {chain}", field="currency")
    return token


def _deposit(credit: Credit, wallet: Wallet, token: Token) -> Deposit:
    told = credit.told
    return Deposit(
        id=_deposit_id(credit),
        wallet=wallet,
        token=token,
        money=Money(credit.units, token.asset),
        # Of a bridge, it is the second leg that arrived here.
        transaction_hash=told.get("mint_transaction_hash") or told.get("transaction_hash"),
        source_address=told.get("source_address"),
        at=credit.at,
    )


def _deposit_id(credit: Credit) -> UUID:
    is_record = credit.kind == DEPOSIT_KIND
    return credit.transfer_id if is_record else _mixed(credit.transfer_id, credit.account_id)


def _record_id(deposit_id: UUID, account_id: UUID) -> UUID:
    """The record of which this would be the deposit in that account."""
    return _mixed(deposit_id, account_id)


def _mixed(id_: UUID, account_id: UUID) -> UUID:
    """Another id for each account; done twice, it is the first again."""
    digest = sha256(account_id.bytes).digest()
    return UUID(int=id_.int ^ (int.from_bytes(digest[:8]) & _LAST_BITS))
