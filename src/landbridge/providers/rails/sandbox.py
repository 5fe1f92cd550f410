"""Sandbox bank: payments settle, immediately or by the calendar, and deposits can be simulated.

Its name, addresses and numbers are invented. The numbers have valid check digits, so that programs
which verify them can be tested.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid5

import msgspec

from landbridge.platform.core.errors import Rejected
from landbridge.providers.rails.calendar import settles_at, wire_day
from landbridge.providers.rails.port import (
    DepositCoordinates,
    PayeeMatch,
    PayeeVerification,
    PaymentTracking,
    PayoutDestination,
    RailPayment,
    RailPaymentState,
    RailPaymentStatus,
)
from landbridge.providers.simulation.model import OrderResult, SimulatedOrder, SimulatedSystem
from landbridge.providers.simulation.outcome_catalog import ScriptedStep
from landbridge.providers.simulation.scripted_outcomes import ScriptedOrders

_BANK = "Sandbox Bank (nothing here is real)"
_BANK_ADDRESS = "1 Example Street, Springfield, NY 10001, USA"
_BENEFICIARY = "Landbridge Sandbox"
_BENEFICIARY_ADDRESS = "2 Example Street, Springfield, NY 10001, USA"
# SWIFT codes with the country ZZ are not assigned.
_SWIFT = "SANDZZ99XXX"
# Ascending digits show that the number is not assigned; the last one is the ABA check digit.
ROUTING_NUMBER = "123456780"
_ODFI = ROUTING_NUMBER[:8]
_WIRE_ID = "SANDBX9Z"
# Scripted steps through which a payment passes.
_STEPS = (ScriptedStep.PAYOUT,)

# Answers about a payee, by the end of the holder's name.
_PAYEE_MATCHES: Mapping[str, PayeeMatch] = {
    "close match": PayeeMatch.CLOSE_MATCH,
    "no match": PayeeMatch.NO_MATCH,
    "unavailable": PayeeMatch.UNAVAILABLE,
}

# ACH account numbers have at most 17 digits; a leading nine keeps the length.
_ACCOUNT_DIGITS = 15
# Currencies with an instruction in place of a Brazilian Pix key or a Nigerian account number.
_AFRICAN_CURRENCIES = (
    "ngn",
    "mwk",
    "bwp",
    "xaf",
    "ghs",
    "kes",
    "rwf",
    "zar",
    "tzs",
    "ugx",
    "xof",
    "zmw",
)


class SandboxRails:
    """Simulates payments, stores each order, and applies the scripted outcomes of its record.

    Stores nothing about the payee.
    """

    # None: the sandbox stores payments for ever.
    key_lifetime: timedelta | None = None

    def __init__(self, scripted_orders: ScriptedOrders) -> None:
        self._scripted_orders = scripted_orders

    async def pay(self, payment: RailPayment) -> RailPaymentStatus:
        """Accept a payment; see the port."""
        if payment.money.units <= 0:
            raise Rejected("the amount must be positive")
        stored = await self._scripted_orders.accept(
            SimulatedOrder(
                org_id=payment.org_id,
                system=SimulatedSystem.BANK,
                key=payment.key,
                request=_request(payment),
                response=msgspec.to_builtins(_tracking(payment)),
                accepted_at=payment.at,
                settles_at=settles_at(payment.rail, payment.at, is_same_day=payment.is_same_day),
            ),
            payment.record_id,
            _STEPS,
        )
        return _status(stored, payment.at)

    async def find_status(self, org_id: UUID, key: UUID, at: datetime) -> RailPaymentStatus | None:
        """Return the status of a payment; see the port."""
        stored = await self._scripted_orders.find(org_id, SimulatedSystem.BANK, key, at)
        return None if stored is None else _status(stored, at)

    async def rejection_reason(self, payment: RailPayment) -> str | None:
        """Return None: every payment is accepted; see the port."""
        del payment

    async def verify_payee(self, destination: PayoutDestination) -> PayeeVerification:
        """Return the answer scripted by the end of the holder's name, otherwise a match."""
        holder: Mapping[str, Any] = destination.payee.get("accountHolder") or {}
        name = str(holder.get("name", ""))
        for end, match in _PAYEE_MATCHES.items():
            if name.casefold().endswith(end):
                known_as = f"{name[:1]}. {name.partition(' ')[2]}"
                is_close = match is PayeeMatch.CLOSE_MATCH
                return PayeeVerification(match=match, name=known_as if is_close else None)
        return PayeeVerification(match=PayeeMatch.MATCH if name else PayeeMatch.UNAVAILABLE)

    async def coordinates(
        self, org_id: UUID, currency: str, account_number: str
    ) -> DepositCoordinates | None:
        """Return where to send money; see the port. All organisations share one bank."""
        del org_id
        rails: Mapping[str, tuple[str, str]] = {}
        instruction: str | None = None
        match currency:
            case "usd":
                rails = dict.fromkeys(("ach", "wire", "rtp"), (ROUTING_NUMBER, account_number))
            case "eur":
                instruction = f"Pay by SEPA to IBAN {_iban(account_number)}."
            case "brl":
                key = uuid5(_PIX, account_number)
                instruction = f"Pay by PIX with the key {key}."
            case "mxn":
                instruction = f"Pay by SPEI to CLABE {_clabe(account_number)}."
            case _ if currency in _AFRICAN_CURRENCIES:
                instruction = f"Pay by bank transfer to account {account_number}."
            case _:
                return None
        return DepositCoordinates(
            bank_name=_BANK,
            bank_address=_BANK_ADDRESS,
            swift_code=_SWIFT,
            beneficiary_name=_BENEFICIARY,
            beneficiary_address=_BENEFICIARY_ADDRESS,
            rails=rails,
            instruction=instruction,
        )

    async def takes_deposits(self, org_id: UUID, currency: str) -> bool:
        """Return whether the sandbox's bank has coordinates for a currency; see the port."""
        return await self.coordinates(org_id, currency, "0") is not None

    async def new_account_number(self, org_id: UUID, currency: str, seed: UUID) -> str:
        """Return a number of sixteen digits; see the port."""
        del org_id, currency
        return f"9{_digits(f'account/{seed}', _ACCOUNT_DIGITS)}"


