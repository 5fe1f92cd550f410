"""Command `landbridge reconcile plant`: a difference on purpose, to see how it is found."""

import click

from landbridge.platform.cli_context import (
    CommandContext,
    CommandRunner,
    CommandTarget,
    target_options,
)
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import AmountError, Money
from landbridge.platform.orgs.model import Mode
from landbridge.providers.chains.tokens import TOKENS, Chain
from landbridge.providers.simulation.chain_tx_hashes import transaction_hash
from landbridge.providers.simulation.errors import SandboxOnly
from landbridge.providers.simulation.model import SimulatedMovement
from landbridge.sandbox.service import Sandbox

_STRANGER = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"


def plant(run_command: CommandRunner[Sandbox]) -> click.Command:
    """Return the command."""

    @click.command("plant")
    @click.argument("amount")
    @click.argument("currency")
    @click.option(
        "--chain", type=click.Choice([each.value for each in Chain]), default=Chain.POLYGON.value
    )
    @target_options
    def command(target: CommandTarget, *, amount: str, currency: str, chain: str) -> None:
        """Sandbox only: let a chain move coins from a stranger that the ledger does not have."""
        token = TOKENS.get((Chain(chain), currency))
        if token is None:
            raise click.UsageError(f"there is no {currency} on {chain}")
        try:
            money = Money.parse(amount, token.asset)
        except AmountError as error:
            raise click.UsageError(f"AMOUNT {error}") from error
        if money.units <= 0:
            raise click.UsageError("AMOUNT must be above zero")
        moved = run_command(target, lambda context: _move(context, money), writes=True)
        click.echo(f"Moved in {moved}.")

    return command


async def _move(context: CommandContext[Sandbox], money: Money) -> str:
    sandbox, org_id, chain = context.verbs, context.org_id, Chain(money.asset.chain)
    if sandbox.mode is not Mode.SANDBOX:
        raise SandboxOnly
    await sandbox.wallets.create_seed(org_id)
    movement = SimulatedMovement(
        org_id=org_id,
        chain=chain,
        transaction_hash=transaction_hash(chain, new_id()),
        asset=money.asset.code,
        units=money.units,
        source=_STRANGER,
        destination=await sandbox.wallets.find_treasury_address(org_id, chain),
        settles_at=context.stamp(),
    )
    await sandbox.simulated_state.movements.add(movement)
    return movement.transaction_hash
