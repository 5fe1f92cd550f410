"""What an offramp has the house pay beside it: fees out of coins from outside, surplus coins."""

from dataclasses import dataclass
from datetime import timedelta

from landbridge.chains.tokens import Chain
from landbridge.core.money import Asset, Money
from landbridge.db.pool import Database, Tx
from landbridge.flows.offramps.model import MOVES, Offramp
from landbridge.ledger.model import Move, Outcome, Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.disbursing import DisbursementRequest, Disbursing, Purpose
from landbridge.payments.ends import Payee
from landbridge.wallets.service import Wallets
from landbridge.web.caller import Caller


@dataclass(frozen=True, slots=True)
class OfframpDisbursing:
    """Opens the disbursements of offramps."""

    database: Database
    ledger: Ledger
    wallets: Wallets
    disbursing: Disbursing

    async def take_in(
        self, offramp: Offramp, move: Move, clock_offset: timedelta
    ) -> Transfer | None:
        """Make the move that books coins from outside, and open a disbursement for each fee.

        Return None if somebody else has moved the offramp: nothing was written then.
        """
        requests = fee_requests(offramp)

        async def work(tx: Tx) -> Transfer | Outcome:
            moved = await self.ledger.advance_in(tx, move, MOVES)
            if isinstance(moved, Transfer):
                for each in requests:
                    await self.disbursing.open_in(
                        tx, each, actor=move.actor, clock_offset=clock_offset
                    )
            return moved

        if requests:
            moved = await self.database.transact(work)
        else:
            moved = await self.ledger.advance(move, MOVES)
        return moved if isinstance(moved, Transfer) else None

    async def return_surplus(
        self, caller: Caller, offramp: Offramp, money: Money, chain_hash: str
    ) -> bool:
        """Send coins back that the offramp does not wait for, once per asset and hash.

        Return False if the offramp has moved since it was read: it may wait for them now. Raise
        `RequestIdTaken` if another amount was reported before, and `WalletNotFound` if the return
        address is a user's, who has no wallet on the chain of these coins.
        """
        back = await self._return_to(offramp, money.asset)
        request = surplus_request(offramp, money, chain_hash, back)

        async def work(tx: Tx) -> bool:
            if not await self.ledger.lock_in(tx, offramp.record):
                return False
            await self.disbursing.open_in(
                tx, request, actor=caller.actor, clock_offset=caller.clock_offset
            )
            return True

        return await self.database.transact(work)

    async def is_returning(self, offramp: Offramp, money: Money, chain_hash: str) -> bool:
        """Return whether these coins have been sent back, or are about to be."""
        back = Payee(None, offramp.details.return_address)
        return await self.disbursing.is_open(surplus_request(offramp, money, chain_hash, back))

    async def _return_to(self, offramp: Offramp, asset: Asset) -> Payee:
        """Return where coins of this asset go back to."""
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
    """Return the disbursements that pay the fees of an offramp whose coins came from outside."""
    return [
        DisbursementRequest(
            payment=offramp.record,
            purpose=Purpose.FEE,
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
    """Return the disbursement that sends back coins for which the offramp does not wait."""
    return DisbursementRequest(
        payment=offramp.record,
        purpose=Purpose.SURPLUS_RETURN,
        reference=f"{money.asset.code}/{chain_hash}",
        money=money,
        source_address=offramp.details.destination_address,
        address=back.address,
        account_id=back.account_id,
        user_id=back.user_id,
    )
