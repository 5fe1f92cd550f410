"""CLI commands on deposits of real chains, under `landbridge chain-deposits`."""

from datetime import datetime
from uuid import UUID

import click

from landbridge.customers.chain_deposits import reversals
from landbridge.ledger.model import CommitOutcome
from landbridge.ledger.service import Ledger
from landbridge.platform.cli_context import (
    CommandContext,
    CommandRunner,
    data_dir_option,
    org_option,
)
from landbridge.platform.core.errors import ResourceConflict, ResourceNotFound


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
        """Bear the loss of what a user has spent of a deposit that its chain has lost."""

        async def run(context: CommandContext[Ledger]) -> str:
            at = context.stamp()
            written = await write_off(
                context.verbs, context.org_id, reversal_id, actor="cli", at=at
            )
            return f"Wrote off {written.owed} {written.money.asset.code}."

        click.echo(run_command(data_dir, org, run, writes=True))

    return group


async def write_off(
    ledger: Ledger, org_id: UUID, reversal_id: UUID, *, actor: str, at: datetime
) -> reversals.Reversal:
    """Bear the loss of a reversal; raise `ResourceNotFound`, `ResourceConflict` if closed."""
    record = await ledger.find(org_id, reversal_id)
    if record is None or record.kind != reversals.KIND:
        raise ResourceNotFound(f"there is no reversal {reversal_id}")
    reversal = reversals.as_reversal(record)
    if reversal.status is not reversals.ReversalStatus.OPEN:
        raise ResourceConflict(f"reversal {reversal_id} is {reversal.status}: nothing is owed")
    move = reversals.written_off(reversal, actor=actor, at=at)
    if isinstance(await ledger.advance(move, reversals.TRANSITIONS), CommitOutcome):
        raise ResourceConflict(f"reversal {reversal_id} was closed at the same time")
    return reversal
