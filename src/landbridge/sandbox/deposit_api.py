"""Routes that let money arrive for a payment: /v2/sandbox/onramps and /v2/sandbox/offramps."""

from decimal import Decimal
from uuid import UUID

from litestar import Controller, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.formats.texts import check_text
from landbridge.ledger.errors import TransactionNotFound
from landbridge.receipts.model import Receipt, Sender
from landbridge.sandbox.deposits import Credited, SandboxDeposits
from landbridge.web.caller import ApiRequest
from landbridge.web.paths import known_id
from landbridge.web.reply import Moment, WireStruct, moment


class DepositSource(WireStruct, frozen=True):
    """Who sends it, as the bank will say."""

    name: str | None = None
    bank_name: str | None = None
    routing_number: str | None = None
    account_number: str | None = None


class FiatDeposit(WireStruct, frozen=True):
    """Fiat that is to arrive; what is left out is exactly what the onramp waits for."""

    amount: Decimal | None = None
    reference: str | None = None
    payment_rail: str | None = None
    source: DepositSource | None = None


class FiatDepositReply(WireStruct, frozen=True):
    """The deposit that was made up, as the bank tells of it."""

    id: UUID
    transfer_id: UUID
    amount: str
    currency: str
    payment_rail: str
    reference: str | None
    received_at: Moment
    clears_at: Moment


class CoinDeposit(WireStruct, frozen=True):
    """Coins that are to arrive; without an amount exactly what the offramp waits for."""

    amount: Decimal | None = None


class CoinDepositReply(WireStruct, frozen=True):
    """The transaction that was made up, and where the offramp stands after it."""

    transfer_id: UUID
    status: str
    amount: str
    currency: str
    chain: str
    from_address: str
    to_address: str
    transaction_hash: str


class SandboxDepositRoutes(Controller):
    """Money that arrives for a payment; refused in production."""

    path = "/v2/sandbox"
    tags = ("Sandbox",)

    @post(
        "/onramps/{transferId:str}/deposit",
        status_code=200,
        summary="Deposit for an onramp",
        unkeyed=True,
    )
    async def fiat(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        data: JSONBody[FiatDeposit],
        sandbox_deposits: NamedDependency[SandboxDeposits],
    ) -> FiatDepositReply:
        """Fiat arrives at the bank, and is matched or given back as real fiat would be."""
        transfer_id = known_id(transferId, "transaction", TransactionNotFound)
        receipt = await sandbox_deposits.send_fiat(
            request.user,
            transfer_id,
            amount=data.amount,
            reference=data.reference,
            payment_rail=data.payment_rail,
            sender=None if data.source is None else _sender(data.source),
        )
        return _fiat_reply(transfer_id, receipt)

    @post(
        "/offramps/{transferId:str}/deposit",
        status_code=200,
        summary="Deposit for an offramp",
        unkeyed=True,
    )
    async def coins(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        data: JSONBody[CoinDeposit],
        sandbox_deposits: NamedDependency[SandboxDeposits],
    ) -> CoinDepositReply:
        """Coins arrive from the external wallet that pays the offramp."""
        transfer_id = known_id(transferId, "transaction", TransactionNotFound)
        return _coin_reply(
            await sandbox_deposits.send_coins(request.user, transfer_id, amount=data.amount)
        )


def _sender(told: DepositSource) -> Sender:
    return Sender(
        name=_text("name", told.name),
        bank_name=_text("bankName", told.bank_name),
        routing_number=_text("routingNumber", told.routing_number),
        account_number=_text("accountNumber", told.account_number),
    )


def _text(name: str, told: str | None) -> str | None:
    return None if told is None else check_text(f"source.{name}", told)


def _fiat_reply(transfer_id: UUID, receipt: Receipt) -> FiatDepositReply:
    return FiatDepositReply(
        id=receipt.id,
        transfer_id=transfer_id,
        amount=str(receipt.money),
        currency=receipt.money.asset.currency,
        payment_rail=receipt.rail,
        reference=receipt.reference,
        received_at=moment(receipt.received_at),
        clears_at=moment(receipt.clears_at),
    )


def _coin_reply(credited: Credited) -> CoinDepositReply:
    offramp, asset = credited.offramp, credited.money.asset
    return CoinDepositReply(
        transfer_id=offramp.record.id,
        status=offramp.status,
        amount=str(credited.money),
        currency=asset.currency,
        chain=asset.chain,
        from_address=offramp.details.source_address,
        to_address=offramp.details.destination_address,
        transaction_hash=credited.transaction_hash,
    )