_PIX = UUID("6d1f0b1e-5a0c-5f5e-9f43-0d6f6b3c8a21")


def _request(payment: RailPayment) -> dict[str, Any]:
    return {
        "rail": payment.rail,
        "isSameDay": payment.is_same_day,
        "asset": payment.money.asset.code,
        # Units are texts, because they may have more digits than some JSON readers accept in a
        # number.
        "units": str(payment.money.units),
        "returns": None if payment.returns is None else str(payment.returns),
    }


def _tracking(payment: RailPayment) -> PaymentTracking:
    """Build the references that identify the payment at a bank. Source: contract, lifecycles 8."""
    key, rail = payment.key, payment.rail.lower()
    day = wire_day(payment.at)
    match rail:
        case "ach":
            # Trace number: the sending bank, and a running number.
            return PaymentTracking(
                payment_rail=rail,
                trace_number=f"{_ODFI}{_digits(f'ach/{key}', 7)}",
                fed_batch_id=_digits(f"batch/{payment.org_id}/{day}", 7),
            )
        case "wire":
            sent = f"{day:%Y%m%d}{_WIRE_ID}{_digits(f'imad/{key}', 6)}"
            got = f"{day:%Y%m%d}{_WIRE_ID}{_digits(f'omad/{key}', 6)}{payment.at:%m%d%H%M}FT03"
            return PaymentTracking(payment_rail=rail, imad=sent, omad=got)
        case "rtp":
            number = f"{day:%Y%m%d}{ROUTING_NUMBER}{_digits(f'rtp/{key}', 12)}"
            return PaymentTracking(payment_rail=rail, trace_number=number)
        case "swift":
            return PaymentTracking(payment_rail=rail, uetr=str(_uuid4_like(key)))
        case _:
            # The rail is spelled as in the contract, for example sepaInstant.
            return PaymentTracking(payment_rail=payment.rail)


def _status(operation: SimulatedOrder, at: datetime) -> RailPaymentStatus:
    is_final = operation.is_final(at)
    state = RailPaymentState.PENDING
    if is_final:
        is_done = operation.result is OrderResult.DONE
        state = RailPaymentState.SETTLED if is_done else RailPaymentState.FAILED
    return RailPaymentStatus(
        state=state,
        tracking=msgspec.convert(operation.response, PaymentTracking),
        expected_at=None if is_final else operation.expected_at,
        reason=operation.reason if is_final else None,
    )


def _digits(name: str, count: int) -> str:
    """Return this many digits, always the same for the same name."""
    number = int.from_bytes(sha256(name.encode()).digest())
    return f"{number % 10**count:0{count}d}"


def _uuid4_like(key: UUID) -> UUID:
    """Return a UETR in the form of a version 4 UUID, always the same for the same key."""
    return UUID(bytes=sha256(f"uetr/{key}".encode()).digest()[:16], version=4)


def _iban(account_number: str) -> str:
    """Return a German IBAN of a bank that does not exist; ISO 13616 gives its check digits."""
    inner = f"99999999{account_number[-10:]}"
    # The country code and zeros move to the end, with D = 13 and E = 14; the whole must be 1 modulo
    # 97.
    check = 98 - int(f"{inner}131400") % 97
    return f"DE{check:02d}{inner}"


def _clabe(account_number: str) -> str:
    """Return a Mexican CLABE of a bank that does not exist, with its check digit."""
    inner = f"999180{account_number[-11:]}"
    weights = (3, 7, 1)
    total = sum(int(digit) * weights[index % 3] % 10 for index, digit in enumerate(inner))
    return f"{inner}{-total % 10}"
