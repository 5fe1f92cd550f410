"""Deposits: fiat that arrived, and the onramp that it pays.

On a virtual account each deposit is an onramp of its own. Otherwise the reference says which one is
paid; the account, the currency and the amount have to be right, and the deposit in time. What a
deposit does to its record, and that it was matched, are one transaction.

Source: contract, lifecycles 7 and 9.
"""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID

import msgspec

from landbridge.core.clock import Clock
from landbridge.core.errors import Broken, Busy, Refused, Unavailable
from landbridge.core.ids import derived_id
from landbridge.core.money import Asset, Money, Rate, Rounding
from landbridge.db.pool import Tx
from landbridge.flows.onramps import moves, store
from landbridge.flows.onramps.model import (
    KIND,
    MOVES,
    Details,
    Onramp,
    Part,
    Status,
)
from landbridge.flows.onramps.quoting import quote_of
from landbridge.flows.onramps.references import told_reference
from landbridge.flows.onramps.service import Onramps
from landbridge.ledger.model import Opening, Outcome, Transfer
from landbridge.ledger.service import Opened
from landbridge.orgs.service import Orgs
from landbridge.payments.forced import is_reviewed
from landbridge.quotes.errors import QuoteNotReady
from landbridge.quotes.pricing import Quote, fresh_price
from landbridge.receipts.model import Receipt
from landbridge.receipts.service import Receipts
from landbridge.virtual_accounts.model import VirtualAccount, is_micro
from landbridge.virtual_accounts.service import VirtualAccounts
from landbridge.virtual_accounts.splitting import split

