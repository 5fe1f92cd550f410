"""Creation of payments: once per request id, within the limits, with or without an approval."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from uuid import UUID

from landbridge.customers.wallets.service import Wallets, wallets_of
from landbridge.ledger.errors import InsufficientBalance
from landbridge.ledger.model import (
    CommitOutcome,
    CreateTransfer,
    HouseRole,
    NewAccount,
    Transfer,
    created_record,
)
from landbridge.ledger.service import CreatedTransfer, Ledger
from landbridge.payments.approvals.model import OPEN_QUOTE, Approval
from landbridge.payments.approvals.service import Approvals
from landbridge.payments.engine.amounts import insufficient_balance_text
from landbridge.payments.engine.dry_run import DryRunResult, PlanSteps, journal_steps
from landbridge.payments.engine.parties import Payee
from landbridge.payments.engine.request_options import DEFAULT_OPTIONS, RequestOptions
from landbridge.payments.limits.errors import LimitExceeded
from landbridge.payments.limits.model import LimitAction, LimitVerdict
from landbridge.payments.limits.service import Limits
from landbridge.platform.core.errors import Refused
from landbridge.platform.core.transitions import Transitions
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.http.caller import Caller
from landbridge.platform.http.replays import note_replay
from landbridge.platform.metadata.service import attach
from landbridge.providers.simulation.errors import SandboxOnly


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferDraft:
    """Create command of a payment, with everything that its transaction writes.

    `payees` receive its coins; ledger accounts that they lack are opened with it. `write_related`
    writes rows of the flow's own in the same transaction, once. `needs_seed` is True if the payment
    contains an address of the organisation, which is empty until the organisation has a seed.
    `has_orders` is False if the ledger executes it, without a chain or bank. `destination`
    describes a bank account for an e-mail. `granted_approval` is an approval that it has already.
    """

    creation: CreateTransfer
    payees: Sequence[Payee]
    needs_seed: bool = False
    has_orders: bool = True
    write_related: Callable[[Tx], Awaitable[None]] | None = None
    destination: str = ""
    granted_approval: Approval | None = None

    @property
    def is_committed(self) -> bool:
        """Return whether the creation commits money; a quote commits it only when accepted."""
        return self.creation.path[-1] != OPEN_QUOTE

    @property
    def new_accounts(self) -> list[NewAccount]:
        """Return the ledger accounts that payees lack and the creation opens."""
        return [each.new_account for each in self.payees if each.new_account is not None]


# Builds the draft of a payment; the argument is True if the payment needs an approval.
DraftBuilder = Callable[[bool], Awaitable[TransferDraft]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CreationOptions:
    """Options of a payment's creation, common to all flows.

    With `needs_approval` the payment waits for an approval, which expires after
    `approval_lifetime`, which is None in flows without approvals. `planned_steps` returns the steps
    that follow the creation if all goes well.
    """

    kind: str
    request_id: UUID
    request: Mapping[str, Any]
    planned_steps: PlanSteps
    needs_approval: bool = False
    approval_lifetime: timedelta | None = None
    request_options: RequestOptions = DEFAULT_OPTIONS


@dataclass(frozen=True)
class TransferCreation:
    """Creates payments of any flow: builds a draft with all checks, then commits it at once."""

    database: Database
    ledger: Ledger
    wallets: Wallets
    approvals: Approvals
    limits: Limits

    async def create(
        self,
        caller: Caller,
        build_draft: DraftBuilder,
        transitions: Transitions[Any],
        options: CreationOptions,
    ) -> Transfer:
        """Return the payment of this request id, created now or before.

        A replay returns the first result even if `build_draft` would now refuse the request, after
        changes of users, prices or balances. A limit may require an approval. A dry run builds the
        same draft and commits nothing. Raises the errors of `build_draft`, `RequestIdTaken`,
        `LimitExceeded`, `InsufficientBalance` naming the source, and `SandboxOnly` for scripted
        outcomes.
        """
        if options.request_options.scripted is not None:
            raise SandboxOnly
        return await self.create_from_draft(caller, build_draft, transitions, options)

    async def create_from_draft(
        self,
        caller: Caller,
        build_draft: DraftBuilder,
        transitions: Transitions[Any],
        options: CreationOptions,
    ) -> Transfer:
        """Create a payment as `create` does, without regard to scripted outcomes."""
        try:
            return await self._create(caller, build_draft, transitions, options)
        except LimitExceeded as exceeded:
            can_be_approved = options.approval_lifetime is not None and not options.needs_approval
            if exceeded.action is not LimitAction.APPROVE or not can_be_approved:
                raise
        approved = replace(options, needs_approval=True)
        return await self._create(caller, build_draft, transitions, approved)

    async def _create(
        self,
        caller: Caller,
        build_draft: DraftBuilder,
        transitions: Transitions[Any],
        options: CreationOptions,
    ) -> Transfer:
        dry_run = options.request_options.dry_run
        try:
            draft = await build_draft(options.needs_approval)
            if draft.needs_seed and dry_run is None:
                await self.wallets.create_seed(caller.org_id)
                draft = await build_draft(options.needs_approval)
        except Refused:
            replayed = await self._find_replay(caller, options)
            if replayed is None:
                raise
            return replayed
        if dry_run is not None:
            replayed = await self._find_replay(caller, options)
            return replayed or await self._preview(caller, draft, transitions, options, dry_run)
        metadata = options.request_options.metadata
        if metadata is None:
            return await self._commit(caller, draft, transitions, options)
        labelled = _with_metadata(draft, metadata)
        record = await self._commit(caller, labelled, transitions, options)
        is_own = record.id == draft.creation.id
        return replace(record, metadata=metadata) if is_own else record

    async def _find_replay(self, caller: Caller, options: CreationOptions) -> Transfer | None:
        found = await self.ledger.find_replay(
            caller.org_id, options.request_id, options.kind, options.request
        )
        if found is not None:
            note_replay()
        return found

    async def _commit(
        self,
        caller: Caller,
        draft: TransferDraft,
        transitions: Transitions[Any],
        options: CreationOptions,
    ) -> Transfer:
        creation = draft.creation
        if draft.new_accounts:
            await self.ledger.open_accounts(creation.org_id, draft.new_accounts)
        has_limits = await self.limits.has_rules(creation.org_id)

        async def work(tx: Tx) -> CreatedTransfer | CommitOutcome:
            created = await self.ledger.create_in(tx, creation, transitions)
            if isinstance(created, CreatedTransfer) and not created.is_replay:
                if draft.write_related is not None:
                    await draft.write_related(tx)
                await self._approve_in(tx, caller, draft, options)
                # Last, because limit usage is kept in rows that many payments update.
                if has_limits:
                    verdict = await self.limits.evaluate_in(tx, created.transfer)
                    _check(verdict, options)
            return created

        if options.needs_approval or draft.write_related is not None or has_limits:
            created = await self.database.transact(work)
        else:
            created = await self.ledger.create(creation, transitions)
        if isinstance(created, CommitOutcome):
            raise InsufficientBalance(insufficient_balance_text(creation.source))
        # A replay with this call's own id is the result of its first attempt after a lost commit.
        if created.is_replay and created.transfer.id != creation.id:
            note_replay()
        return created.transfer

    async def _approve_in(
        self, tx: Tx, caller: Caller, draft: TransferDraft, options: CreationOptions
    ) -> None:
        """Store the approval that the payment needs or already has, if any."""
        if draft.granted_approval is not None:
            await self.approvals.carry(tx, caller, draft.creation, draft.granted_approval)
        elif options.needs_approval and options.approval_lifetime is not None:
            await self.approvals.request(
                tx,
                caller,
                draft.creation,
                lifetime=options.approval_lifetime,
                destination=draft.destination,
            )

    async def _preview(
        self,
        caller: Caller,
        draft: TransferDraft,
        transitions: Transitions[Any],
        options: CreationOptions,
        dry_run: DryRunResult,
    ) -> Transfer:
        """Return the record that the draft would create; put limits and approval into `dry_run`."""
        creation = draft.creation
        creation.check(transitions)
        record = replace(created_record(creation), metadata=options.request_options.metadata)
        steps = [*journal_steps(creation), *options.planned_steps(record)]
        accounts = {
            posting.account
            for step in steps
            for posting in step.postings
            if not isinstance(posting.account, HouseRole)
        }

        has_limits = await self.limits.has_rules(creation.org_id)

        async def read(tx: Tx) -> None:
            if has_limits:
                dry_run.verdict = await self.limits.preview(tx, record)
            dry_run.wallets = await wallets_of(
                tx, creation.org_id, accounts, missing=draft.new_accounts
            )
            if options.needs_approval and options.approval_lifetime is not None:
                dry_run.approval = await self.approvals.draft(
                    tx, caller, creation, lifetime=options.approval_lifetime
                )

        await self.database.read(read)
        _check(dry_run.verdict, options)
        dry_run.steps = steps
        return record


def _with_metadata(draft: TransferDraft, metadata: Mapping[str, str]) -> TransferDraft:
    """Return the draft with metadata, which is written in the same transaction."""
    creation, write_related = draft.creation, draft.write_related

    async def write(tx: Tx) -> None:
        if write_related is not None:
            await write_related(tx)
        await attach(tx, creation.org_id, creation.id, creation.user_id, metadata)

    return replace(draft, write_related=write)


def _check(verdict: LimitVerdict, options: CreationOptions) -> None:
    """Raise `LimitExceeded` unless the limits allow a payment with these options."""
    if verdict.over is LimitAction.REFUSE or (
        verdict.over is LimitAction.APPROVE and not options.needs_approval
    ):
        raise LimitExceeded(verdict.sentence, action=verdict.over)
