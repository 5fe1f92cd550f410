"""Simulated deposits for payments that wait for one: fiat for onramps, coins for offramps.

Deposits on virtual accounts are simulated too. Source: contract, accounts 5.
"""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from landbridge.payments.engine.amounts import parse_amount
from landbridge.payments.engine.scripted_outcomes import deposit_delay, is_reported_twice
from landbridge.payments.incoming_payments.model import (
    IncomingPayment,
    IncomingPaymentSender,
    ReportedCredit,
)
from landbridge.payments.incoming_payments.service import IncomingPayments
from landbridge.payments.offramps.model import Offramp
from landbridge.payments.offramps.service import Offramps
from landbridge.payments.onramps.service import Onramps
from landbridge.payments.virtual_accounts.deposits import (
    VirtualAccountDeposits,
    simulated_reference,
)
from landbridge.payments.virtual_accounts.service import VirtualAccounts
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid, ResourceConflict
from landbridge.platform.core.fields import copy_fields
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Asset, Money
from landbridge.platform.formats.texts import check_text
from landbridge.platform.http.caller import Caller, check_editor
from landbridge.platform.idempotency.model import IdempotencyKey
from landbridge.platform.orgs.model import Mode
from landbridge.providers.rails.calendar import settles_at
from landbridge.providers.simulation.chain_tx_hashes import transaction_hash
from landbridge.providers.simulation.errors import SandboxOnly
from landbridge.providers.simulation.model import LatencyProfile, SimulatedMovement
from landbridge.providers.simulation.service import SimulatedState

# Rails of each currency; the first is the default.
RAILS = {
    "usd": ("wire", "ach", "rtp"),
    "eur": ("sepa", "sepaInstant"),
    "brl": ("pix",),
    "mxn": ("spei",),
}
_OTHER_RAILS = ("bank", "momo")
EVERY_RAIL = (*(rail for each in RAILS.values() for rail in each), *_OTHER_RAILS)

# Default sender of a deposit. The account number is assigned to no bank account.
_SENDER = IncomingPaymentSender(
    name="Example Sender",
    bank_name="Example Bank",
    routing_number="123456780",
    account_number="000111222333",
)


@dataclass(frozen=True, slots=True)
class CreditedDeposit:
    """Coins credited for an offramp, and the status of the offramp."""

    offramp: Offramp
    money: Money
    transaction_hash: str


@dataclass(frozen=True, slots=True)
class SandboxDeposits:
    """Simulates deposits; refuses everything in production.

    Each call is a new deposit, unless its key was used before.
    """

    mode: Mode
    onramps: Onramps
    offramps: Offramps
    incoming_payments: IncomingPayments
    simulated_state: SimulatedState
    clock: Clock

    async def send_fiat(
        self,
        caller: Caller,
        transfer_id: UUID,
        *,
        amount: Decimal | None,
        reference: str | None,
        payment_rail: str | None,
        sender: IncomingPaymentSender | None,
        key: IdempotencyKey | None = None,
    ) -> IncomingPayment:
        """Simulate a fiat deposit for an onramp; omitted values are as expected.

        The worker matches or returns it like a real one. Raises `TransactionNotFound`,
        `FieldInvalid`, and `ResourceConflict` for an onramp that was never accepted or is itself a
        deposit on a virtual account.
        """
        check_editor(caller)
        self._check_mode()
        onramp = await self.onramps.get(caller.org_id, transfer_id)
        number = onramp.details.account_number
        if number is None:
            raise ResourceConflict(
                "this onramp has no deposit instructions: accept it first, or simulate a deposit "
                "on its virtual account"
            )
        asset = onramp.source.asset
        rail = _rail(asset, payment_rail)
        at = self.clock.stamp(caller.clock_offset) if key is None else key.created_at
        normalise_reference = onramp.details.reference if reference is None else reference
        clears_at = await self.clears_at(caller.org_id, rail, at)
        credit = ReportedCredit(
            org_id=caller.org_id,
            bank_reference=f"sandbox/{_effect_id(key)}",
            account_number=number,
            # An empty reference simulates a payer who forgot it.
            reference=check_text("reference", normalise_reference) if normalise_reference else None,
            money=_amount(amount, onramp.source),
            rail=rail,
            sender=sender or _SENDER,
            description=None,
            at=at,
            clears_at=clears_at + deposit_delay(onramp.record),
        )
        if is_reported_twice(onramp.record):
            await self.incoming_payments.receive(credit)
        return await self.incoming_payments.receive(credit)

    async def send_coins(
        self,
        caller: Caller,
        transfer_id: UUID,
        *,
        amount: Decimal | None,
        key: IdempotencyKey | None = None,
    ) -> CreditedDeposit:
        """Simulate confirmed coins from the external wallet that funds an offramp.

        Raises `TransactionNotFound`, `FieldInvalid`, and `ResourceConflict` for an offramp that a
        wallet of the platform funds, or on a connected chain.
        """
        check_editor(caller)
        self._check_mode()
        offramp = await self.offramps.get(caller.org_id, transfer_id)
        chain = offramp.gross.asset.chain
        if self.offramps.drafting.parties.holds_coins(chain):
            raise ResourceConflict(
                f"{chain} is connected: send real coins to the address in depositInformation"
            )
        money = _amount(amount, offramp.gross)
        chain_hash = transaction_hash(money.asset.chain, _effect_id(key))
        at = self.clock.now(caller.clock_offset)
        # A refused deposit has not happened, so the chain records it afterwards.
        arrived = await self.offramps.coins_arrived(caller, transfer_id, money, chain_hash)
        await self.simulated_state.movements.add(
            SimulatedMovement(
                org_id=caller.org_id,
                chain=chain,
                transaction_hash=chain_hash,
                asset=money.asset.code,
                units=money.units,
                source=offramp.details.source_address,
                destination=offramp.details.destination_address,
                settles_at=at,
            )
        )
        return CreditedDeposit(arrived, money, chain_hash)

    async def clears_at(self, org_id: UUID, rail: str, at: datetime) -> datetime:
        """Return when a deposit that arrives at `at` clears, with the organisation's latency."""
        is_real = (await self.simulated_state.get_latencies(org_id)).rails is LatencyProfile.REAL
        return settles_at(rail, at) if is_real else at

    def _check_mode(self) -> None:
        if self.mode is not Mode.SANDBOX:
            raise SandboxOnly


