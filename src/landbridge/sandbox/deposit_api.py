"""Routes that simulate a deposit for a payment: /v2/sandbox/onramps and /v2/sandbox/offramps.

They also simulate deposits on virtual accounts.
"""

from decimal import Decimal
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.customers.users.path_params import known_user
from landbridge.ledger.path_params import known_transfer
from landbridge.payments.incoming_payments.model import IncomingPayment, IncomingPaymentSender
from landbridge.payments.virtual_accounts.api import known_account
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.money import AmountError, Money
from landbridge.platform.formats.bank_numbers import check_aba, check_us_account
from landbridge.platform.formats.schemas import LineText, OptionalLine
from landbridge.platform.formats.texts import check_text
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import one_of, positive_text, with_schema
from landbridge.platform.http.request_decoding import request_values
from landbridge.platform.http.responses import DecimalText, Moment, WireStruct, reply_of
from landbridge.platform.idempotency.service import IdempotencyKeys
from landbridge.providers.rails.currencies import FIAT
from landbridge.sandbox.deposits import (
    DOLLARS_MAX,
    EVERY_RAIL,
    CreditedDeposit,
    SandboxDeposits,
    VirtualDepositRequest,
    VirtualDeposits,
)

# Deposits are in dollars.
_CENTS = 2


class FiatDepositSource(WireStruct, frozen=True):
    """Sender of the deposit, as the bank reports it."""

    name: LineText | None = None
    bank_name: LineText | None = None
    routing_number: LineText | None = None
    account_number: LineText | None = None


class FiatDeposit(WireStruct, frozen=True):
    """Fiat to deposit; omitted fields are exactly as the onramp expects."""

    amount: Annotated[Decimal, with_schema(positive_text(_CENTS))] | None = None
    reference: OptionalLine | None = None
    payment_rail: Annotated[str, with_schema(one_of(EVERY_RAIL))] | None = None
    source: FiatDepositSource | None = None


class FiatDepositReply(WireStruct, frozen=True):
    """The simulated deposit, as the bank reports it."""

    id: UUID
    transfer_id: UUID
    amount: DecimalText
    currency: str
    payment_rail: str
    reference: str | None
    received_at: Moment
    clears_at: Moment


class CoinDeposit(WireStruct, frozen=True):
    """Coins to deposit; without an amount exactly what the offramp expects."""

    amount: Annotated[Decimal, with_schema(positive_text())] | None = None


class CoinDepositReply(WireStruct, frozen=True):
    """The simulated transaction, and the status of the offramp after it."""

    transfer_id: UUID
    status: str
    amount: DecimalText
    currency: str
    chain: str
    from_address: str
    to_address: str
    transaction_hash: str


class SandboxDepositRoutes(Controller):
    """Simulate deposits for a payment; refused in production."""

    path = "/v2/sandbox"
    tags = ("Sandbox",)

    @post(
        "/onramps/{transferId:str}/deposit",
        status_code=200,
        summary="Deposit for an onramp",
        keyed=True,
        operation_id="sandbox.depositFiat",
    )
    async def fiat(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        data: JSONBody[FiatDeposit],
        sandbox_deposits: NamedDependency[SandboxDeposits],
        idempotency_keys: NamedDependency[IdempotencyKeys],
    ) -> FiatDepositReply:
        """Fiat arrives at the bank, and is matched or returned as real fiat would be."""
        transfer_id = known_transfer(transferId)
        async with idempotency_keys.reserved(request, data, transfer_id) as key:
            incoming_payment = await sandbox_deposits.send_fiat(
                request.user,
                transfer_id,
                amount=data.amount,
                reference=data.reference,
                payment_rail=data.payment_rail,
                sender=None if data.source is None else _sender(data.source),
                key=key,
            )
        return _fiat_reply(transfer_id, incoming_payment)

    @post(
        "/offramps/{transferId:str}/deposit",
        status_code=200,
        summary="Deposit for an offramp",
        keyed=True,
        operation_id="sandbox.depositCoins",
    )
    async def coins(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        data: JSONBody[CoinDeposit],
        sandbox_deposits: NamedDependency[SandboxDeposits],
        idempotency_keys: NamedDependency[IdempotencyKeys],
    ) -> CoinDepositReply:
        """Coins arrive from the external wallet that funds the offramp."""
        transfer_id = known_transfer(transferId)
        async with idempotency_keys.reserved(request, data, transfer_id) as key:
            credited = await sandbox_deposits.send_coins(
                request.user, transfer_id, amount=data.amount, key=key
            )
        return _coin_reply(credited)