_ACTOR = "bank"
_ATTEMPTS = 4
# What compliance is asked, where a rule and no person asks.
_QUESTION = "The amount is large enough for a review: where is the money from, and what is it for?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deposits:
    """Finds what a deposit pays."""

    onramps: Onramps
    virtual_accounts: VirtualAccounts
    receipts: Receipts
    orgs: Orgs
    clock: Clock
    # From how many dollars on compliance looks at a deposit; None: never by itself.
    review_above_usd: Decimal | None

    async def take(self, receipt: Receipt) -> bool:
        """Give a deposit to the onramp that it pays; False if it pays none, and has to go back.

        Taken before, it answers as the first time. One that arrives while its onramp is reviewed
        is taken too, and waits there. Raises `Unavailable` while the price is too old to quote.
        """
        account = await self.virtual_accounts.find_by_number(receipt.org_id, receipt.account_number)
        if account is not None:
            return await self.on_virtual_account(account, receipt)
        return await self._by_reference(receipt)

    async def _by_reference(self, receipt: Receipt) -> bool:
        for _ in range(_ATTEMPTS):
            onramp = await self._find(receipt)
            if onramp is None:
                return False
            if onramp.details.receipt_id == receipt.id:
                return True
            if not _is_awaited(onramp, receipt):
                return False
            if isinstance(await self.deposit(onramp, receipt), Transfer):
                return True
        raise Busy("the onramp is being changed by somebody else")

    async def _find(self, receipt: Receipt) -> Onramp | None:
        """The onramp whose reference was written on the deposit."""
        org_id, reference = receipt.org_id, told_reference(receipt.reference or "")
        if reference is None:
            return None
        transfer_id = await self.onramps.database.single(
            lambda tx: store.find(tx, org_id, reference)
        )
        return None if transfer_id is None else await self.onramps.get(org_id, transfer_id)

    async def deposit(self, onramp: Onramp, receipt: Receipt) -> Transfer | Outcome:
        """The onramp once the deposit was seen, or what somebody else's move made of that."""
        at = await self._stamp(receipt.org_id)
        found = moves.seen(
            onramp,
            receipt.money,
            receipt_id=receipt.id,
            clears_at=max(at, receipt.clears_at),
            is_large=is_reviewed(onramp.record)
            or self._is_large(
                onramp.source,
                Rate(onramp.details.rate),
                onramp.destination.asset,
                onramp.details.worth_usd,
            ),
        )
        # Who is asked about already is not asked a second time.
        is_asked = found.is_reviewed and onramp.status is not Status.IN_REVIEW
        move = moves.deposited(onramp, found, receipt.money, actor=_ACTOR, at=at)

        async def work(tx: Tx) -> Transfer | Outcome:
            moved = await self.onramps.ledger.advance_in(tx, move, MOVES)
            if isinstance(moved, Transfer):
                await self._match(tx, receipt, moved, is_asked=is_asked)
            return moved

        return await self.onramps.database.transact(work)

    async def on_virtual_account(self, account: VirtualAccount, receipt: Receipt) -> bool:
        """Each deposit is an onramp of its own, but for the cents that check an account.

        False if the account does not take it; raises `Unavailable` while the price is too old, and
        `Refused` for one that a person matches and that could go nowhere.
        """
        transfer_id = onramp_id_of(receipt)
        if await self.onramps.ledger.find(receipt.org_id, transfer_id) is not None:
            return True
        if not account.is_active or account.source_currency != receipt.money.asset.currency:
            return False
        at = await self._stamp(receipt.org_id)
        if is_micro(receipt.money):

            async def note(tx: Tx) -> None:
                await self.virtual_accounts.note_micro_deposit(tx, account, receipt)
                await self.receipts.match(tx, receipt, account.id, user_id=account.user_id, at=at)

            await self.onramps.database.transact(note)
            return True
        opening = await self._opening(account, receipt, transfer_id, at)
        if opening is None:
            return False

        async def work(tx: Tx) -> Opened | Outcome:
            opened = await self.onramps.ledger.open_in(tx, opening, MOVES)
            if isinstance(opened, Opened) and not opened.is_replay:
                is_asked = opened.transfer.status == Status.IN_REVIEW
                await self._match(tx, receipt, opened.transfer, is_asked=is_asked)
            return opened

        if isinstance(await self.onramps.database.transact(work), Outcome):
            raise Broken("a deposit came out short")
        return True

    async def _opening(
        self, account: VirtualAccount, receipt: Receipt, transfer_id: UUID, at: datetime
    ) -> Opening | None:
        """The onramp that a deposit makes; None if nobody can say what it would become."""
        quote = await self._quote(account, receipt.money, at)
        if quote is None:
            return None
        facts = {"receipt_id": str(receipt.id), "received_units": receipt.money.units}
        try:
            split_as, failed_reason = await self._divided(account, quote), None
        except Refused as error:
            if receipt.decided_by is not None:
                raise  # nobody wants a deposit to fail that they match by hand
            # Where a part has to go can't be paid any more; the sender gets the money back.
            split_as, failed_reason = _Divided(None, ()), error.message
        if failed_reason is not None:
            found = moves.Seen(Status.FIAT_FAILED, at, facts | {"failed_reason": failed_reason})
        else:
            is_large = self._is_large(quote.send_gross, quote.price.rate, quote.receive.asset)
            clears_at = max(at, receipt.clears_at)
            found = moves.Seen(Status.FIAT_PENDING, clears_at, facts, is_reviewed=is_large)
        details = Details(
            bank_account_id=None,
            source_address=await self.onramps.wallets.treasury_address(
                account.org_id, account.chain
            ),
            destination_account_id=split_as.account_id,
            destination_user_id=account.user_id,
            destination_address=account.wallet_address,
            external_wallet_id=account.external_wallet_id,
            fee_units=quote.fee.units,
            rate=quote.price.rate.value,
            quote_expires_at=at,
            is_exact_out=False,
            virtual_account_id=account.id,
            parts=split_as.parts,
        )
        return Opening(
            org_id=receipt.org_id,
            id=transfer_id,
            kind=KIND,
            user_id=account.user_id,
            request_id=transfer_id,
            request={"virtualAccountId": str(account.id), "receiptId": str(receipt.id)},
            path=found.path(),
            source=quote.send_gross,
            destination=quote.receive,
            details={**msgspec.to_builtins(details), **found.told()},
            due_at=None if found.is_reviewed else found.due_at,
            at=at,
            actor=_ACTOR,
            journals={0: moves.seen_journal(receipt.money)},
        )

    async def _quote(self, account: VirtualAccount, money: Money, at: datetime) -> Quote | None:
        """What a deposit becomes at the present price; None if it can't be converted at all.

        Raises `Unavailable` while the price is too old: there will be another.
        """
        try:
            price = await fresh_price(
                self.onramps.rates,
                account.org_id,
                source=money.asset,
                destination=account.asset,
                now=at,
                age_max=self.onramps.price_age_max,
            )
            return quote_of(
                (money, None), fiat=money.asset, coins=account.asset, price=price, fee=None
            )
        except QuoteNotReady as error:
            raise Unavailable(f"a deposit can't be converted now: {error.message}") from error
        except Refused:
            return None

    async def _divided(self, account: VirtualAccount, quote: Quote) -> "_Divided":
        """Where the coins go.

        Raises `WalletNotFound` for a wallet that there is no more, and `UserFrozen` for one whose
        user may not be paid.
        """
        rule = await self.virtual_accounts.rule_of(account.org_id, account)
        parts: list[Part] = []
        for address, money in split(rule, quote.receive).parts:
            user_id, account_id = await self._owner_at(account, address)
            parts.append(
                Part(address=address, account_id=account_id, user_id=user_id, units=money.units)
            )
        _, own = await self._owner_at(account, account.wallet_address)
        return _Divided(own, tuple(parts))

    async def _owner_at(
        self, account: VirtualAccount, address: str
    ) -> tuple[UUID, UUID] | tuple[None, None]:
        """User and account of one of our wallets at an address; None for one outside."""
        onramps = self.onramps
        wallet = await onramps.wallets.find_address(account.org_id, account.chain, address)
        if wallet is None:
            return None, None
        await onramps.ends.users.check_active(wallet.org_id, wallet.user_id)
        found = await onramps.ledger.account(wallet.org_id, wallet.id, account.asset)
        return wallet.user_id, found.id

    def _is_large(
        self, fiat: Money, rate: Rate, coin: Asset, worth_usd: Decimal | None = None
    ) -> bool:
        """Whether compliance looks at it: by what is sent, whoever keeps some of it as a fee.

        All coins that it would buy count, each as a dollar, or `worth_usd`, what reference rates
        say, if that is more.
        """
        if self.review_above_usd is None:
            return False
        is_usd = fiat.asset.currency == "usd"
        dollars = (fiat if is_usd else rate.convert(fiat, coin, Rounding.UP)).decimal
        return max(dollars, worth_usd or dollars) >= self.review_above_usd

    async def _match(self, tx: Tx, receipt: Receipt, record: Transfer, *, is_asked: bool) -> None:
        """In the transaction of the move: whose deposit this is, and what compliance asks."""
        at = record.updated_at
        await self.receipts.match(tx, receipt, record.id, user_id=record.user_id, at=at)
        if is_asked:
            await self.onramps.rfis.open_in(tx, record, question=_QUESTION, actor=_ACTOR, at=at)

    async def _stamp(self, org_id: UUID) -> datetime:
        return self.clock.stamp(await self.orgs.clock_offset(org_id))


@dataclass(frozen=True, slots=True)
class _Divided:
    """Where the coins of a deposit go: what is left to the account, None for one outside."""

    account_id: UUID | None
    parts: tuple[Part, ...]


def onramp_id_of(receipt: Receipt) -> UUID:
    """The onramp that a deposit on a virtual account makes."""
    return derived_id(receipt.id, "onramp")


def _is_awaited(onramp: Onramp, receipt: Receipt) -> bool:
    """Whether the onramp waits for a deposit like this, and still did when it arrived."""
    due_at = onramp.record.due_at
    return (
        onramp.standing is Status.AWAITING_FUNDS
        and onramp.details.account_number == receipt.account_number
        and onramp.source.asset == receipt.money.asset
        and due_at is not None
        and receipt.arrived_at < due_at
    )
