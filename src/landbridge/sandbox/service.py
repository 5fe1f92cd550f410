"""Verbs of the sandbox, and deposits of coins that a local chain's faucet creates."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from math import ceil
from time import monotonic
from uuid import UUID

import base58

from landbridge.customers.chain_deposits.model import deposit_id
from landbridge.customers.users.service import Users
from landbridge.customers.verification.service import Verification
from landbridge.customers.wallets.model import (
    DEPOSIT_KIND,
    DEPOSIT_MOVES,
    DepositStatus,
    Wallet,
    deposit_details,
    deposit_postings,
)
from landbridge.customers.wallets.service import WalletHolding, Wallets, checked_address
from landbridge.ledger.errors import TransactionNotFound
from landbridge.ledger.model import CommitOutcome, CreateTransfer, Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.bank_files.file_writer import BankFileWriter
from landbridge.payments.bank_files.inbox import InboxReader
from landbridge.payments.incoming_payments.steps import IncomingPaymentSteps
from landbridge.payments.rfis.reviews import TransferReviewCase, TransferReviews
from landbridge.payments.scheduler import Scheduler
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Busy, FieldInvalid, InvariantBroken, Upstream
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import AmountError, Money
from landbridge.platform.http.caller import Caller, check_editor
from landbridge.platform.idempotency.model import IdempotencyKey
from landbridge.platform.idempotency.service import IdempotencyKeys
from landbridge.platform.orgs.model import Mode
from landbridge.platform.orgs.service import AHEAD_MAX, Orgs
from landbridge.providers.chains.tokens import TOKENS, Chain, Network
from landbridge.providers.evm.faucet import Faucet
from landbridge.providers.simulation.chain_tx_hashes import transaction_hash
from landbridge.providers.simulation.errors import SandboxOnly
from landbridge.providers.simulation.model import LatencyProfile, LatencyProfiles, SimulatedMovement
from landbridge.providers.simulation.service import SimulatedState
from landbridge.reporting.schedules.service import ReportSchedules

# Enough for any scenario, and small enough that sums of many stay far from 38 digits.
COINS_MAX = 10**12
# Maximum number of due times at which one advance stops; it then jumps, and does the rest at the
# end.
_STEPS_MAX = 200
# Time an advance spends on due reports; the worker creates the rest.
_REPORTS_S = 2.0
# Question of a simulated request for information.
_QUESTION = "What is this payment for? (A question of the sandbox.)"


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Sandbox operations. Refuses everything in production."""

    mode: Mode
    ledger: Ledger
    orgs: Orgs
    users: Users
    wallets: Wallets
    due: Scheduler
    verification: Verification
    clock: Clock
    transfer_reviews: TransferReviews
    incoming_payment_steps: IncomingPaymentSteps
    report_schedules: ReportSchedules
    idempotency_keys: IdempotencyKeys
    simulated_state: SimulatedState
    # By local chain: there, coins are created on the chain, and arrive as any deposit does.
    faucets: Mapping[Network, Faucet]
    # None where the bank is the sandbox's own.
    bank_writer: BankFileWriter | None = None
    bank_reading: InboxReader | None = None

    async def review(
        self, caller: Caller, transfer_id: UUID, *, is_open: bool
    ) -> TransferReviewCase:
        """Open or close a request for information on a payment, as a reviewer would."""
        check_editor(caller)
        self._check_mode()
        if is_open:
            return await self.transfer_reviews.open(caller, transfer_id, question=_QUESTION)
        return await self.transfer_reviews.close(caller, transfer_id)

    async def fund(
        self,
        caller: Caller,
        user_id: UUID,
        *,
        chain: Chain,
        currency: str,
        amount: str,
        key: IdempotencyKey | None = None,
    ) -> tuple[Transfer, WalletHolding]:
        """Credit coins to a user's wallet, as if they had arrived on the chain.

        On a local chain they do arrive: they are created there, and this waits until they are final
        and credited. Repeated with the same `key`, it credits nothing more.
        """
        check_editor(caller)
        self._check_mode()
        await self.users.check_exists(caller.org_id, user_id)
        holding = await self.wallets.holding(caller.org_id, user_id, chain, currency)
        asset = TOKENS[chain, currency].asset
        try:
            money = Money.parse(amount, asset)
        except AmountError as error:
            raise FieldInvalid(f"amount {error}", field="amount") from error
        if not 0 < money.units <= COINS_MAX * 10**asset.decimals:
            raise FieldInvalid(f"amount must be above zero and at most {COINS_MAX}", field="amount")
        faucet = self.faucets.get(Network(chain))
        if faucet is not None:
            minting = Minting(self.ledger, faucet, self.idempotency_keys)
            deposit = await minting.mint_deposit(holding.wallet, money, key)
            held = await self.wallets.holding(caller.org_id, user_id, chain, currency)
            return deposit, held
        request = {"chain": chain, "currency": currency, "amount": amount}
        deposit = await self._deposit(caller, holding.wallet, money, request, key)
        held = await self.wallets.holding(caller.org_id, user_id, chain, currency)
        return deposit, held

    async def advance_clock(
        self, caller: Caller, by: timedelta, *, until: timedelta | None = None
    ) -> timedelta:
        """Advance the organisation's clock, and do everything that falls due, in order.

        Time moves from one due time to the next, so that follow-up steps happen on the way: a
        payout that takes two days is completed when three have passed. With `until`, an offset,
        it continues to there, which an earlier attempt may have done.
        """
        check_editor(caller)
        self._check_mode()
        org_id = caller.org_id
        offset = await self.orgs.clock_offset(org_id)
        target = offset + by if until is None else max(until, offset)
        if target < offset or target > AHEAD_MAX:
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
            offset = await self._advance(caller, step, until, reports_until_s)
        offset = await self._advance(caller, target - offset, until, reports_until_s)
        await self.verification.see_through({org_id: offset})
        return offset

    async def _deposit(
        self,
        caller: Caller,
        wallet: Wallet,
        money: Money,
        request: Mapping[str, str],
        key: IdempotencyKey | None,
    ) -> Transfer:
        """Let coins arrive on the simulated chain, and credit them."""
        deposit_id = new_id() if key is None else key.effect_id
        account = await self.ledger.account(caller.org_id, wallet.id, money.asset)
        chain_hash = transaction_hash(wallet.chain, deposit_id)
        sender = _sender(deposit_id, wallet.chain)
        at = self.clock.stamp(caller.clock_offset)
        # The chain comes first: a deposit is credited because the coins are there.
        await self.simulated_state.movements.add(
            SimulatedMovement(
                org_id=caller.org_id,
                chain=wallet.chain,
                transaction_hash=chain_hash,
                asset=money.asset.code,
                units=money.units,
                source=sender,
                destination=wallet.address,
                settles_at=at,
            )
        )
        opened = await self.ledger.create(
            CreateTransfer(
                org_id=caller.org_id,
                id=deposit_id,
                kind=DEPOSIT_KIND,
                user_id=wallet.user_id,
                request_id=deposit_id,
                request=request,
                path=(DepositStatus.COMPLETED,),
                source=money,
                destination=money,
                details=deposit_details(account.id, chain_hash, sender),
                due_at=None,
                at=at,
                actor=caller.actor,
                journals={0: deposit_postings(account.id, money)},
            ),
            DEPOSIT_MOVES,
        )
        if isinstance(opened, CommitOutcome):
            raise InvariantBroken("a deposit came out short")
        return opened.transfer

    async def _advance(
        self, caller: Caller, by: timedelta, until: timedelta | None, reports_until_s: float
    ) -> timedelta:
        by = max(by, timedelta())  # a concurrent request with the same key may be ahead
        offset = await self.orgs.advance_clock(caller.org_id, by, actor=caller.actor, until=until)
        await self._run_due(caller.org_id, offset, reports_until_s)
        return offset

    async def _next_due(self, org_id: UUID, *, after: datetime, until: datetime) -> datetime | None:
        """Return the next time at which a record is due, or a file goes to the bank."""
        found = [await self.ledger.next_due(org_id, after=after, until=until)]
        if self.bank_writer is not None:
            found.append(await self.bank_writer.next_due(org_id, after=after, until=until))
        return min((each for each in found if each is not None), default=None)

    async def _run_due(self, org_id: UUID, offset: timedelta, reports_until_s: float) -> None:
        offsets = {org_id: offset}
        await self.verification.run_all(offsets)
        if self.bank_reading is not None:
            await self.bank_reading.run(offsets)
        # A deposit before a deadline is in time, so deposits come first; they may cause further
        # steps.
        await self.incoming_payment_steps.run_all(offsets)
        await self.due.run_all(offsets)
        while await self.incoming_payment_steps.run_all(offsets):
            await self.due.run_all(offsets)
        if self.bank_writer is not None:
            await self.bank_writer.run(offsets)
        await self.report_schedules.run_until(offsets, reports_until_s)

    async def latencies(self, caller: Caller) -> LatencyProfiles:
        """Return the latency of the organisation's simulated chains and banks."""
        self._check_mode()
        return await self.simulated_state.get_latencies(caller.org_id)

    async def set_latencies(
        self, caller: Caller, *, chains: LatencyProfile | None, rails: LatencyProfile | None
    ) -> LatencyProfiles:
        """Set the latency from now on; None keeps a value."""
        check_editor(caller)
        self._check_mode()
        before = await self.simulated_state.get_latencies(caller.org_id)
        profiles = LatencyProfiles(chains or before.chains, rails or before.rails)
        at = self.clock.stamp(caller.clock_offset)
        await self.simulated_state.set_latencies(caller.org_id, profiles, actor=caller.actor, at=at)
        return profiles

    def _check_mode(self) -> None:
        if self.mode is not Mode.SANDBOX:
            raise SandboxOnly


