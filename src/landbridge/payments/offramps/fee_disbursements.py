"""Disbursements of an offramp: fees paid from external coins, and surplus coins sent back."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol
from uuid import UUID

from landbridge.customers.wallets.service import Wallets
from landbridge.ledger.model import AdvanceTransfer, CommitOutcome, Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.engine.disbursement_requests import (
    DisbursementOpener,
    DisbursementPurpose,
    DisbursementRequest,
    surplus_reference,
)
from landbridge.payments.engine.parties import Payee
from landbridge.payments.offramps.model import TRANSITIONS, Offramp
from landbridge.platform.core.money import Asset, Money
from landbridge.platform.db.pool import Database, Tx
from landbridge.providers.chains.tokens import Chain


class CoinReporter(Protocol):
    """Reports coins that have arrived: the worker, or a caller in a sandbox."""

    @property
    def org_id(self) -> UUID:
        """Organisation that the coins belong to."""
        ...

    @property
    def clock_offset(self) -> timedelta:
        """Offset of the organisation's clock from real time."""
        ...

    @property
    def actor(self) -> str:
        """Name of the reporter in the change log."""
        ...


@dataclass(frozen=True, slots=True)
class OfframpFeeDisbursements:
    """Creates the disbursements of offramps."""

    database: Database
    ledger: Ledger
    wallets: Wallets
    fee_disbursements: DisbursementOpener

    async def book_external_coins(
        self, offramp: Offramp, move: AdvanceTransfer, clock_offset: timedelta
    ) -> Transfer | None:
        """Book external coins, and create a disbursement for each fee.

        Return None, and write nothing, if the offramp was changed concurrently.
        """
        requests = fee_requests(offramp)

        async def work(tx: Tx) -> Transfer | CommitOutcome:
            moved = await self.ledger.advance_in(tx, move, TRANSITIONS)
            if isinstance(moved, Transfer):
                for each in requests:
                    await self.fee_disbursements.create_in(
                        tx, each, actor=move.actor, clock_offset=clock_offset
                    )
            return moved

        if requests:
            moved = await self.database.transact(work)
        else:
            moved = await self.ledger.advance(move, TRANSITIONS)
        return moved if isinstance(moved, Transfer) else None

    async def return_surplus(
        self, reporter: CoinReporter, offramp: Offramp, money: Money, chain_hash: str
    ) -> bool:
        """Send back coins that the offramp does not await, once per asset and hash.

        Return False if the offramp was changed since it was read, because it may await them now.
        Raise `RequestIdTaken` if another amount was reported before. Raise `WalletNotFound` if the
        return address belongs to a user without a wallet on the chain of these coins.
        """
        back = await self._return_address(offramp, money.asset)
        request = surplus_request(offramp, money, chain_hash, back)

        async def work(tx: Tx) -> bool:
            if not await self.ledger.lock_in(tx, offramp.record):
                return False
            await self.fee_disbursements.create_in(
                tx, request, actor=reporter.actor, clock_offset=reporter.clock_offset
            )
            return True

        return await self.database.transact(work)

    async def is_returning(self, offramp: Offramp, money: Money, chain_hash: str) -> bool:
        """Return whether these coins were sent back or are about to be."""
        back = Payee(None, offramp.details.return_address)
        return await self.fee_disbursements.is_open(
            surplus_request(offramp, money, chain_hash, back)
        )

    async def _return_address(self, offramp: Offramp, asset: Asset) -> Payee:
        """Return the address to which coins of this asset are returned."""
        details, org_id = offramp.details, offramp.record.org_id
        address, account_id = details.return_address, details.return_account_id
        if account_id is None or asset == offramp.gross.asset:
            return Payee(details.return_user_id, address, account_id=account_id)
        wallet = await self.wallets.find_address(org_id, Chain(asset.chain), address)
        if wallet is None:
            return Payee(None, address)
        account = await self.ledger.account(org_id, wallet.id, asset)
        return Payee(wallet.user_id, address, account_id=account.id)


def fee_requests(offramp: Offramp) -> list[DisbursementRequest]:
    """Return the disbursements that pay the fees of an offramp with external coins."""
    return [
        DisbursementRequest(
            payment=offramp.record,
            purpose=DisbursementPurpose.FEE,
            reference=str(index),
            money=fee.money,
            source_address=offramp.details.destination_address,
            address=fee.line.wallet_address,
            account_id=fee.line.account_id,
            user_id=fee.line.user_id,
        )
        for index, fee in enumerate(offramp.fees)
        if fee.money.units
    ]


def surplus_request(
    offramp: Offramp, money: Money, chain_hash: str, back: Payee
) -> DisbursementRequest:
    """Return the disbursement that sends back coins which the offramp does not await."""
    return DisbursementRequest(
        payment=offramp.record,
        purpose=DisbursementPurpose.SURPLUS_RETURN,
        reference=surplus_reference(money.asset.code, chain_hash),
        money=money,
        source_address=offramp.details.destination_address,
        address=back.address,
        account_id=back.account_id,
        user_id=back.user_id,
    )
