"""CLI commands on coins that outside wallets sent, under `landbridge treasury-deposits`."""

from uuid import UUID

import click

from landbridge.payments.offramps.external_coins import ExternalCoins
from landbridge.platform.cli_context import (
    CommandContext,
    CommandRunner,
    CommandTarget,
    target_options,
)


def treasury_deposits(run_command: CommandRunner[ExternalCoins]) -> click.Group:
    """Build the command group."""

    @click.group("treasury-deposits")
    def group() -> None:
        """Assign coins that arrived at the organisation's own address from unknown senders."""

    @group.command("list")
    @target_options
    def show(target: CommandTarget) -> None:
        """List the latest coins that no payment has taken, up to a hundred."""

        async def run(context: CommandContext[ExternalCoins]) -> list[str]:
            found = await context.verbs.kept(context.org_id)
            return [
                f"{each.id} {each.money} {each.asset} from {each.source_address} "
                f"in {each.transaction_hash}"
                for each in found
            ]

        for line in run_command(target, run, writes=False):
            click.echo(line)

    @group.command("assign")
    @click.argument("deposit_id", type=click.UUID)
    @click.argument("offramp_id", type=click.UUID)
    @target_options
    def give(target: CommandTarget, *, deposit_id: UUID, offramp_id: UUID) -> None:
        """Give coins to an offramp: it takes the awaited amount, and returns any other."""

        async def run(context: CommandContext[ExternalCoins]) -> str:
            deposit = await context.verbs.assign(context.org_id, deposit_id, offramp_id)
            return f"Assigned {deposit.money} {deposit.asset} to offramp {offramp_id}."

        click.echo(run_command(target, run, writes=True))

    return group
