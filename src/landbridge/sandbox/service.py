"""Verbs of the sandbox."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from math import ceil
from time import monotonic
from uuid import UUID

import base58

from landbridge.bank_files.reading import Reading
from landbridge.bank_files.writing import Writer
from landbridge.chains.tokens import TOKENS, Chain
from landbridge.core.clock import Clock
from landbridge.core.errors import Broken, FieldInvalid
from landbridge.core.ids import new_id
from landbridge.core.money import AmountError, Money
from landbridge.flows.due import Due
from landbridge.ledger.model import Opening, Outcome, Transfer
from landbridge.ledger.service import Ledger
from landbridge.orgs.model import Mode
from landbridge.orgs.service import AHEAD_MAX, Orgs
from landbridge.receipts.steps import ReceiptSteps
from landbridge.reporting.schedules.service import ReportSchedules
from landbridge.rfis.reviewing import Review, Reviewing
from landbridge.simulation.errors import SandboxOnly
from landbridge.simulation.hashes import transaction_hash
from landbridge.simulation.model import Pace, Paces
from landbridge.simulation.service import Memory
from landbridge.users.service import Users
from landbridge.verification.service import Verification
from landbridge.wallets.model import (
    DEPOSIT_KIND,
    DEPOSIT_MOVES,
    DepositStatus,
    deposit_details,
    deposit_postings,
)
from landbridge.wallets.service import Holding, Wallets, checked_address
from landbridge.web.caller import Caller, check_editor

# Enough for any story, little enough that sums of many stay far from 38 digits.
_COINS_MAX = 10**12
# How many due moments one advance stops at; beyond, it jumps, and does the rest at the end.
_STEPS_MAX = 200
# For so long an advance makes reports that are due; any others are left to the worker.
_REPORTS_S = 2.0
# What a simulated request for information asks.
_QUESTION = "What is this payment for? (A question of the sandbox.)"


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Refuses everything in production."""

    mode: Mode
    ledger: Ledger
    orgs: Orgs
    users: Users
    wallets: Wallets
    due: Due
    verification: Verification
    clock: Clock
    reviewing: Reviewing
    receipt_steps: ReceiptSteps
    report_schedules: ReportSchedules
    memory: Memory
    # None where the bank is the sandbox's own.
    bank_writer: Writer | None = None
    bank_reading: Reading | None = None

    async def review(self, caller: Caller, transfer_id: UUID, *, is_open: bool) -> Review:
        """Open or close a request for information on a payment, as a reviewer would."""
        check_editor(caller)
        self._check_mode()
        if is_open:
            return await self.reviewing.open(caller, transfer_id, question=_QUESTION)
        return await self.reviewing.close(caller, transfer_id)

    async def fund(
        self, caller: Caller, user_id: UUID, *, chain: Chain, currency: str, amount: str
    ) -> tuple[Transfer, Holding]:
        """Let coins arrive in a user's wallet, as if they had come over the chain."""
        check_editor(caller)
        self._check_mode()
        await self.users.check_exists(caller.org_id, user_id)
        holding = await self.wallets.holding(caller.org_id, user_id, chain, currency)
        asset = TOKENS[chain, currency].asset
        try:
            money = Money.parse(amount, asset)
        except AmountError as error:
            raise FieldInvalid(f"amount {error}", field="amount") from error
        if not 0 < money.units <= _COINS_MAX * 10**asset.decimals:
            raise FieldInvalid(
                f"amount must be above zero and at most {_COINS_MAX}", field="amount"
            )
        account = await self.ledger.account(caller.org_id, holding.wallet.id, asset)
        deposit_id = new_id()
        opened = await self.ledger.open(
            Opening(
                org_id=caller.org_id,
                id=deposit_id,
                kind=DEPOSIT_KIND,
                user_id=user_id,
                request_id=deposit_id,
                request={"chain": chain, "currency": currency, "amount": amount},
                path=(DepositStatus.COMPLETED,),
                source=money,
                destination=money,
                details=deposit_details(
                    account.id, transaction_hash(chain, deposit_id), _sender(deposit_id, chain)
                ),
                due_at=None,
                at=self.clock.stamp(caller.clock_offset),
                actor=caller.actor,
                journals={0: deposit_postings(account.id, money)},
            ),
            DEPOSIT_MOVES,
        )
        if isinstance(opened, Outcome):
            raise Broken("a deposit came out short")
        held = await self.wallets.holding(caller.org_id, user_id, chain, currency)
        return opened.transfer, held

    async def advance_clock(self, caller: Caller, by: timedelta) -> timedelta:
        """Move the organisation's time on, and do everything that falls due, in order.

        Time goes from one due moment to the next, so that what a step sets off happens on the way:
        a payout that takes two days is done when three have passed.
        """
        check_editor(caller)
        self._check_mode()
        org_id = caller.org_id
        offset = await self.orgs.clock_offset(org_id)
        target = offset + by
        if by < timedelta() or target > AHEAD_MAX:
            return await self.orgs.advance_clock(org_id, by, actor=caller.actor)  # refuses
        reports_until_s = monotonic() + _REPORTS_S
        await self._run_due(org_id, offset, reports_until_s)
        for _ in range(_STEPS_MAX):
            now = self.clock.now(offset)
            due_at = await self._next_due(org_id, after=now, until=now + target - offset)
            if due_at is None:
                break
            step = timedelta(seconds=max(1, ceil((due_at - now).total_seconds())))
            if offset + step >= target:
                break
            offset = await self._advance(caller, step, reports_until_s)
        offset = await self._advance(caller, target - offset, reports_until_s)
        await self.verification.see_through({org_id: offset})
        return offset

    async def _advance(self, caller: Caller, by: timedelta, reports_until_s: float) -> timedelta:
        offset = await self.orgs.advance_clock(caller.org_id, by, actor=caller.actor)
        await self._run_due(caller.org_id, offset, reports_until_s)
        return offset

    async def _next_due(self, org_id: UUID, *, after: datetime, until: datetime) -> datetime | None:
        """The next moment at which a record moves, or a file goes to the bank."""
        found = [await self.ledger.next_due(org_id, after=after, until=until)]
        if self.bank_writer is not None:
            found.append(await self.bank_writer.next_due(org_id, after=after, until=until))
        return min((each for each in found if each is not None), default=None)

    async def _run_due(self, org_id: UUID, offset: timedelta, reports_until_s: float) -> None:
        offsets = {org_id: offset}
        await self.verification.run_all(offsets)
        if self.bank_reading is not None:
            await self.bank_reading.run(offsets)
        # What arrived before a deadline is in time, so it comes first; it may set off more.
        await self.receipt_steps.run_all(offsets)
        await self.due.run_all(offsets)
        while await self.receipt_steps.run_all(offsets):
            await self.due.run_all(offsets)
        if self.bank_writer is not None:
            await self.bank_writer.run(offsets)
        await self.report_schedules.run_until(offsets, reports_until_s)

    async def paces(self, caller: Caller) -> Paces:
        """How fast the organisation's simulated chains and banks are."""
        self._check_mode()
        return await self.memory.paces(caller.org_id)

    async def set_paces(self, caller: Caller, *, chains: Pace | None, rails: Pace | None) -> Paces:
        """Set how fast they are from now on; None leaves one as it is."""
        check_editor(caller)
        self._check_mode()
        before = await self.memory.paces(caller.org_id)
        paces = Paces(chains or before.chains, rails or before.rails)
        at = self.clock.stamp(caller.clock_offset)
        await self.memory.set_paces(caller.org_id, paces, actor=caller.actor, at=at)
        return paces

    def _check_mode(self) -> None:
        if self.mode is not Mode.SANDBOX:
            raise SandboxOnly


def _sender(deposit_id: UUID, chain: Chain) -> str:
    """An address outside that nobody has, from which a deposit came."""
    digest = sha256(f"sender/{chain}/{deposit_id}".encode()).digest()
    told = f"0x{digest[:20].hex()}" if chain.is_evm else base58.b58encode(digest).decode("ascii")
    return checked_address(chain, told, field="sender")
