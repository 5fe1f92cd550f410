"""Commands on orders and credits at providers. `cli` adds them to `landbridge adapters`."""

import sys
from collections.abc import Sequence

import click

from landbridge.platform.cli_context import (
    CommandContext,
    CommandRunner,
    CommandTarget,
    data_dir_option,
    print_lines,
    target_options,
)
from landbridge.platform.core.ids import as_uuid
from landbridge.platform.db.pool import Database
from landbridge.providers.sidecar import (
    application_store,
    credit_store,
    order_store,
    screening_store,
)
from landbridge.providers.sidecar.applications import ProviderApplication
from landbridge.providers.sidecar.credits import CREDIT_ADVICE, StoredCredit
from landbridge.providers.sidecar.model import ProviderOrder
from landbridge.providers.sidecar.screenings import ProviderScreening

_PROBLEMS_MAX = 1000


def problems(run_at: CommandRunner[Database]) -> click.Command:
    """Return the command that lists orders and credits which need a person."""

    @click.command("problems")
    @target_options
    def command(target: CommandTarget) -> None:
        """List orders, credits, screenings and applications that need a person.

        Exits 1 if there are any.

        Credits of no known account belong to no organisation, and are always listed.
        """

        async def run(context: CommandContext[Database]) -> Sequence[str]:
            org_id = context.org_id
            orders = await context.verbs.single(
                lambda tx: order_store.problems(tx, org_id, limit=_PROBLEMS_MAX)
            )
            credits_ = await context.verbs.single(
                lambda tx: credit_store.problems(tx, org_id, limit=_PROBLEMS_MAX)
            )
            screenings = await context.verbs.single(
                lambda tx: screening_store.problems(tx, org_id, limit=_PROBLEMS_MAX)
            )
            applications = await context.verbs.single(
                lambda tx: application_store.problems(tx, org_id, limit=_PROBLEMS_MAX)
            )
            return [
                *map(_order_line, orders),
                *map(_credit_line, credits_),
                *map(_screening_line, screenings),
                *map(_application_line, applications),
            ]

        found = run_at(target, run, writes=False)
        print_lines(list(found), "No order, credit, screening or application needs a person.")
        if found:
            sys.exit(1)

    return command


def reread(run_at: CommandRunner[Database]) -> click.Command:
    """Return the command that has all credits of a provider read again."""

    @click.command("reread")
    @click.argument("name")
    @data_dir_option
    def command(name: str, data_dir: str | None) -> None:
        """Have all credits of provider NAME read again, to judge those with problems again.

        Nothing is credited twice. The worker begins within a second.
        """

        async def run(context: CommandContext[Database]) -> bool:
            at = context.clock.now()
            return await context.verbs.single(lambda tx: credit_store.reread(tx, name, at))

        if not run_at(CommandTarget(data_dir), run, writes=True):
            raise click.UsageError(f"no provider {name} was ever polled")
        click.echo(f"The credits of {name} are read again.")

    return command


def close_problem(run_at: CommandRunner[Database]) -> click.Command:
    """Return the command that closes the problem of a credit."""

    @click.command("close")
    @click.argument("name")
    @click.argument("credit_id", metavar="CREDIT")
    @data_dir_option
    def command(name: str, credit_id: str, data_dir: str | None) -> None:
        """Close the problem of CREDIT of provider NAME, once a person has cleared it up.

        CREDIT may be a screening or an application too. Nothing is credited, released, returned or
        verified by this.
        """
        key = as_uuid(credit_id)

        async def run(context: CommandContext[Database]) -> bool:
            single = context.verbs.single
            if await single(lambda tx: credit_store.close(tx, name, credit_id)):
                return True
            if key is None:
                return False
            if await single(lambda tx, key=key: order_store.close(tx, name, key)):
                return True
            if await single(lambda tx, key=key: screening_store.close(tx, name, key)):
                return True
            return await single(lambda tx, key=key: application_store.close(tx, name, key))

        if not run_at(CommandTarget(data_dir), run, writes=True):
            raise click.UsageError(f"{credit_id} of {name} has no open problem")
        click.echo(f"The problem of {credit_id} is closed.")

    return command


def _order_line(order: ProviderOrder) -> str:
    return (
        f"{order.problem}  provider {order.provider}  order {order.key}  "
        f"payment {order.record_id}  {order.money} {order.money.asset.currency}  {order.state}"
    )


def _screening_line(screening: ProviderScreening) -> str:
    return (
        f"{screening.problem}  provider {screening.provider}  screening {screening.key}  "
        f"{screening.state}"
    )


def _application_line(application: ProviderApplication) -> str:
    return (
        f"{application.problem}  provider {application.provider}  "
        f"application {application.key}  {application.state}"
    )


def _credit_line(credit: StoredCredit) -> str:
    assert credit.problem is not None
    money = credit.money
    amount = "" if money is None else f"  {money} {money.asset.currency}"
    deposit = credit.incoming_payment_id
    return (
        f"{credit.problem}  provider {credit.provider}  credit {credit.credit_id}  "
        f"deposit {deposit or 'none'}{amount}  {CREDIT_ADVICE[credit.problem]}"
    )
