"""Commands on orders at providers. `cli` adds them to `landbridge adapters`."""

import sys
from collections.abc import Sequence
from uuid import UUID

import click

from landbridge.platform.cli_context import (
    CommandContext,
    CommandRunner,
    data_dir_option,
    org_option,
    print_lines,
)
from landbridge.platform.db.pool import Database
from landbridge.providers.sidecar import order_store
from landbridge.providers.sidecar.model import ProviderOrder

_PROBLEMS_MAX = 1000


def problems(run_at: CommandRunner[Database]) -> click.Command:
    """Return the command that lists orders which need a person."""

    @click.command("problems")
    @org_option
    @data_dir_option
    def command(org: UUID | None, data_dir: str | None) -> None:
        """List provider orders that need a person, the oldest first; exits 1 if there are any."""

        async def run(context: CommandContext[Database]) -> Sequence[ProviderOrder]:
            org_id = context.org_id
            return await context.verbs.single(
                lambda tx: order_store.problems(tx, org_id, limit=_PROBLEMS_MAX)
            )

        found = run_at(data_dir, org, run, writes=False)
        print_lines([_line(each) for each in found], "No order needs a person.")
        if found:
            sys.exit(1)

    return command


def _line(order: ProviderOrder) -> str:
    return (
        f"{order.problem}  provider {order.provider}  order {order.key}  "
        f"payment {order.record_id}  {order.money} {order.money.asset.currency}  {order.state}"
    )
