"""The sandbox's bank: payments arrive, at once or by the calendar, and money can be sent to it.

Its name, addresses and numbers are made up; the numbers have the check digits of real ones, so
that programs which check them can be tried.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid5

import msgspec

from landbridge.core.errors import Rejected
from landbridge.rails.calendar import settles_at, wire_day
from landbridge.rails.port import Coordinates, Paid, PaidState, Payment, Tracking
from landbridge.simulation.model import Ending, Operation, Part
from landbridge.simulation.outcomes import Step
from landbridge.simulation.playing import Playing

_BANK = "Sandbox Bank (nothing here is real)"
_BANK_ADDRESS = "1 Example Street, Springfield, NY 10001, USA"
_BENEFICIARY = "Landbridge Sandbox"
_BENEFICIARY_ADDRESS = "2 Example Street, Springfield, NY 10001, USA"
# Swift codes with ZZ in place of the country are nobody's.
_SWIFT = "SANDZZ99XXX"
# The counting up is the sign that nobody has it; the last digit is the ABA's check digit.
ROUTING_NUMBER = "123456780"
_ODFI = ROUTING_NUMBER[:8]
_WIRE_ID = "SANDBX9Z"
# What a payment takes its record through.
_PAYING = (Step.PAYOUT,)

# Account numbers have at most 17 digits in ACH; the nine in front keeps the length.
_ACCOUNT_DIGITS = 15
# Where a Brazilian key or a Nigerian number would be told by somebody who took money there.
_IN_AFRICA = ("ngn", "mwk", "bwp", "xaf", "ghs", "kes", "rwf", "zar", "tzs", "ugx", "xof", "zmw")


class SandboxRails:
    """Moves no money, and remembers each payment; fails as records' plans say.

    Keeps nothing of who is paid.
    """

    # The sandbox keeps every payment.
    remembers: timedelta | None = None

    def __init__(self, playing: Playing) -> None:
        self._playing = playing

    async def pay(self, payment: Payment) -> Paid:
        """Accept a payment; see the port."""
        if payment.money.units <= 0:
            raise Rejected("there is nothing to pay")
        kept = await self._playing.take(
            Operation(
                org_id=payment.org_id,
                part=Part.BANK,
                key=payment.key,
                ordered=_ordered(payment),
                reply=msgspec.to_builtins(_tracking(payment)),
                accepted_at=payment.at,
                settles_at=settles_at(payment.rail, payment.at, is_same_day=payment.is_same_day),
            ),
            payment.record_id,
            _PAYING,
        )
        return _paid(kept, payment.at)

    async def look(self, org_id: UUID, key: UUID, at: datetime) -> Paid | None:
        """How a payment stands; see the port."""
        kept = await self._playing.find(org_id, Part.BANK, key, at)
        return None if kept is None else _paid(kept, at)

    async def why_not(self, payment: Payment) -> str | None:
        """Nothing: it carries all but what there is none of; see the port."""
        del payment

    async def coordinates(
        self, org_id: UUID, currency: str, account_number: str
    ) -> Coordinates | None:
        """Where to send money; see the port. The same bank for all organisations."""
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
            case _ if currency in _IN_AFRICA:
                instruction = f"Pay by bank transfer to account {account_number}."
            case _:
                return None
        return Coordinates(
            bank_name=_BANK,
            bank_address=_BANK_ADDRESS,
            swift_code=_SWIFT,
            beneficiary_name=_BENEFICIARY,
            beneficiary_address=_BENEFICIARY_ADDRESS,
            rails=rails,
            instruction=instruction,
        )

    async def new_account_number(self, org_id: UUID, currency: str, seed: UUID) -> str:
        """Sixteen digits; see the port."""
        del org_id, currency
        return f"9{_digits(f'account/{seed}', _ACCOUNT_DIGITS)}"


_PIX = UUID("6d1f0b1e-5a0c-5f5e-9f43-0d6f6b3c8a21")


def _ordered(payment: Payment) -> dict[str, Any]:
    return {
        "rail": payment.rail,
        "isSameDay": payment.is_same_day,
        "asset": payment.money.asset.code,
        # As text: units may have more digits than JSON numbers are read with elsewhere.
        "units": str(payment.money.units),
        "returns": None if payment.returns is None else str(payment.returns),
    }


def _tracking(payment: Payment) -> Tracking:
    """By what a bank would find the payment again. Source: contract, lifecycles 8."""
    key, rail = payment.key, payment.rail.lower()
    day = wire_day(payment.at)
    match rail:
        case "ach":
            # Who sends it, and a running number.
            return Tracking(
                payment_rail=rail,
                trace_number=f"{_ODFI}{_digits(f'ach/{key}', 7)}",
                fed_batch_id=_digits(f"batch/{payment.org_id}/{day}", 7),
            )
        case "wire":
            sent = f"{day:%Y%m%d}{_WIRE_ID}{_digits(f'imad/{key}', 6)}"
            got = f"{day:%Y%m%d}{_WIRE_ID}{_digits(f'omad/{key}', 6)}{payment.at:%m%d%H%M}FT03"
            return Tracking(payment_rail=rail, imad=sent, omad=got)
        case "rtp":
            number = f"{day:%Y%m%d}{ROUTING_NUMBER}{_digits(f'rtp/{key}', 12)}"
            return Tracking(payment_rail=rail, trace_number=number)
        case "swift":
            return Tracking(payment_rail=rail, uetr=str(_uuid4_like(key)))
        case _:
            # As the contract spells it, as in sepaInstant.
            return Tracking(payment_rail=payment.rail)


def _paid(operation: Operation, at: datetime) -> Paid:
    is_final = operation.is_final(at)
    state = PaidState.PENDING
    if is_final:
        is_done = operation.ending is Ending.DONE
        state = PaidState.SETTLED if is_done else PaidState.FAILED
    return Paid(
        state=state,
        tracking=msgspec.convert(operation.reply, Tracking),
        expected_at=None if is_final else operation.expected_at,
        reason=operation.reason if is_final else None,
    )


def _digits(name: str, count: int) -> str:
    """So many digits, the same for the same name."""
    number = int.from_bytes(sha256(name.encode()).digest())
    return f"{number % 10**count:0{count}d}"


def _uuid4_like(key: UUID) -> UUID:
    """A payment's UETR is an UUID of the fourth version; the same for the same key."""
    return UUID(bytes=sha256(f"uetr/{key}".encode()).digest()[:16], version=4)


def _iban(account_number: str) -> str:
    """A German number at a bank that there is not (ISO 13616: the whole is 1 modulo 97)."""
    inner = f"99999999{account_number[-10:]}"
    # DE00 behind it, with D = 13 and E = 14.
    check = 98 - int(f"{inner}131400") % 97
    return f"DE{check:02d}{inner}"


def _clabe(account_number: str) -> str:
    """A Mexican number at a bank that there is not, with its check digit."""
    inner = f"999180{account_number[-11:]}"
    weights = (3, 7, 1)
    total = sum(int(digit) * weights[place % 3] % 10 for place, digit in enumerate(inner))
    return f"{inner}{-total % 10}"
