"""Route that simulates deposits on virtual accounts. Source: interface/virtual-account."""

from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.customers.users.path_params import known_user
from landbridge.payments.incoming_payments.model import IncomingPaymentSender
from landbridge.payments.virtual_accounts.api import known_account
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.money import AmountError, Money
from landbridge.platform.formats.bank_numbers import check_aba, check_us_account
from landbridge.platform.formats.schemas import LineText
from landbridge.platform.formats.texts import check_text
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import one_of, positive_text, stated
from landbridge.platform.http.request_decoding import request_values
from landbridge.platform.http.responses import WireStruct
from landbridge.providers.rails.currencies import FIAT
from landbridge.sandbox.deposits import (
    DOLLARS_MAX,
    VirtualDepositRequest,
    VirtualDeposits,
)

_CENTS = 2


_RAILS = ("WIRE", "ACH")


class SimulatedDepositSource(WireStruct, frozen=True):
    """Sender of the deposit."""

    routing_number: Annotated[str, stated(check_aba.form)]
    account_number: Annotated[str, stated(check_us_account.form)]
    name: LineText
    bank_name: LineText


class SimulatedDeposit(WireStruct, frozen=True, omit_defaults=True):
    """Fiat to deposit; `amount` is a decimal string. `userId`, if given, is that of the path.

    `paymentRail` is accepted in any case.
    """

    amount: Annotated[str, stated(positive_text(_CENTS, len(str(DOLLARS_MAX)) - 1))]
    payment_rail: Annotated[str, stated(one_of(_RAILS))]
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


def _text(field: str, value: str | None) -> str | None:
    return None if value is None else check_text(field, value)
