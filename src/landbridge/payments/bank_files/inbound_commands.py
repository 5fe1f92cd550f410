"""Commands on inbound bank files, and the sandbox bank. `cli` adds them to `bank-files`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import click

from landbridge.payments.bank_files.bank_simulator import BankOutcome, SandboxBank, SimulatedCredit
from landbridge.payments.bank_files.funding_accounts import FundingAccountView
from landbridge.payments.bank_files.inbox import InboxReader
from landbridge.payments.bank_files.statement_line_model import InboundFile, StatementLineStatus
from landbridge.platform.cli_context import (
    CommandContext,
    CommandRunner,
    CommandTarget,
    print_lines,
    target_options,
)
from landbridge.platform.core.money import AmountError, Money
from landbridge.platform.formats.texts import check_text
from landbridge.providers.rails.currencies import FIAT


@dataclass(frozen=True, slots=True)
class InboundCommandServices:
    """Services that the commands on inbound files need."""

    reading: InboxReader
    bank: SandboxBank


def add_inbound_commands(
    group: click.Group, run_command: CommandRunner[InboundCommandServices]
) -> None:
    """Add the commands on inbound files to the group `bank-files`."""
    for command in (_read, _inbound_files, _simulate, _deposit, _return, _recall):
        group.add_command(command(run_command))


def _read(run_command: CommandRunner[InboundCommandServices]) -> click.Command:
    @click.command("read")
    @target_options
    def read(target: CommandTarget) -> None:
        """Read the banks' inbound files, and apply their lines."""

        async def run(context: CommandContext[InboundCommandServices]) -> list[str]:
            answers = await context.verbs.reading.run({context.org_id: context.clock_offset})
            return await _reports(context, answers)

        print_lines(run_command(target, run, writes=True), "There is nothing to read.")

    return read


def _inbound_files(run_command: CommandRunner[InboundCommandServices]) -> click.Command:
    @click.command("inbound")
    @click.option("--limit", type=click.IntRange(1, 1000), default=20, help="Maximum number.")
    @target_options
    def inbound(target: CommandTarget, *, limit: int) -> None:
        """List the last inbound files, and the results of their lines."""

        async def run(context: CommandContext[InboundCommandServices]) -> list[str]:
            accounts = await context.verbs.reading.accounts.list_all([context.org_id])
            found = [
                each for own in accounts for each in await context.verbs.reading.files(own, limit)
            ]
            return await _reports(context, found)

        print_lines(run_command(target, run, writes=True), "No bank has left a file.")

    return inbound


def _simulate(run_command: CommandRunner[InboundCommandServices]) -> click.Command:
    @click.command("simulate")
    @click.option(
        "--outcome",
        type=click.Choice([each.value for each in BankOutcome]),
        default=BankOutcome.SETTLE.value,
        help="Outcome of the payments.",
    )
    @target_options
    def simulate(target: CommandTarget, *, outcome: str) -> None:
        """Simulate the bank: respond to every waiting file. Sandbox only."""

        async def run(context: CommandContext[InboundCommandServices]) -> list[str]:
            named = BankOutcome(outcome)
            return list(
                await context.verbs.bank.answer(context.org_id, named, context.clock_offset)
            )

        print_lines(run_command(target, run, writes=False), "No file needs a response.")

    return simulate


def _deposit(run_command: CommandRunner[InboundCommandServices]) -> click.Command:
    @click.command("deposit")
    @click.argument("amount")
    @click.argument("currency", type=click.Choice(list(FIAT)))
    @click.option("--reference", help="Reference of the sender.")
    @click.option("--number", help="Virtual account number to credit.")
    @click.option("--sender", default="Example Sender", help="Name of the sender.")
    @target_options
    def deposit(
        target: CommandTarget,
        *,
        amount: str,
        currency: str,
        reference: str | None,
        number: str | None,
        sender: str,
    ) -> None:
        """Simulate the bank: deposit AMOUNT of CURRENCY on the account. Sandbox only."""
        sent = SimulatedCredit(
            money=_money(amount, currency),
            reference=reference and check_text("reference", reference),
            number=number and check_text("number", number),
            sender=check_text("sender", sender),
        )

        async def run(context: CommandContext[InboundCommandServices]) -> list[str]:
            return [await context.verbs.bank.deposit(context.org_id, sent, context.clock_offset)]

        print_lines(run_command(target, run, writes=False), "")

    return deposit


def _return(run_command: CommandRunner[InboundCommandServices]) -> click.Command:
    @click.command("return")
    @click.argument("transfer", type=click.UUID)
    @click.option("--fee", default="0", help="Fee that the bank deducts.")
    @target_options
    def return_(target: CommandTarget, *, transfer: UUID, fee: str) -> None:
        """Simulate the bank: return the settled payment of TRANSFER. Sandbox only.

        TRANSFER is the id of an offramp, or of a deposit that was returned to its sender.
        """

        async def run(context: CommandContext[InboundCommandServices]) -> list[str]:
            bank, offset = context.verbs.bank, context.clock_offset
            return [await bank.return_payment(context.org_id, transfer, fee=fee, offset=offset)]

        print_lines(run_command(target, run, writes=False), "")

    return return_


def _recall(run_command: CommandRunner[InboundCommandServices]) -> click.Command:
    @click.command("recall")
    @click.argument("amount")
    @click.argument("currency", type=click.Choice(list(FIAT)))
    @target_options
    def recall(target: CommandTarget, *, amount: str, currency: str) -> None:
        """Simulate the bank: recall a deposit of AMOUNT of CURRENCY. Sandbox only."""
        money = _money(amount, currency)

        async def run(context: CommandContext[InboundCommandServices]) -> list[str]:
            return [await context.verbs.bank.recall(context.org_id, money, context.clock_offset)]

        print_lines(run_command(target, run, writes=False), "")

    return recall


async def _reports(
    context: CommandContext[InboundCommandServices], answers: Sequence[InboundFile]
) -> list[str]:
    accounts = {
        each.id: each for each in await context.verbs.reading.accounts.list_all([context.org_id])
    }
    return [
        _line(each, accounts[each.account_id], await context.verbs.reading.counts(each))
        for each in answers
    ]


def _line(
    answer: InboundFile, account: FundingAccountView, counts: Mapping[StatementLineStatus, int]
) -> str:
    asset = FIAT[account.currency]
    incoming, outgoing = Money(answer.credit_units, asset), Money(answer.debit_units, asset)
    outcomes = ", ".join(
        f"{counts[each]} {each.lower()}" for each in StatementLineStatus if each in counts
    )
    known = f", {answer.known_count} known" if answer.known_count else ""
    return (
        f"{answer.name}  {answer.format}  {answer.line_count} lines{known}  "
        f"{incoming} {asset.currency} in, {outgoing} out  {outcomes or 'nothing new'}"
    )


def _money(amount: str, currency: str) -> Money:
    try:
        money = Money.parse(amount, FIAT[currency])
    except AmountError as error:
        raise click.UsageError(f"the amount {error}") from error
    if money.units <= 0:
        raise click.UsageError("the amount must be above zero")
    return money
