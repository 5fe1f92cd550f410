"""The `landbridge` command: finds the module of a subcommand, runs it, prints errors.

Modules are imported when their command runs, so that `--version` and `--help` need none of them.
"""

import importlib
import sys
from collections.abc import Mapping
from typing import NamedTuple

import click

from landbridge import __version__
from landbridge.platform.core.errors import LandbridgeError, Refused


class LazyCommand(NamedTuple):
    """A module, and what the list of commands says about the command in it."""

    module: str
    summary: str


# Commands by module, each with what the list of commands says about it. In its module a command has
# its own name, with underscores.
_SUMMARIES: Mapping[str, Mapping[str, str]] = {
    "landbridge.app.backups.commands": {
        "backup": "Back up the database to a new FILE, also while a server runs.",
        "restore": (
            "Restore FILE into a new data directory or an empty database, and verify its books."
        ),
    },
    "landbridge.app.ledger_commands": {
        "check": (
            "Audit the ledger, also while a server runs; exits 1 and lists the rows that are wrong."
        ),
        "correct": (
            "Reverse the postings of these changes of a terminal record, by one new journal; once."
        ),
        "migrate": "Migrate the database to this version.",
        "reseal": "Reseal all data keys with the first master key; exits 1 if any remain.",
        "stuck": (
            "List payments and deposits that are overdue, the longest first; exits 1 if there "
            "are any."
        ),
    },
    "landbridge.app.master_key_commands": {
        "master-key": "Create and wrap master keys.",
    },
    "landbridge.app.mcp.commands": {
        "mcp": "Serve the API to an assistant over stdin and stdout (MCP), read-only by default.",
    },
    "landbridge.app.org_commands": {
        "fees": "Fees of an organisation.",
        "keys": "API keys of an organisation (the first one, unless --org names another).",
        "orgs": "Organisations.",
        "prices": "Prices of an organisation.",
    },
    "landbridge.app.process_commands": {
        "api": "Serve only the API, on LANDBRIDGE_DATABASE_URL; several may run at once.",
        "demo": "Run a scenario on a fresh sandbox, and print the final balances.",
    },
    "landbridge.app.serve_command": {
        "serve": "Serve API, worker and, unless LANDBRIDGE_DATABASE_URL is set, the database.",
    },
    "landbridge.app.service_commands": {
        "adapters": (
            "Adapters to providers: check one against the contract, list orders with problems."
        ),
        "approvals": "Approvals of payments.",
        "archive": "Write the books of finished months to files, and verify them.",
        "bank-files": "Payout files and bank statements exchanged with a bank.",
        "chain-deposits": "Settle deposits that a chain has lost.",
        "house": "Manage roll-ups of house accounts.",
        "limits": "Limits on users' payments and their destinations.",
        "members": (
            "Manage the dashboard members of an organisation (the first, unless --org is given)."
        ),
        "proofs": "Prove the books to customers and auditors.",
        "rates": "Reference rates, and the price feed.",
        "reconcile": "Compare the ledger with what chains and banks hold.",
        "reports": "Manage the roll-ups behind reports.",
        "sanctions": "Sanctions lists for name screening.",
        "seed": (
            "Create an organisation whose history ends now; its API key is the last line of output."
        ),
        "treasury-deposits": (
            "Assign coins that arrived at the organisation's own address from unknown senders."
        ),
    },
    "landbridge.app.signer_commands": {
        "signer": "Run only the signer of EVM transactions, on a socket in the data directory.",
    },
    "landbridge.app.worker_command": {
        "worker": "Run only the worker, on LANDBRIDGE_DATABASE_URL; several may run at once.",
    },
    "landbridge.sandbox.scenarios.commands": {
        "listen": "Forward the events of an organisation to an address, until Ctrl-C.",
        "login": "Keep an API key for listen, trigger and logs.",
        "logs": "The requests of an organisation to the API.",
        "trigger": "Run the scenario that produces EVENT_TYPE, in the sandbox.",
    },
}
COMMANDS = {
    name: LazyCommand(module, summary)
    for module, summaries in _SUMMARIES.items()
    for name, summary in summaries.items()
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
        return found and getattr(importlib.import_module(found.module), cmd_name.replace("-", "_"))

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