def _sender(source: FiatDepositSource) -> IncomingPaymentSender:
    return IncomingPaymentSender(
        name=_text("source.name", source.name),
        bank_name=_text("source.bankName", source.bank_name),
        routing_number=_text("source.routingNumber", source.routing_number),
        account_number=_text("source.accountNumber", source.account_number),
    )


def _text(field: str, value: str | None) -> str | None:
    return None if value is None else check_text(field, value)


def _fiat_reply(transfer_id: UUID, incoming_payment: IncomingPayment) -> FiatDepositReply:
    return reply_of(
        incoming_payment,
        FiatDepositReply,
        transfer_id=transfer_id,
        amount=str(incoming_payment.money),
        currency=incoming_payment.money.asset.currency,
        payment_rail=incoming_payment.rail,
    )


def _coin_reply(credited: CreditedDeposit) -> CoinDepositReply:
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


_RAILS = ("WIRE", "ACH")


class SimulatedDepositSource(WireStruct, frozen=True):
    """Sender of the deposit."""

    routing_number: Annotated[str, with_schema(check_aba.form)]
    account_number: Annotated[str, with_schema(check_us_account.form)]
    name: LineText
    bank_name: LineText


class SimulatedDeposit(WireStruct, frozen=True, omit_defaults=True):
    """Fiat to deposit; `amount` is a decimal string. `userId`, if given, is that of the path.

    `paymentRail` is accepted in any case.
    """

    amount: Annotated[str, with_schema(positive_text(_CENTS, len(str(DOLLARS_MAX)) - 1))]
    payment_rail: Annotated[str, with_schema(one_of(_RAILS))]
    request_id: UUID
    source: SimulatedDepositSource
    user_id: UUID | None = None
    reference: LineText | None = None
    description: LineText | None = None


class SimulatedDepositRoutes(Controller):
    """Simulate deposits on virtual accounts; refused in production."""

    path = "/v2/users/{userId:str}/virtual-accounts/{accountId:str}/simulate-deposit"
    tags = ("Virtual accounts",)

    @post(
        status_code=200,
        summary="Simulate a deposit",
        operation_id="virtualAccounts.simulateDeposit",
    )
    async def simulate(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        accountId: FromPath[str],
        data: JSONBody[SimulatedDeposit],
        simulated_deposits: NamedDependency[VirtualDeposits],
    ) -> SimulatedDeposit:
        """Returns the body; an onramp is then created and completes by itself."""
        user_id, account_id = known_user(userId), known_account(accountId)
        if data.user_id not in {None, user_id}:
            raise FieldInvalid("userId must be the one in the path", field="userId")
        if data.payment_rail.upper() not in _RAILS:
            raise FieldInvalid(
                f"paymentRail must be one of {', '.join(_RAILS)}", field="paymentRail"
            )
        await simulated_deposits.make(
            request.user,
            user_id,
            account_id,
            _deposit_request(data),
            request_id=data.request_id,
            # The path names the user.
            request=request_values(msgspec.structs.replace(data, user_id=None)),
        )
        return data


def _deposit_request(data: SimulatedDeposit) -> VirtualDepositRequest:
    """Validate the request; raises `FieldInvalid`, naming the field."""
    source = data.source
    return VirtualDepositRequest(
        money=_amount(data.amount),
        rail=data.payment_rail.lower(),
        sender=IncomingPaymentSender(
            name=check_text("source.name", source.name),
            bank_name=check_text("source.bankName", source.bank_name),
            routing_number=check_aba("source.routingNumber", source.routing_number),
            account_number=check_us_account("source.accountNumber", source.account_number),
        ),
        reference=_text("reference", data.reference),
        description=_text("description", data.description),
    )


def _amount(value: str) -> Money:
    try:
        money = Money.parse(value, FIAT["usd"])
    except AmountError as error:
        raise FieldInvalid(f"amount {error}", field="amount") from error
    if money.units <= 0:
        raise FieldInvalid("amount must be above zero", field="amount")
    return money
