"""CLI commands on deposits of real chains, under `landbridge chain-deposits`."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

import click

from landbridge.customers.chain_deposits import reversals, treasury_reversals
from landbridge.ledger.model import AdvanceTransfer, CommitOutcome, Transfer
from landbridge.ledger.service import Ledger
from landbridge.platform.cli_context import (
    CommandContext,
    CommandRunner,
    CommandTarget,
    target_options,
)
from landbridge.platform.core.errors import ResourceConflict, ResourceNotFound
from landbridge.platform.core.money import Money
from landbridge.platform.core.transitions import Transitions

_KINDS: Mapping[str, Transitions[Any]] = {
    reversals.KIND: reversals.TRANSITIONS,
    treasury_reversals.KIND: treasury_reversals.TRANSITIONS,
}


def chain_deposits(run_command: CommandRunner[Ledger]) -> click.Group:
    """Build the command group."""

    @click.group("chain-deposits")
    def group() -> None:
        """Settle deposits that a chain has lost."""

    @group.command("write-off")
    @click.argument("reversal_id", type=click.UUID)
    @target_options
    def write_off_owed(target: CommandTarget, *, reversal_id: UUID) -> None:
        """Bear the loss of what a user owes for a deposit that its chain has lost."""

        async def run(context: CommandContext[Ledger]) -> str:
            at = context.stamp()
            loss = await write_off(context.verbs, context.org_id, reversal_id, actor="cli", at=at)
            return f"Wrote off {loss} {loss.asset.code}."

        click.echo(run_command(target, run, writes=True))

    @group.command("recover")
    @click.argument("reversal_id", type=click.UUID)
    @target_options
    def recover_owed(target: CommandTarget, *, reversal_id: UUID) -> None:
        """Record that a user has paid what it owes for lost coins of a payment."""

        async def run(context: CommandContext[Ledger]) -> str:
            at = context.stamp()
            paid = await recover(context.verbs, context.org_id, reversal_id, actor="cli", at=at)
            return f"Recovered {paid} {paid.asset.code}."

        click.echo(run_command(target, run, writes=True))

    return group


async def recover(
    ledger: Ledger, org_id: UUID, reversal_id: UUID, *, actor: str, at: datetime
) -> Money:
    """Close a treasury reversal that its user has paid in other coins; return the amount owed.

    Raises `ResourceNotFound`, and `ResourceConflict` if nothing is owed any more. Use it only for
    treasury deposits: the worker recovers a wallet deposit's debt from the wallet itself.
    """
    record = await _open_reversal(ledger, org_id, reversal_id)
    if record.kind != treasury_reversals.KIND:
        raise ResourceConflict(
            f"reversal {reversal_id} is of a wallet's deposit: the worker takes what is owed from "
            "the wallet, once it is there"
        )
    reversal = treasury_reversals.as_treasury_reversal(record)
    await _close(ledger, treasury_reversals.recovered(reversal, at, actor=actor))
    return reversal.money


async def write_off(
    ledger: Ledger, org_id: UUID, reversal_id: UUID, *, actor: str, at: datetime
) -> Money:
    """Write off what is owed for a reversed wallet or treasury deposit, and return the amount.

    Raises `ResourceNotFound`, and `ResourceConflict` if nothing is owed any more.
    """
    record = await _open_reversal(ledger, org_id, reversal_id)
    if record.kind == reversals.KIND:
        reversal = reversals.as_reversal(record)
        loss, move = reversal.owed, reversals.written_off(reversal, actor=actor, at=at)
    else:
        of_treasury = treasury_reversals.as_treasury_reversal(record)
        loss = of_treasury.money
        move = treasury_reversals.written_off(of_treasury, actor=actor, at=at)
    await _close(ledger, move)
    return loss


async def _open_reversal(ledger: Ledger, org_id: UUID, reversal_id: UUID) -> Transfer:
    record = await ledger.find(org_id, reversal_id)
    if record is None or record.kind not in _KINDS:
        raise ResourceNotFound(f"there is no reversal {reversal_id}")
    if record.status != reversals.ReversalStatus.OPEN:
        raise ResourceConflict(f"reversal {reversal_id} is {record.status}: nothing is owed")
    return record


async def _close(ledger: Ledger, move: AdvanceTransfer) -> None:
    record = move.transfer
    if isinstance(await ledger.advance(move, _KINDS[record.kind]), CommitOutcome):
        raise ResourceConflict(f"reversal {record.id} was closed at the same time")
