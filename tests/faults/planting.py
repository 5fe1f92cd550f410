"""Fault injection: posting functions that are wrong while a payment is played.

This is the one place where tests replace functions of ours: the audit has to find what faulty code
has written, so the code must be faulty while it writes. The payment is then played by the real
services on a real database.
"""

import inspect
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, cast
from uuid import UUID

from landbridge.core.money import Money
from landbridge.ledger.model import Move, Posting, Role

Postings = Sequence[Posting]
Fault = Callable[[Postings], list[Posting]]


@contextmanager
def planted(target: Callable[..., Any], fault: Fault) -> Generator[None]:
    """Let a posting function return what `fault` makes of its postings, wherever it is imported.

    `target` returns postings, the journals of an opening, or a move with its journals.
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
        places = [place for place, each in enumerate(lines) if isinstance(each.account, UUID)]
        place = places[0] if places else 0
        line = lines[place]
        instead: UUID | Role = Role.FEES if line.account is not Role.FEES else Role.LIQUIDITY
        if isinstance(line.account, UUID):
            asset = line.available.asset.code
            (instead,) = {each[asset] for each in accounts} - {line.account}
        lines[place] = replace(line, account=instead)
        return lines

    return fault


def _with_fault(made: Any, fault: Fault) -> Any:
    match made:
        case Move():
            return replace(made, journals=_journals(made.journals, fault))
        case dict():
            return _journals(cast("Mapping[int, Postings]", made), fault)
        case _:
            return fault(made) if made else made


def _journals(journals: Mapping[int, Postings], fault: Fault) -> dict[int, Postings]:
    faulty = {place: fault(postings) for place, postings in journals.items()}
    return {place: postings for place, postings in faulty.items() if postings}


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
    """Give the last line of each asset what rounding has left over."""
    for asset in {each.available.asset for each in postings}:
        lines = [place for place, each in enumerate(postings) if each.available.asset == asset]
        left = sum(postings[place].available.units + postings[place].held_units for place in lines)
        last = postings[lines[-1]]
        money = last.available - Money(left, asset)
        postings[lines[-1]] = replace(last, available=money)
    return postings
