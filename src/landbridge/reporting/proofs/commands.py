"""CLI commands on provable books, under `landbridge proofs`."""

import sys
from pathlib import Path

import click

from landbridge.platform.cli_context import (
    CommandContext,
    CommandRunner,
    CommandTarget,
    target_options,
)
from landbridge.platform.core.clock import Clock
from landbridge.reporting.proofs.publication import CheckpointFolder
from landbridge.reporting.proofs.service import Proofs
from landbridge.reporting.proofs.witness import opened_witness

_FILE = click.Path(dir_okay=False, path_type=Path)
_FOLDER = click.Path(file_okay=False, path_type=Path)
_EXISTING = click.Path(exists=True, dir_okay=False, path_type=Path)


def proofs(run_command: CommandRunner[Proofs]) -> click.Group:
    """Return the group of commands."""

    @click.group("proofs")
    def group() -> None:
        """Prove the books to customers and auditors."""

    for each in (_verify, _export, _keys, _resume):
        group.add_command(each(run_command))
    group.add_command(witness)
    return group


def _verify(run_command: CommandRunner[Proofs]) -> click.Command:
    @click.command()
    @click.option(
        "--checkpoint",
        "checkpoints",
        type=_EXISTING,
        multiple=True,
        help="A checkpoint that was kept elsewhere; may be repeated.",
    )
    @target_options
    def verify(target: CommandTarget, *, checkpoints: tuple[Path, ...]) -> None:
        """Compare the database with the tree of its changes; exits 1 if they differ."""
        notes = [each.read_text(encoding="utf-8", errors="replace") for each in checkpoints]

        result = run_command(
            target, lambda on: on.verbs.verifier.verify(on.org_id, notes), writes=False
        )
        for finding in result.findings:
            click.echo(finding)
        if result.findings:
            sys.exit(1)
        click.echo(f"{result.leaves:,} changes and {result.checkpoints:,} checkpoints are proven.")

    return verify


def _export(run_command: CommandRunner[Proofs]) -> click.Command:
    @click.command()
    @click.option("--out", type=_FILE, required=True, help="The file to write.")
    @target_options
    def export(target: CommandTarget, *, out: Path) -> None:
        """Write all changes with their salts into a file that an auditor verifies offline."""

        async def run(context: CommandContext[Proofs]) -> int:
            count = -1
            with out.open("w", encoding="utf-8") as file:
                async for line in context.verbs.export.lines(context.org_id, context.clock_offset):
                    file.write(line)
                    count += 1
            return count

        # Only the owner may read the file, because it has all amounts and balances.
        out.touch(mode=0o600)
        click.echo(f"{run_command(target, run, writes=True):,} changes are in {out}.")

    return export


def _keys(run_command: CommandRunner[Proofs]) -> click.Command:
    @click.command()
    @target_options
    def keys(target: CommandTarget) -> None:
        """Print the public keys that sign the checkpoints, one for each epoch."""
        found = run_command(
            target, lambda on: on.verbs.signing.verifier_keys(on.org_id), writes=True
        )
        click.echo("\n".join(found))

    return keys


def _resume(run_command: CommandRunner[Proofs]) -> click.Command:
    @click.command()
    @target_options
    def resume(target: CommandTarget) -> None:
        """Sign again after a restored backup, in an epoch that names the last published head."""
        epoch = run_command(target, lambda on: on.verbs.signing.resume(on.org_id), writes=True)
        click.echo(f"Epoch {epoch} begins.")

    return resume


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--keys", "keys_file", type=_EXISTING, required=True, help="Public keys of the books."
)
@click.option(
    "--state", type=_FOLDER, required=True, help="Where the witness keeps what it cosigns."
)
@click.option("--name", required=True, help="Name of the witness, as in auditor.example/books.")
def witness(*, folder: Path, keys_file: Path, state: Path, name: str) -> None:
    """Cosign published checkpoints that continue those before; exits 1 if one is refused."""
    if not name.isprintable() or any(each in name for each in " +"):
        raise click.UsageError("--name has no spaces and no plus sign")
    with opened_witness(
        state, keys_file.read_text(encoding="utf-8", errors="replace"), name
    ) as found:
        click.echo(f"witness: {found.cosigner.verifier_key}")
        report = found.run(CheckpointFolder(folder), Clock(0).now())
    for each in report.cosigned:
        click.echo(f"cosigned: {each}")
    for each in report.refused:
        click.echo(each)
    if report.refused:
        sys.exit(1)
