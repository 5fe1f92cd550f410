"""Simulated deposits on virtual accounts. Source: contract, accounts 5."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from landbridge.payments.incoming_payments.model import (
    IncomingPayment,
    IncomingPaymentSender,
    ReportedCredit,
)
from landbridge.payments.incoming_payments.service import IncomingPayments
from landbridge.payments.virtual_accounts.deposits import (
    VirtualAccountDeposits,
    simulated_reference,
)
from landbridge.payments.virtual_accounts.service import VirtualAccounts
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.money import Money
from landbridge.platform.http.caller import Caller, check_editor
from landbridge.platform.orgs.model import Mode
from landbridge.providers.rails.calendar import settles_at
from landbridge.providers.simulation.errors import SandboxOnly
from landbridge.providers.simulation.model import LatencyProfile
from landbridge.providers.simulation.service import SimulatedState

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
            ReportedCredit(
                org_id=caller.org_id,
                bank_reference=simulated_reference(request_id),
                account_number=account.account_number,
                reference=deposit.reference,
                money=deposit.money,
                rail=deposit.rail,
                sender=deposit.sender,
                description=deposit.description,
                at=at,
                clears_at=settles_at(deposit.rail, at)
                if profiles.rails is LatencyProfile.REAL
                else None,
            )
        )