def _effect_id(key: IdempotencyKey | None) -> UUID:
    """Return the id of a deposit, the same for a repeated request."""
    return new_id() if key is None else key.effect_id


def _amount(value: Decimal | None, expected: Money) -> Money:
    return expected if value is None else parse_amount("amount", value, expected.asset)


def _rail(asset: Asset, value: str | None) -> str:
    """Return the rail in its canonical spelling, in any case; raises `FieldInvalid`."""
    known = RAILS.get(asset.currency, _OTHER_RAILS)
    if value is None:
        return known[0]
    for each in known:
        if each.lower() == value.lower():
            return each
    raise FieldInvalid(
        f"paymentRail must be one of {', '.join(known)} for {asset.currency}", field="paymentRail"
    )


# Enough for any scenario, and small enough that sums of many stay far from 38 digits.
DOLLARS_MAX = 10**12


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualDepositRequest:
    """A validated request for a deposit; `rail` is `ach` or `wire`."""

    money: Money
    rail: str
    sender: IncomingPaymentSender
    reference: str | None
    description: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualDeposits:
    """Simulates the payer's bank; refuses everything in production."""

    mode: Mode
    virtual_accounts: VirtualAccounts
    deposits: VirtualAccountDeposits
    incoming_payments: IncomingPayments
    simulated_state: SimulatedState
    clock: Clock

    async def make(
        self,
        caller: Caller,
        user_id: UUID,
        account_id: UUID,
        deposit: VirtualDepositRequest,
        *,
        request_id: UUID,
        request: dict[str, Any],
    ) -> IncomingPayment:
        """Simulate a deposit, once per request id; `request` is the body as received.

        With realistic latency it clears according to the calendar of its rail. Raises
        `SandboxOnly`, `AccountNotFound`, `InactiveAccount`, and `ResourceConflict` for a request id
        that was used with another body.
        """
        check_editor(caller)
        if self.mode is not Mode.SANDBOX:
            raise SandboxOnly
        if deposit.money.units > DOLLARS_MAX * 10**deposit.money.asset.decimals:
            raise FieldInvalid(f"amount must be at most {DOLLARS_MAX}", field="amount")
        account = await self.virtual_accounts.get(caller.org_id, user_id, account_id)
        at = await self.deposits.request_simulated(caller, account, request_id, request)
        profiles = await self.simulated_state.get_latencies(caller.org_id)
        return await self.incoming_payments.receive(
            copy_fields(
                deposit,
                ReportedCredit,
                org_id=caller.org_id,
                bank_reference=simulated_reference(request_id),
                account_number=account.account_number,
                at=at,
                arrived_at=None,
                clears_at=settles_at(deposit.rail, at)
                if profiles.rails is LatencyProfile.REAL
                else None,
            )
        )
