"""`landbridge signer`: runs the signer, and checks its log."""

import click

from landbridge.app.cli_runtime import read_settings
from landbridge.app.signer_process import LOG_FILE, run_signer
from landbridge.platform.cli_context import data_dir_option
from landbridge.providers.evm.signing.log_entries import check_log


@click.group(invoke_without_command=True)
@click.option("--parent", type=int, hidden=True)
@data_dir_option
@click.pass_context
def signer(context: click.Context, parent: int | None, data_dir: str | None) -> None:
    """Run only the signer of EVM transactions, on a socket in the data directory."""
    if context.invoked_subcommand is None:
        run_signer(read_settings(data_dir=data_dir), parent=parent)


@signer.command("check")
@data_dir_option
def check(data_dir: str | None) -> None:
    """Check that no line of the signature log was altered, removed or inserted."""
    summary = check_log(read_settings(data_dir=data_dir).folder / LOG_FILE)
    click.echo(
        f"{summary.count} signatures, each line follows the one before it. "
        f"The last one is {summary.last_hash}."
    )
