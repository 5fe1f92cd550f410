"""Commands on bank files. `cli` adds them as `landbridge bank-files`."""

import sys
from dataclasses import dataclass
from pathlib import Path

import click

from landbridge.payments.bank_files.file_writer import BankFileWriter
from landbridge.payments.bank_files.funding_account import FundingAccount, SftpSettings, parse_toml
from landbridge.payments.bank_files.funding_accounts import FundingAccounts, FundingAccountView
from landbridge.payments.bank_files.model import BankFile
from landbridge.platform.cli_context import (
    CommandContext,
    CommandRunner,
    CommandTarget,
    print_lines,
    target_options,
)
from landbridge.platform.core.errors import ResourceNotFound
from landbridge.platform.core.extras import Extra, missing
from landbridge.platform.core.money import Money
from landbridge.providers.rails.currencies import FIAT

_SHOWN_DIGITS = 4


@dataclass(frozen=True, slots=True)
class BankFileCommandServices:
    """Services that the `landbridge bank-files` commands need."""

    accounts: FundingAccounts
    writer: BankFileWriter


def bank_files(run_command: CommandRunner[BankFileCommandServices]) -> click.Group:
    """Return the command group `bank-files`."""
    group = click.Group(
        "bank-files", help="Payout files and bank statements exchanged with a bank."
    )
    for command in (_account, _write, _list, _status, _export):
        group.add_command(command(run_command))
    return group


def _account(run_command: CommandRunner[BankFileCommandServices]) -> click.Command:
    @click.command("account")
    @click.option("--show", is_flag=True, help="Show the accounts without reading input.")
    @target_options
    def account(target: CommandTarget, *, show: bool) -> None:
        """Set an organisation's bank account in a currency from TOML on standard input.

        Without input, or with --show, the accounts are shown; secrets never are.
        """
        text = "" if show or sys.stdin.isatty() else sys.stdin.read()
        if text.strip():
            settings = _read(text)

            async def put(context: CommandContext[BankFileCommandServices]) -> FundingAccountView:
                return await context.verbs.accounts.set(
                    context.org_id, settings, actor="cli", at=context.stamp()
                )

            click.echo(_describe(run_command(target, put, writes=True)))
        else:
            _show(run_command, target)

    return account


def _write(run_command: CommandRunner[BankFileCommandServices]) -> click.Command:
    @click.command("write")
    @click.option("--early", is_flag=True, help="Write everything queued, before its cut-off.")
    @target_options
    def write(target: CommandTarget, *, early: bool) -> None:
        """Write the files that are due, and deliver them."""

        async def run(context: CommandContext[BankFileCommandServices]) -> list[str]:
            offsets = {context.org_id: context.clock_offset}
            accounts = {
                each.id: each for each in await context.verbs.accounts.list_all([context.org_id])
            }
            files = await context.verbs.writer.run(offsets, is_early=early)
            return [_line(each, accounts[each.account_id]) for each in files]

        print_lines(run_command(target, run, writes=True), "Nothing is due.")

    return write


def _list(run_command: CommandRunner[BankFileCommandServices]) -> click.Command:
    @click.command("list")
    @click.option("--limit", type=click.IntRange(1, 1000), default=20, help="Maximum number.")
    @target_options
    def list_(target: CommandTarget, *, limit: int) -> None:
        """List the last files of each account, newest first."""

        async def run(context: CommandContext[BankFileCommandServices]) -> list[str]:
            return [
                _line(file, account)
                for account in await context.verbs.accounts.list_all([context.org_id])
                for file in await context.verbs.writer.files(account, limit)
            ]

        print_lines(run_command(target, run, writes=False), "There are no files.")

    return list_


def _status(run_command: CommandRunner[BankFileCommandServices]) -> click.Command:
    @click.command("status")
    @target_options
    def status(target: CommandTarget) -> None:
        """Show how many payments are in each status."""

        async def run(context: CommandContext[BankFileCommandServices]) -> list[str]:
            return [
                line
                for account in await context.verbs.accounts.list_all([context.org_id])
                for line in await _status_lines(context, account)
            ]

        print_lines(run_command(target, run, writes=False), "No account is set.")

    return status


def _export(run_command: CommandRunner[BankFileCommandServices]) -> click.Command:
    @click.command("export")
    @click.argument("name")
    @click.argument("destination", type=click.Path(path_type=Path, dir_okay=False))
    @target_options
    def export(target: CommandTarget, *, name: str, destination: Path) -> None:
        """Export the content of file NAME to DESTINATION; it contains personal data."""

        async def run(context: CommandContext[BankFileCommandServices]) -> bytes:
            file = await context.verbs.writer.find(context.org_id, name)
            content = None if file is None else await context.verbs.writer.content(file)
            if content is None:
                raise ResourceNotFound(f"there is no file {name}, or its content is gone")
            return content

        content = run_command(target, run, writes=False)
        destination.touch(mode=0o600)
        destination.write_bytes(content)
        click.echo(f"{len(content)} bytes.")

    return export


def _read(text: str) -> FundingAccount:
    account = parse_toml(text)
    if isinstance(account.transport, SftpSettings):
        if reason := missing(Extra.SFTP):
            raise click.UsageError(f"SFTP {reason}.")
        # Imported on first use: importing the SFTP library takes a fifth of a second.
        from landbridge.payments.bank_files.transports.sftp import check_keys  # noqa: PLC0415

        if reason := check_keys(account.transport):
            raise click.UsageError(reason)
    return account


def _show(run_command: CommandRunner[BankFileCommandServices], target: CommandTarget) -> None:
    async def run(context: CommandContext[BankFileCommandServices]) -> list[str]:
        return [_describe(each) for each in await context.verbs.accounts.list_all([context.org_id])]

    print_lines(run_command(target, run, writes=False), "No account is set.")


async def _status_lines(
    context: CommandContext[BankFileCommandServices], account: FundingAccountView
) -> list[str]:
    counts = await context.verbs.writer.counts(account)
    lines: list[str] = []
    for status, (count, first_due_at) in sorted(counts.items()):
        due = f", the first is due at {first_due_at:%Y-%m-%d %H:%M} UTC" if first_due_at else ""
        lines.append(f"{account.currency}  {status}  {count}{due if status == 'QUEUED' else ''}")
    return lines or [f"{account.currency}  no payments"]


def _describe(account: FundingAccountView) -> str:
    settings = account.settings
    number = settings.number
    location = "a server" if isinstance(settings.transport, SftpSettings) else "a folder"
    deposits = "takes deposits" if settings.numbers else "takes no deposits"
    return (
        f"{account.currency}  ****{number[-_SHOWN_DIGITS:]}  pays by {', '.join(settings.rails)}  "
        f"{deposits}  files by {location}  set {account.updated_at:%Y-%m-%d %H:%M}"
    )


def _line(file: BankFile, account: FundingAccountView) -> str:
    money = Money(file.units, FIAT[account.currency])
    state = "at the bank" if file.delivered_at else "not delivered"
    return (
        f"{file.name}  {file.count} payments  {money} {account.currency}  "
        f"for {file.execution_date}  {state}"
    )
