"""CLI commands on deposits of real chains, under `landbridge chain-deposits`."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

import click

from landbridge.customers.chain_deposits import reversals, treasury_reversals
from landbridge.ledger.model import CommitOutcome
from landbridge.ledger.service import Ledger
from landbridge.platform.cli_context import (
    CommandContext,
    CommandRunner,
    data_dir_option,
    org_option,
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
    @org_option
    @data_dir_option
    def write_off_owed(*, reversal_id: UUID, org: UUID | None, data_dir: str | None) -> None:
        """Bear the loss of what a user owes for a deposit that its chain has lost."""

        async def run(context: CommandContext[Ledger]) -> str:
            at = context.stamp()
            loss = await write_off(context.verbs, context.org_id, reversal_id, actor="cli", at=at)
            return f"Wrote off {loss} {loss.asset.code}."

        click.echo(run_command(data_dir, org, run, writes=True))

    return group


async def write_off(
    ledger: Ledger, org_id: UUID, reversal_id: UUID, *, actor: str, at: datetime
) -> Money:
    """Bear the loss of a reversal, of a wallet's or a treasury's deposit, and return it.

    Raises `ResourceNotFound`, and `ResourceConflict` if nothing is owed any more.
    """
    record = await ledger.find(org_id, reversal_id)
    if record is None or record.kind not in _KINDS:
        raise ResourceNotFound(f"there is no reversal {reversal_id}")
    if record.status != reversals.ReversalStatus.OPEN:
        raise ResourceConflict(f"reversal {reversal_id} is {record.status}: nothing is owed")
    if record.kind == reversals.KIND:
        reversal = reversals.as_reversal(record)
        loss, move = reversal.owed, reversals.written_off(reversal, actor=actor, at=at)
    else:
        of_treasury = treasury_reversals.as_treasury_reversal(record)
        loss = of_treasury.money
        move = treasury_reversals.written_off(of_treasury, actor=actor, at=at)
    if isinstance(await ledger.advance(move, _KINDS[record.kind]), CommitOutcome):
        raise ResourceConflict(f"reversal {reversal_id} was closed at the same time")
    return loss
