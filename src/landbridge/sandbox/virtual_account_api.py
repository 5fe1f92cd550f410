"""The route that makes up deposits on virtual accounts. Source: interface/virtual-account."""

from typing import Literal
from uuid import UUID

import msgspec
from litestar import Controller, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.core.errors import FieldInvalid
from landbridge.core.money import AmountError, Money
from landbridge.formats.banks import check_aba, check_us_account
from landbridge.formats.texts import check_text
from landbridge.rails.currencies import FIAT
from landbridge.receipts.model import Sender
from landbridge.sandbox.virtual_deposits import Made, VirtualDeposits
from landbridge.users.paths import known_user
from landbridge.virtual_accounts.api import known_account
from landbridge.web.body import as_asked
from landbridge.web.caller import ApiRequest
from landbridge.web.reply import WireStruct


class DepositSource(WireStruct, frozen=True):
    """Who sends it."""

    routing_number: str
    account_number: str
    name: str
    bank_name: str


class SimulatedDeposit(WireStruct, frozen=True, omit_defaults=True):
    """What is to arrive; `amount` is a decimal string. `userId` is the path's, if it is told."""

    amount: str
    payment_rail: Literal["WIRE", "ACH"]
    request_id: UUID
    source: DepositSource
    user_id: UUID | None = None
    reference: str | None = None
    description: str | None = None


class SimulatedDepositRoutes(Controller):
    """Fiat from nowhere; refused in production."""

    path = "/v2/users/{userId:str}/virtual-accounts/{accountId:str}/simulate-deposit"
    tags = ("Virtual accounts",)

    @post(status_code=200, summary="Simulate a deposit")
    async def simulate(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        accountId: FromPath[str],
        data: JSONBody[SimulatedDeposit],
        simulated_deposits: NamedDependency[VirtualDeposits],
    ) -> SimulatedDeposit:
        """Answers the body; an onramp then appears and completes by itself."""
        user_id, account_id = known_user(userId), known_account(accountId)
        if data.user_id not in {None, user_id}:
            raise FieldInvalid("userId must be the one in the path", field="userId")
        await simulated_deposits.make(
            request.user,
            user_id,
            account_id,
            _made(data),
            request_id=data.request_id,
            # The path has the user.
            request=as_asked(msgspec.structs.replace(data, user_id=None)),
        )
        return data


def _made(data: SimulatedDeposit) -> Made:
    """What was asked for; raises `FieldInvalid`, naming the field."""
    source = data.source
    return Made(
        money=_amount(data.amount),
        rail=data.payment_rail.lower(),
        sender=Sender(
            name=check_text("source.name", source.name),
            bank_name=check_text("source.bankName", source.bank_name),
            routing_number=check_aba("source.routingNumber", source.routing_number),
            account_number=check_us_account("source.accountNumber", source.account_number),
        ),
        reference=_text("reference", data.reference),
        description=_text("description", data.description),
    )


def _amount(told: str) -> Money:
    try:
        money = Money.parse(told, FIAT["usd"])
    except AmountError as error:
        raise FieldInvalid(f"amount {error}", field="amount") from error
    if money.units <= 0:
        raise FieldInvalid("amount must be above zero", field="amount")
    return money


def _text(field: str, told: str | None) -> str | None:
    return None if told is None else check_text(field, told)
