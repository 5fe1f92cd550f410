"""Commands on what banks tell, and the sandbox's own bank. `cli` adds them to `bank-files`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import click

from landbridge.bank_files.accounts import OwnAccount
from landbridge.bank_files.answering import Outcome, SandboxBank, Sent
from landbridge.bank_files.line_model import Answer, LineStatus
from landbridge.bank_files.reading import Reading
from landbridge.core.money import AmountError, Money
from landbridge.desk import AtDesk, Desk, data_dir_option, org_option, print_lines
from landbridge.formats.texts import check_text
from landbridge.rails.currencies import FIAT


@dataclass(frozen=True, slots=True)
class Verbs:
    """What the commands need."""

    reading: Reading
    bank: SandboxBank


def add_answers(group: click.Group, at_desk: AtDesk[Verbs]) -> None:
    """Add the commands to a group."""
    for command in (_read, _answers, _answer, _deposit, _return, _recall):
        group.add_command(command(at_desk))


def _read(at_desk: AtDesk[Verbs]) -> click.Command:
    @click.command("read")
    @org_option
    @data_dir_option
    def read(*, org: UUID | None, data_dir: str | None) -> None:
        """Read the files that the banks have left, and apply what they say."""

        async def run(desk: Desk[Verbs]) -> list[str]:
            answers = await desk.verbs.reading.run({desk.org_id: desk.clock_offset})
            return await _reports(desk, answers)

        print_lines(at_desk(data_dir, org, run, writes=True), "There is nothing to read.")

    return read


def _answers(at_desk: AtDesk[Verbs]) -> click.Command:
    @click.command("answers")
    @click.option("--limit", type=click.IntRange(1, 1000), default=20, help="How many, at most.")
    @org_option
    @data_dir_option
    def answers(*, limit: int, org: UUID | None, data_dir: str | None) -> None:
        """The last files that the banks have left, and what their lines came to."""

        async def run(desk: Desk[Verbs]) -> list[str]:
            accounts = await desk.verbs.reading.accounts.of([desk.org_id])
            found = [
                each for own in accounts for each in await desk.verbs.reading.answers(own, limit)
            ]
            return await _reports(desk, found)

        print_lines(at_desk(data_dir, org, run, writes=True), "No bank has left a file.")

    return answers


def _answer(at_desk: AtDesk[Verbs]) -> click.Command:
    @click.command("answer")
    @click.option(
        "--outcome",
        type=click.Choice([each.value for each in Outcome]),
        default=Outcome.SETTLE.value,
        help="What becomes of the payments.",
    )
    @org_option
    @data_dir_option
    def answer(*, outcome: str, org: UUID | None, data_dir: str | None) -> None:
        """Play the bank: answer every file that waits for it. In a sandbox alone."""

        async def run(desk: Desk[Verbs]) -> list[str]:
            named = Outcome(outcome)
            return list(await desk.verbs.bank.answer(desk.org_id, named, desk.clock_offset))

        print_lines(at_desk(data_dir, org, run, writes=False), "The bank has nothing to say.")

    return answer


def _deposit(at_desk: AtDesk[Verbs]) -> click.Command:
    @click.command("deposit")
    @click.argument("amount")
    @click.argument("currency", type=click.Choice(list(FIAT)))
    @click.option("--reference", help="What the sender writes.")
    @click.option("--number", help="The virtual account number that it is sent to.")
    @click.option("--sender", default="Example Sender", help="Who sends it.")
    @org_option
    @data_dir_option
    def deposit(
        *,
        amount: str,
        currency: str,
        reference: str | None,
        number: str | None,
        sender: str,
        org: UUID | None,
        data_dir: str | None,
    ) -> None:
        """Play the bank: let AMOUNT of CURRENCY arrive on the account. In a sandbox alone."""
        sent = Sent(
            money=_money(amount, currency),
            reference=reference and check_text("reference", reference),
            number=number and check_text("number", number),
            sender=check_text("sender", sender),
        )

        async def run(desk: Desk[Verbs]) -> list[str]:
            return [await desk.verbs.bank.deposit(desk.org_id, sent, desk.clock_offset)]

        print_lines(at_desk(data_dir, org, run, writes=False), "")

    return deposit


def _return(at_desk: AtDesk[Verbs]) -> click.Command:
    @click.command("return")
    @click.argument("transfer", type=click.UUID)
    @click.option("--fee", default="0", help="What the bank keeps of the amount.")
    @org_option
    @data_dir_option
    def return_(*, transfer: UUID, fee: str, org: UUID | None, data_dir: str | None) -> None:
        """Play the bank: give back the settled payment of TRANSFER. In a sandbox alone.

        TRANSFER is the id of an offramp, or of a deposit that was returned to its sender.
        """

        async def run(desk: Desk[Verbs]) -> list[str]:
            bank, offset = desk.verbs.bank, desk.clock_offset
            return [await bank.return_payment(desk.org_id, transfer, fee=fee, offset=offset)]

        print_lines(at_desk(data_dir, org, run, writes=False), "")

    return return_


def _recall(at_desk: AtDesk[Verbs]) -> click.Command:
    @click.command("recall")
    @click.argument("amount")
    @click.argument("currency", type=click.Choice(list(FIAT)))
    @org_option
    @data_dir_option
    def recall(*, amount: str, currency: str, org: UUID | None, data_dir: str | None) -> None:
        """Play the bank: take back a deposit of AMOUNT of CURRENCY. In a sandbox alone."""
        money = _money(amount, currency)

        async def run(desk: Desk[Verbs]) -> list[str]:
            return [await desk.verbs.bank.recall(desk.org_id, money, desk.clock_offset)]

        print_lines(at_desk(data_dir, org, run, writes=False), "")

    return recall


async def _reports(desk: Desk[Verbs], answers: Sequence[Answer]) -> list[str]:
    accounts = {each.id: each for each in await desk.verbs.reading.accounts.of([desk.org_id])}
    return [
        _line(each, accounts[each.account_id], await desk.verbs.reading.counts(each))
        for each in answers
    ]


def _line(answer: Answer, account: OwnAccount, counts: Mapping[LineStatus, int]) -> str:
    asset = FIAT[account.currency]
    came, went = Money(answer.credit_units, asset), Money(answer.debit_units, asset)
    became = ", ".join(f"{counts[each]} {each.lower()}" for each in LineStatus if each in counts)
    known = f", {answer.known_count} known" if answer.known_count else ""
    return (
        f"{answer.name}  {answer.format}  {answer.line_count} lines{known}  "
        f"{came} {asset.currency} in, {went} out  {became or 'nothing new'}"
    )


def _money(amount: str, currency: str) -> Money:
    try:
        money = Money.parse(amount, FIAT[currency])
    except AmountError as error:
        raise click.UsageError(f"the amount {error}") from error
    if money.units <= 0:
        raise click.UsageError("the amount must be above zero")
    return money
