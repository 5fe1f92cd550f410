"""The `landbridge` command: finds the module of a subcommand, runs it, prints errors.

Modules are imported when their command runs, so that `--version` and `--help` need none of them.
"""

import importlib
import sys
from typing import NamedTuple

import click

from landbridge import __version__
from landbridge.platform.core.errors import LandbridgeError, Refused


class LazyCommand(NamedTuple):
    """A module, the name of the command in it, and what the list of commands says about it."""

    module: str
    name: str
    summary: str


COMMANDS = {
    "adapters": LazyCommand(
        "landbridge.app.service_commands",
        "adapters",
        "Adapters to providers: check one against the contract, list orders with problems.",
    ),
    "api": LazyCommand(
        "landbridge.app.process_commands",
        "api",
        "Serve only the API, on LANDBRIDGE_DATABASE_URL; several may run at once.",
    ),
    "approvals": LazyCommand(
        "landbridge.app.service_commands",
        "approvals",
        "Approvals of payments.",
    ),
    "backup": LazyCommand(
        "landbridge.app.backups.commands",
        "backup",
        "Back up the database to a new FILE, also while a server runs.",
    ),
    "bank-files": LazyCommand(
        "landbridge.app.service_commands",
        "bank_files",
        "Payout files and bank statements exchanged with a bank.",
    ),
    "chain-deposits": LazyCommand(
        "landbridge.app.service_commands",
        "chain_deposits",
        "Settle deposits that a chain has lost.",
    ),
    "check": LazyCommand(
        "landbridge.app.ledger_commands",
        "check",
        "Audit the ledger, also while a server runs; exits 1 and lists the rows that are wrong.",
    ),
    "archive": LazyCommand(
        "landbridge.app.service_commands",
        "archive",
        "Write the books of finished months to files, and verify them.",
    ),
    "correct": LazyCommand(
        "landbridge.app.ledger_commands",
        "correct",
        "Reverse the postings of these changes of a terminal record, by one new journal; once.",
    ),
    "demo": LazyCommand(
        "landbridge.app.process_commands",
        "demo",
        "Run a scenario on a fresh sandbox, and print the final balances.",
    ),
    "fees": LazyCommand(
        "landbridge.app.org_commands",
        "fees",
        "Fees of an organisation.",
    ),
    "house": LazyCommand(
        "landbridge.app.service_commands",
        "house",
        "Manage roll-ups of house accounts.",
    ),
    "keys": LazyCommand(
        "landbridge.app.org_commands",
        "keys",
        "API keys of an organisation (the first one, unless --org names another).",
    ),
    "limits": LazyCommand(
        "landbridge.app.service_commands",
        "limits",
        "Limits on users' payments and their destinations.",
    ),
    "listen": LazyCommand(
        "landbridge.sandbox.scenarios.commands",
        "listen",
        "Forward the events of an organisation to an address, until Ctrl-C.",
    ),
    "login": LazyCommand(
        "landbridge.sandbox.scenarios.commands",
        "login",
        "Keep an API key for listen, trigger and logs.",
    ),
    "logs": LazyCommand(
        "landbridge.sandbox.scenarios.commands",
        "logs",
        "The requests of an organisation to the API.",
    ),
    "master-key": LazyCommand(
        "landbridge.app.master_key_commands",
        "master_key",
        "Create and wrap master keys.",
    ),
    "mcp": LazyCommand(
        "landbridge.app.mcp.commands",
        "mcp",
        "Serve the API to an assistant over stdin and stdout (MCP), read-only by default.",
    ),
    "members": LazyCommand(
        "landbridge.app.service_commands",
        "members",
        "Manage the dashboard members of an organisation (the first, unless --org is given).",
    ),
    "migrate": LazyCommand(
        "landbridge.app.ledger_commands",
        "migrate",
        "Migrate the database to this version.",
    ),
    "orgs": LazyCommand(
        "landbridge.app.org_commands",
        "orgs",
        "Organisations.",
    ),
    "prices": LazyCommand(
        "landbridge.app.org_commands",
        "prices",
        "Prices of an organisation.",
    ),
    "proofs": LazyCommand(
        "landbridge.app.service_commands",
        "proofs",
        "Prove the books to customers and auditors.",
    ),
    "rates": LazyCommand(
        "landbridge.app.service_commands",
        "rates",
        "Reference rates, and the price feed.",
    ),
    "reconcile": LazyCommand(
        "landbridge.app.service_commands",
        "reconcile",
        "Compare the ledger with what chains and banks hold.",
    ),
    "reports": LazyCommand(
        "landbridge.app.service_commands",
        "reports",
        "Manage the roll-ups behind reports.",
    ),
    "reseal": LazyCommand(
        "landbridge.app.ledger_commands",
        "reseal",
        "Reseal all data keys with the first master key; exits 1 if any remain.",
    ),
    "restore": LazyCommand(
        "landbridge.app.backups.commands",
        "restore",
        "Restore FILE into a new data directory or an empty database, and verify its books.",
    ),
    "sanctions": LazyCommand(
        "landbridge.app.service_commands",
        "sanctions",
        "Sanctions lists for name screening.",
    ),
    "seed": LazyCommand(
        "landbridge.app.service_commands",
        "seed",
        "Create an organisation whose history ends now; its API key is the last line of output.",
    ),
    "serve": LazyCommand(
        "landbridge.app.serve_command",
        "serve",
        "Serve API, worker and, unless LANDBRIDGE_DATABASE_URL is set, the database.",
    ),
    "signer": LazyCommand(
        "landbridge.app.signer_commands",
        "signer",
        "Run only the signer of EVM transactions, on a socket in the data directory.",
    ),
    "stuck": LazyCommand(
        "landbridge.app.ledger_commands",
        "stuck",
        "List payments and deposits that are overdue, the longest first; exits 1 if there are any.",
    ),
    "treasury-deposits": LazyCommand(
        "landbridge.app.service_commands",
        "treasury_deposits",
        "Assign coins that arrived at the organisation's own address from unknown senders.",
    ),
    "trigger": LazyCommand(
        "landbridge.sandbox.scenarios.commands",
        "trigger",
        "Run the scenario that produces EVENT_TYPE, in the sandbox.",
    ),
    "worker": LazyCommand(
        "landbridge.app.worker_command",
        "worker",
        "Run only the worker, on LANDBRIDGE_DATABASE_URL; several may run at once.",
    ),
}


class LazyGroup(click.Group):
    """The commands of the table, each imported when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names, sorted."""
        del ctx
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, imported now; None if there is none of this name."""
        del ctx
        found = COMMANDS.get(cmd_name)
        return found and getattr(importlib.import_module(found.module), found.name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by the table, without importing them."""
        rows = [(name, COMMANDS[name].summary) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def main() -> None:
    """Run the command. A known failure prints one sentence and exits 1, a newer schema exits 3."""
    try:
        commands()
    except Refused as error:
        sys.exit(f"landbridge: {error.message}")
    except LandbridgeError as error:
        click.echo(f"landbridge: {error}", err=True)
        sys.exit(error.exit_code)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def commands() -> None:
    """Landbridge: a self-hosted stablecoin payments platform."""
