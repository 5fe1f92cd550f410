"""Decodes a bank's file and groups its content by funding account, without I/O."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from landbridge.payments.bank_files import statement_events
from landbridge.payments.bank_files.funding_accounts import FundingAccountView
from landbridge.payments.bank_files.statement_events import ParsedStatement
from landbridge.payments.bank_files.statement_line_model import InboundFileKind, StatementLineDraft
from landbridge.platform.formats.file_errors import FileRejected

_FOREIGN = "the statement is of an account that has no files in this folder"


@dataclass(frozen=True, slots=True)
class BankFileContent:
    """Content of a file by funding account; statements of other accounts are left out."""

    kind: InboundFileKind
    drafts: tuple[tuple[FundingAccountView, StatementLineDraft], ...] = ()
    statements: tuple[tuple[FundingAccountView, ParsedStatement], ...] = ()
    omitted_count: int = 0


def decode_content(raw: bytes, accounts: Sequence[FundingAccountView]) -> BankFileContent:
    """Decode a file for the accounts that share its transport; raises `FileRejected`.

    Content of an unknown account is listed under the first one.
    """
    kind = statement_events.format_of(raw)
    match kind:
        case InboundFileKind.CAMT_053:
            return _of_statements(statement_events.statements(raw), accounts)
        case InboundFileKind.PAIN_002:
            return BankFileContent(
                kind, tuple((accounts[0], each) for each in statement_events.statuses(raw))
            )
        case _:
            owner = next((own for own in accounts if own.currency == "usd"), None)
            if owner is None:
                raise FileRejected("A NACHA file is of dollars, and no account here is.")
            return BankFileContent(
                kind, tuple((owner, each) for each in statement_events.ach_lines(raw))
            )


def _of_statements(
    statements: Sequence[ParsedStatement], accounts: Sequence[FundingAccountView]
) -> BankFileContent:
    drafts: list[tuple[FundingAccountView, StatementLineDraft]] = []
    ours: list[tuple[FundingAccountView, ParsedStatement]] = []
    for each in statements:
        owner = next(
            (
                own
                for own in accounts
                if own.currency == each.currency and own.settings.is_number(each.account)
            ),
            None,
        )
        if owner is None:
            drafts.append((accounts[0], statement_events.statement_review(each, _FOREIGN)))
        else:
            drafts += [(owner, draft) for draft in each.drafts]
            ours.append((owner, each))
    omitted_count = sum(each.omitted_count for _, each in ours)
    return BankFileContent(InboundFileKind.CAMT_053, tuple(drafts), tuple(ours), omitted_count)


def group_by_account(
    drafts: Sequence[tuple[FundingAccountView, StatementLineDraft]],
) -> Iterator[tuple[FundingAccountView, list[StatementLineDraft]]]:
    """Yield each account with its lines."""
    owners = {owner.id: owner for owner, _ in drafts}
    for owner_id, owner in owners.items():
        yield owner, [draft for own, draft in drafts if own.id == owner_id]
