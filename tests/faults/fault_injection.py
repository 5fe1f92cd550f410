"""Fault injection: posting functions that are wrong while a payment runs.

Only these tests replace our own functions: the audit must find entries of faulty code, so the code
must be faulty while it writes. The real services then run the payment on a real database.
"""

import inspect
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, cast
from uuid import UUID

from landbridge.ledger.model import AdvanceTransfer, HouseRole, Posting
from landbridge.platform.core.money import Money

Postings = Sequence[Posting]
Fault = Callable[[Postings], list[Posting]]


@contextmanager
def inject(target: Callable[..., Any], fault: Fault) -> Generator[None]:
    """Make a posting function return `fault(postings)`, wherever it is imported.

    `target` returns postings, the journals of a creation, or an advance with its journals.
    """

    def faulty(*args: Any, **named: Any) -> Any:
        return _with_fault(target(*args, **named), fault)

    places = [
        (owner, name)
        for module_name, module in list(sys.modules.items())
        if module_name.startswith("landbridge")
        for owner in (module, *_classes_of(module_name, module))
        for name, value in list(vars(owner).items())
        if value is target
    ]
    assert places, f"{target} is imported nowhere"
    for owner, name in places:
        setattr(owner, name, faulty)
    try:
        yield
    finally:
        for owner, name in places:
            setattr(owner, name, target)


def nothing(postings: Postings) -> list[Posting]:
    """Post nothing."""
    del postings
    return []


def half(postings: Postings) -> list[Posting]:
    """Post half of each line, in balance."""
    return _balanced([_scaled(each, lambda units: units // 2) for each in postings])


def double(postings: Postings) -> list[Posting]:
    """Post twice as much."""
    return [_scaled(each, lambda units: 2 * units) for each in postings]


def other_side(postings: Postings) -> list[Posting]:
    """Post debits as credits and credits as debits."""
    return [_scaled(each, lambda units: -units) for each in postings]


def other_account(*accounts: Mapping[str, UUID]) -> Fault:
    """Post the first line of a wallet to another's account, or of a role to another role.

    `accounts` are those of two users, by asset.
    """

    def fault(postings: Postings) -> list[Posting]:
        lines = list(postings)
        places = [index for index, each in enumerate(lines) if isinstance(each.account, UUID)]
        index = places[0] if places else 0
        line = lines[index]
        instead: UUID | HouseRole = (
            HouseRole.FEES if line.account is not HouseRole.FEES else HouseRole.LIQUIDITY
        )
        if isinstance(line.account, UUID):
            asset = line.available.asset.code
            (instead,) = {each[asset] for each in accounts} - {line.account}
        lines[index] = replace(line, account=instead)
        return lines

    return fault


def _with_fault(created: Any, fault: Fault) -> Any:
    match created:
        case AdvanceTransfer():
            return replace(created, journals=_journals(created.journals, fault))
        case dict():
            return _journals(cast("Mapping[int, Postings]", created), fault)
        case _:
            return fault(created) if created else created


def _journals(journals: Mapping[int, Postings], fault: Fault) -> dict[int, Postings]:
    faulty = {index: fault(postings) for index, postings in journals.items()}
    return {index: postings for index, postings in faulty.items() if postings}


def _classes_of(module_name: str, module: object) -> list[type]:
    return [
        each
        for each in vars(module).values()
        if inspect.isclass(each) and each.__module__ == module_name
    ]


def _scaled(posting: Posting, scale: Callable[[int], int]) -> Posting:
    money = posting.available
    return Posting(
        posting.account, Money(scale(money.units), money.asset), scale(posting.held_units)
    )


def _balanced(postings: list[Posting]) -> list[Posting]:
    """Add the rounding remainder to the last line of each asset."""
    for asset in {each.available.asset for each in postings}:
        lines = [index for index, each in enumerate(postings) if each.available.asset == asset]
        left = sum(postings[index].available.units + postings[index].held_units for index in lines)
        last = postings[lines[-1]]
        money = last.available - Money(left, asset)
        postings[lines[-1]] = replace(last, available=money)
    return postings
