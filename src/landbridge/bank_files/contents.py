"""What a file of a bank's says, and of which account of the organisation's: pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from landbridge.bank_files import telling
from landbridge.bank_files.accounts import OwnAccount
from landbridge.bank_files.errors import FileRefused
from landbridge.bank_files.line_model import Draft, Told
from landbridge.bank_files.telling import ToldStatement

_FOREIGN = "the statement is of an account that has no files at this place"


@dataclass(frozen=True, slots=True)
class Content:
    """What a file says, and of which account; `statements` are of accounts of ours."""

    told: Told
    drafts: tuple[tuple[OwnAccount, Draft], ...] = ()
    statements: tuple[tuple[OwnAccount, ToldStatement], ...] = ()
    left_out_count: int = 0


def content_of(raw: bytes, accounts: Sequence[OwnAccount]) -> Content:
    """What a file says, of the accounts that share its place; raises `FileRefused`.

    What is of none of them stands with the first.
    """
    told = telling.format_of(raw)
    match told:
        case Told.CAMT_053:
            return _of_statements(telling.statements(raw), accounts)
        case Told.PAIN_002:
            return Content(told, tuple((accounts[0], each) for each in telling.statuses(raw)))
        case _:
            owner = next((own for own in accounts if own.currency == "usd"), None)
            if owner is None:
                raise FileRefused("A NACHA file is of dollars, and no account here is.")
            return Content(told, tuple((owner, each) for each in telling.answers(raw)))


def _of_statements(told: Sequence[ToldStatement], accounts: Sequence[OwnAccount]) -> Content:
    drafts: list[tuple[OwnAccount, Draft]] = []
    ours: list[tuple[OwnAccount, ToldStatement]] = []
    for each in told:
        owner = next(
            (
                own
                for own in accounts
                if own.currency == each.currency and own.told.is_number(each.account)
            ),
            None,
        )
        if owner is None:
            drafts.append((accounts[0], telling.about(each, _FOREIGN)))
        else:
            drafts += [(owner, draft) for draft in each.drafts]
            ours.append((owner, each))
    left_out = sum(each.left_out for _, each in ours)
    return Content(Told.CAMT_053, tuple(drafts), tuple(ours), left_out)


def by_account(
    drafts: Sequence[tuple[OwnAccount, Draft]],
) -> Iterator[tuple[OwnAccount, list[Draft]]]:
    """Lines, account by account."""
    owners = {owner.id: owner for owner, _ in drafts}
    for owner_id, owner in owners.items():
        yield owner, [draft for own, draft in drafts if own.id == owner_id]
