"""Command on proofs of reserves: `landbridge proofs reserves`."""

import json
from base64 import b64encode
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import click

from landbridge.platform.cli_context import (
    CommandContext,
    CommandRunner,
    CommandTarget,
    target_options,
)
from landbridge.reporting.reconciliation.reserve_proofs import ReserveProofs

_FILE = click.Path(dir_okay=False, path_type=Path)


def reserves(run_command: CommandRunner[ReserveProofs]) -> click.Command:
    """Return the command."""

    @click.command("reserves")
    @click.argument("close_id", type=click.UUID)
    @click.option("--out", type=_FILE, required=True, help="The file to write.")
    @click.option("--user", type=click.UUID, help="Prove this user's balances.")
    @click.option("--addresses", type=_FILE, help="A second file: the addresses, for auditors.")
    @target_options
    def write(
        target: CommandTarget,
        *,
        close_id: UUID,
        out: Path,
        user: UUID | None,
        addresses: Path | None,
    ) -> None:
        """Write the statement of reserves of a close with all that is owed, in hidden pieces.

        With --user, only with the proof that this user's balances are in it.
        """

        async def run(context: CommandContext[ReserveProofs]) -> tuple[int, str]:
            proofs, org_id, count = context.verbs, context.org_id, 0
            with out.open("w", encoding="utf-8") as file:
                async for line in _lines(proofs, org_id, close_id, user):
                    file.write(line + "\n")
                    count += 1
            return count, await _addresses(proofs, org_id, close_id)

        count, found = run_command(target, run, writes=True)
        if addresses is not None:
            # Only the owner may read the file, because it reveals customers' addresses.
            addresses.touch(mode=0o600)
            addresses.write_text(found, encoding="utf-8")
        click.echo(f"{count:,} lines are in {out}.")

    return write


async def _lines(
    proofs: ReserveProofs, org_id: UUID, close_id: UUID, user_id: UUID | None
) -> AsyncIterator[str]:
    if user_id is not None:
        for line in (await proofs.of_user(org_id, close_id, user_id)).splitlines():
            yield line
        return
    async for line in proofs.lines(org_id, close_id):
        yield line


async def _addresses(proofs: ReserveProofs, org_id: UUID, close_id: UUID) -> str:
    """Return the addresses of each source, with the salt of their digest, as lines of JSON."""
    day, found = await proofs.addresses(org_id, close_id)
    return "".join(
        json.dumps(
            {
                "source": source,
                "day": day.isoformat(),
                "salt": b64encode(salt).decode(),
                "addresses": each,
            }
        )
        + "\n"
        for source, (salt, each) in found.items()
    )
