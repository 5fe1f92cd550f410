"""Deposits on virtual accounts, made up. Source: contract, accounts 5."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from landbridge.core.clock import Clock
from landbridge.core.errors import FieldInvalid
from landbridge.core.money import Money
from landbridge.orgs.model import Mode
from landbridge.rails.calendar import settles_at
from landbridge.receipts.model import Receipt, Sender, Told
from landbridge.receipts.service import Receipts
from landbridge.simulation.errors import SandboxOnly
from landbridge.simulation.model import Pace
from landbridge.simulation.service import Memory
from landbridge.virtual_accounts.deposits import Deposits, simulated_reference
from landbridge.virtual_accounts.service import VirtualAccounts
from landbridge.web.caller import Caller, check_editor

# Enough for any story, little enough that sums of many stay far from 38 digits.
DOLLARS_MAX = 10**12


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What is to arrive, checked; `rail` is `ach` or `wire`."""

    money: Money
    rail: str
    sender: Sender
    reference: str | None
    description: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualDeposits:
    """Plays the payer's bank; refuses everything in production."""

    mode: Mode
    virtual_accounts: VirtualAccounts
    deposits: Deposits
    receipts: Receipts
    memory: Memory
    clock: Clock

    async def make(
        self,
        caller: Caller,
        user_id: UUID,
        account_id: UUID,
        made: Made,
        *,
        request_id: UUID,
        request: dict[str, Any],
    ) -> Receipt:
        """Let a deposit arrive, once per request id; `request` is the body as it was told.

        At the real pace it clears when the calendar of its rail says. Raises `SandboxOnly`,
        `AccountNotFound`, `InactiveAccount`, and `ResourceConflict` for a request id that was used
        with another body.
        """
        check_editor(caller)
        if self.mode is not Mode.SANDBOX:
            raise SandboxOnly
        if made.money.units > DOLLARS_MAX * 10**made.money.asset.decimals:
            raise FieldInvalid(f"amount must be at most {DOLLARS_MAX}", field="amount")
        account = await self.virtual_accounts.get(caller.org_id, user_id, account_id)
        at = await self.deposits.ask_simulated(caller, account, request_id, request)
        paces = await self.memory.paces(caller.org_id)
        return await self.receipts.receive(
            Told(
                org_id=caller.org_id,
                bank_reference=simulated_reference(request_id),
                account_number=account.account_number,
                reference=made.reference,
                money=made.money,
                rail=made.rail,
                sender=made.sender,
                description=made.description,
                at=at,
                clears_at=settles_at(made.rail, at) if paces.rails is Pace.REAL else None,
            )
        )
