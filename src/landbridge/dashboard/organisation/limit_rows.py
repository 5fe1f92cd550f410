"""Rows of the form of limits: a rule each, as stored or as submitted, and the rules they mean.

Fields are named as the API names faults in a document: `rules[2].maxUsd`. `rules[2].was` is the id
of the rule that a row changes, empty for a new one. What the form has no field for, such as rails,
stays as the rule has it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from landbridge.dashboard.forms import Form
from landbridge.dashboard.json_text import JsonObject
from landbridge.dashboard.named_users import user_ids_of
from landbridge.dashboard.number_formats import number_text
from landbridge.payments.limits.document import RULES_MAX, RuleDocument
from landbridge.platform.http.internal_client import InternalClient

# Users of a rule that are shown by name; more are changed in the document.
USERS_SHOWN_MAX: Final = 20
_TEXTS = ("id", "window", "per", "over", "maxUsd", "maxCount")
_LISTS = ("kinds", "userIds")
_USER = "user"
_NUMBER_MAX = 10**9 - 1
_FIELD = re.compile(r"rules\[([0-9]{1,9})\]\.(\w+)")
_FAULT = re.compile(r"(?:limits\.)?rules\[([0-9]+)\](?:\.(\w+))?(?:\[[0-9]+\])?")


@dataclass(frozen=True, slots=True)
class LimitRow:
    """Texts of a row by member, its lists, and the number of users that are not shown by name."""

    was: str
    texts: Mapping[str, str]
    kinds: Sequence[str] = ()
    user_ids: Sequence[str] = ()
    hidden_users: int = 0


def stored_rows(rules: Sequence[RuleDocument], language: str) -> list[LimitRow]:
    """Return the rows of the current rules."""
    return [_stored_row(each, language) for each in rules]


def _stored_row(rule: RuleDocument, language: str) -> LimitRow:
    users = [str(each) for each in rule.user_ids or ()]
    is_shown = len(users) <= USERS_SHOWN_MAX
    return LimitRow(
        was=rule.id,
        texts={
            "id": rule.id,
            "window": rule.window,
            "per": rule.per,
            "over": rule.over,
            "maxUsd": number_text(rule.max_usd, language),
            "maxCount": "" if rule.max_count is None else str(rule.max_count),
            _USER: "",
        },
        kinds=rule.kinds or (),
        user_ids=users if is_shown else (),
        hidden_users=0 if is_shown else len(users),
    )


def numbered(form: Form) -> Form:
    """Return the form with its rows numbered from zero: a script leaves gaps."""
    found = [(each, match) for each in form.fields if (match := _FIELD.fullmatch(each))]
    numbers = sorted({int(match[1]) for _, match in found if match[2] == "was"})[: RULES_MAX + 1]
    place = {number: at for at, number in enumerate(numbers)}
    fields = {name: values for name, values in form.fields.items() if not _FIELD.fullmatch(name)}
    for name, match in found:
        if int(match[1]) in place:
            fields[f"rules[{place[int(match[1])]}].{match[2]}"] = form.fields[name]
    return replace(form, fields=fields)


def submitted_rows(form: Form, rules: Sequence[RuleDocument]) -> list[LimitRow]:
    """Return the rows of a numbered form; `rules` are the current ones."""
    hidden = {
        each.id: count for each in rules if (count := len(each.user_ids or ())) > USERS_SHOWN_MAX
    }
    return [
        LimitRow(
            was=form.text(f"rules[{at}].was"),
            texts={name: form.text(f"rules[{at}].{name}") for name in (*_TEXTS, _USER)},
            kinds=form.texts(f"rules[{at}].kinds"),
            user_ids=form.texts(f"rules[{at}].userIds"),
            hidden_users=hidden.get(form.text(f"rules[{at}].was"), 0),
        )
        for at in range(_count(form))
    ]


def edited(rows: Sequence[LimitRow], button: str) -> list[LimitRow]:
    """Return the rows with one added (`add`) or removed (`remove:2`); others for other buttons."""
    if button == "add" and len(rows) < RULES_MAX:
        return [*rows, NEW_ROW]
    return [each for at, each in enumerate(rows) if button != f"remove:{at}"]


async def with_named_users(form: Form, interface: InternalClient) -> Form:
    """Return a numbered form with the users entered by name among the chosen ones.

    Raises `FieldInvalid` for a text that is not one user's.
    """
    fields = dict(form.fields)
    for at in range(_count(form)):
        name = f"rules[{at}].{_USER}"
        text = form.text(name)
        chosen = form.text(f"{name}Id") if form.text(f"{name}For") == text else ""
        found = await user_ids_of(interface, [chosen or text], field=name)
        ids = dict.fromkeys([*form.texts(f"rules[{at}].userIds"), *found])
        fields |= {f"rules[{at}].userIds": list(ids), name: [""]}
    return replace(form, fields=fields)


def rules_of(
    form: Form, rows: Sequence[LimitRow], rules: Sequence[RuleDocument]
) -> list[JsonObject]:
    """Return the rules that the rows of a numbered form mean; `rules` are the current ones.

    Raises `FieldInvalid` for a number that cannot be read.
    """
    current = {each.id: each for each in rules}
    return [_rule(form, at, row, current.get(row.was)) for at, row in enumerate(rows)]


def _rule(form: Form, at: int, row: LimitRow, before: RuleDocument | None) -> JsonObject:
    rule: JsonObject = {}
    if before is not None:
        rule |= {"rails": before.rails, "corridors": before.corridors}
    # The API refuses a missing name by its place; an empty one by its field.
    rule |= {name: text for name, text in row.texts.items() if text and name != _USER}
    rule["id"] = row.texts["id"]
    if "maxUsd" in rule:
        rule["maxUsd"] = form.number(f"rules[{at}].maxUsd")
    if "maxCount" in rule:
        name = f"rules[{at}].maxCount"
        rule["maxCount"] = form.integer(name, minimum=0, maximum=_NUMBER_MAX)
    hidden = before.user_ids if before is not None and row.hidden_users else None
    users = [*(str(each) for each in hidden or ()), *row.user_ids]
    lists = {"kinds": row.kinds, "userIds": list(dict.fromkeys(users))}
    return {**rule, **{name: each for name, each in lists.items() if each}}


def field_of(fault: str | None) -> str | None:
    """Return the input of a fault that the API names by its place in the document."""
    match = _FAULT.fullmatch(fault or "")
    if match is None:
        return fault
    # A rule without any bound is refused as a whole.
    member = match[2] or "maxUsd"
    known = {*_TEXTS, *_LISTS, _USER}
    return f"rules[{match[1]}].{member}" if member in known else f"rules[{match[1]}]"


def _count(form: Form) -> int:
    return sum(1 for each in form.fields if each.startswith("rules[") and each.endswith("].was"))


NEW_ROW: Final = LimitRow(
    "", dict.fromkeys((*_TEXTS, _USER), "") | {"window": "DAY", "per": "ORG", "over": "REFUSE"}
)