def _sender(deposit_id: UUID, chain: Chain) -> str:
    """Return an unowned external address as the sender of a deposit."""
    digest = sha256(f"sender/{chain}/{deposit_id}".encode()).digest()
    address = f"0x{digest[:20].hex()}" if chain.is_evm else base58.b58encode(digest).decode("ascii")
    return checked_address(chain, address, field="sender")


# Local chains finalise within ten seconds.
_TIMEOUT_S = 60
_POLL_S = 0.2
# The only log of the transaction is that of the transfer.
_POSITION = 0
# In the result of an idempotency key.
_HASH = "transactionHash"


@dataclass(frozen=True, slots=True)
class Minting:
    """Creates coins on one local chain."""

    ledger: Ledger
    faucet: Faucet
    idempotency_keys: IdempotencyKeys

    async def mint_deposit(
        self, wallet: Wallet, money: Money, key: IdempotencyKey | None
    ) -> Transfer:
        """Create coins at a wallet's address, and return the deposit once it is credited.

        A repeated request waits for the coins of the first one. Raises `Busy` if the node does not
        answer, if the deposit takes more than a minute, or if it is unknown whether an earlier
        request with this key has created them.
        """
        transaction_hash = await self._transaction(wallet, money, key)
        id_ = deposit_id(wallet.chain, transaction_hash, _POSITION)
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                while True:
                    try:
                        return await self.ledger.get(wallet.org_id, DEPOSIT_KIND, id_)
                    except TransactionNotFound:
                        await asyncio.sleep(_POLL_S)
        except TimeoutError as error:
            raise Busy(
                f"the coins were sent in {transaction_hash}, but are not final yet; don't send "
                "them again"
            ) from error

    async def _transaction(self, wallet: Wallet, money: Money, key: IdempotencyKey | None) -> str:
        if key is not None and key.is_replay:
            if _HASH not in key.result:
                raise Busy(
                    "an earlier request with this Idempotency-Key may have sent the coins; look at "
                    "the balance, and use another key if they are missing"
                )
            return key.result[_HASH]
        try:
            sent = await self.faucet.mint(money.asset.currency, wallet.address, money.units)
        except Upstream as error:
            raise Busy(str(error)) from error
        if key is not None:
            await self.idempotency_keys.set_result(key, {_HASH: sent})
        return sent
