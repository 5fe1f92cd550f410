"""The rules as they are written down: JSON to rules, each mistake named by its place."""

import re
from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from uuid import UUID

import msgspec

from landbridge.accounts.tables import Table, Words, WordsBy
from landbridge.accounts.types import BY_TYPE
from landbridge.chains.tokens import Chain, Network
from landbridge.core.errors import FieldInvalid
from landbridge.core.ids import as_uuid
from landbridge.core.money import AmountError, parse_units
from landbridge.core.shapes import refuse
from landbridge.limits.judging import ALLOW, BLOCK, COOL_DOWN
from landbridge.limits.model import CoolDown, Listed, Over, Per, Rule, Rules, Window
from landbridge.rails.currencies import CORRIDORS, FIAT
from landbridge.wallets.service import checked_address
from landbridge.web.body import check_json
from landbridge.web.reply import WireStruct, encode

# Every payment is held against every rule.
RULES_MAX = 100
NAMES_MAX = 10_000
HOURS_MAX = 24 * 90
_BYTES_MAX = 1_000_000
_DECIMALS = 6
_COUNT_MAX = 10**9
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,49}")


class RuleDocument(WireStruct, frozen=True, forbid_unknown_fields=True):
    """At most so many dollars, or payments, of those that it is for; all if nothing narrows it."""

    id: str
    window: Window
    per: Per = Per.ORG
    max_usd: Decimal | None = None
    max_count: int | None = None
    over: Over = Over.REFUSE
    kinds: list[str] | None = None
    rails: list[str] | None = None
    corridors: list[str] | None = None
    user_ids: list[UUID] | None = None


class ListDocument(WireStruct, frozen=True, forbid_unknown_fields=True):
    """Destinations: addresses, and ids of bank accounts."""

    destinations: list[str]
    over: Over = Over.REFUSE


class CoolDownDocument(WireStruct, frozen=True, forbid_unknown_fields=True):
    """What a new destination may get altogether while it is new."""

    hours: int
    max_usd: Decimal
    over: Over = Over.REFUSE


class Document(WireStruct, frozen=True, forbid_unknown_fields=True):
    """All rules of an organisation; whatever is left out has none."""

    rules: list[RuleDocument] = msgspec.field(default_factory=list[RuleDocument])
    block: ListDocument | None = None
    allow: ListDocument | None = None
    cool_down: CoolDownDocument | None = None


_decoder = msgspec.json.Decoder(Document)


def parse(raw: bytes) -> Document:
    """The document in a file; raises `FieldInvalid` naming the place."""
    if len(raw) > _BYTES_MAX:
        raise FieldInvalid(f"the rules must have at most {_BYTES_MAX} bytes")
    check_json(raw)
    try:
        return _decoder.decode(raw)
    except msgspec.ValidationError as error:
        refuse(str(error))
    except msgspec.DecodeError as error:
        raise FieldInvalid(f"the rules are not valid JSON: {error}") from error


def written(rules: Rules) -> Document:
    """Rules in the one spelling in which they are kept and shown."""
    cool = rules.cool_down
    return Document(
        rules=[_written_rule(each) for each in rules.rules],
        block=_written_list(rules.block),
        allow=_written_list(rules.allow),
        cool_down=None
        if cool is None
        else CoolDownDocument(hours=cool.hours, max_usd=cool.max_usd, over=cool.over),
    )


def stored(rules: Rules) -> str:
    """The JSON that is kept; figures as strings, so that they stay exact."""
    return msgspec.json.encode(written(rules)).decode()


def restored(raw: str) -> Rules:
    """What was kept. It was checked when it was set: kinds and rails may have gone since."""
    document = _decoder.decode(raw)
    return _rules(document, _kept_list(document.block), _kept_list(document.allow))


def shown(rules: Rules) -> str:
    """The JSON that is shown, figures as numbers."""
    return encode(written(rules)).decode()


def checked(document: Document, kinds: Collection[str], *, under: str = "") -> Rules:
    """The rules of a document; raises `FieldInvalid` naming the place, which begins with `under`.

    `kinds` are those of record that rules may be for.
    """
    if len(document.rules) > RULES_MAX:
        raise FieldInvalid(f"{under}rules must be at most {RULES_MAX}", field=f"{under}rules")
    taken = {BLOCK, ALLOW, COOL_DOWN}
    for place, rule in enumerate(document.rules):
        _check_rule(f"{under}rules[{place}]", rule, kinds, taken)
        taken.add(rule.id)
    if document.cool_down is not None:
        _check_cool_down(f"{under}{COOL_DOWN}", document.cool_down)
    return _rules(
        document,
        _list(f"{under}{BLOCK}.destinations", document.block),
        _list(f"{under}{ALLOW}.destinations", document.allow),
    )


def _check_cool_down(field: str, cool: CoolDownDocument) -> None:
    _check_usd(f"{field}.maxUsd", cool.max_usd)
    if not 1 <= cool.hours <= HOURS_MAX:
        raise FieldInvalid(f"{field}.hours must be from 1 to {HOURS_MAX}", field=f"{field}.hours")


def _rules(document: Document, block: Listed | None, allow: Listed | None) -> Rules:
    cool = document.cool_down
    return Rules(
        rules=tuple(_rule(each) for each in document.rules),
        block=block,
        allow=allow,
        cool_down=None if cool is None else CoolDown(cool.hours, cool.max_usd, cool.over),
    )


def _rule(told: RuleDocument) -> Rule:
    return Rule(
        id=told.id,
        per=told.per,
        window=told.window,
        max_usd=told.max_usd,
        max_count=told.max_count,
        over=told.over,
        kinds=_set(told.kinds),
        rails=_set(told.rails),
        corridors=_set(told.corridors),
        user_ids=None if told.user_ids is None else frozenset(told.user_ids),
    )


def _set(words: Sequence[str] | None) -> frozenset[str] | None:
    return None if words is None else frozenset(words)


def _kept_list(told: ListDocument | None) -> Listed | None:
    """A list whose names are in their one spelling already."""
    return None if told is None else Listed(frozenset(told.destinations), told.over)


def _list(field: str, told: ListDocument | None) -> Listed | None:
    if told is None:
        return None
    if len(told.destinations) > NAMES_MAX:
        raise FieldInvalid(f"{field} must be at most {NAMES_MAX}", field=field)
    names = (
        _destination(f"{field}[{place}]", each) for place, each in enumerate(told.destinations)
    )
    return Listed(frozenset(names), told.over)


def _destination(field: str, text: str) -> str:
    """A bank account's id or an address, in its one spelling."""
    account_id = as_uuid(text)
    if account_id is not None:
        return str(account_id)
    for chain in (Chain.ETHEREUM, Chain.SOLANA):
        try:
            return checked_address(chain, text, field=field)
        except FieldInvalid:
            continue
    raise FieldInvalid(
        f"{field} is neither the address of a chain nor the id of a bank account", field=field
    )


def _check_rule(
    field: str, rule: RuleDocument, kinds: Collection[str], taken: Collection[str]
) -> None:
    if not _ID.fullmatch(rule.id):
        raise FieldInvalid(
            f"{field}.id must have 1 to 50 letters, digits, dots, hyphens and underscores",
            field=f"{field}.id",
        )
    if rule.id in taken:
        raise FieldInvalid(f"{field}.id: {rule.id} is taken", field=f"{field}.id")
    if rule.max_usd is None and rule.max_count is None:
        raise FieldInvalid(f"{field}: give maxUsd or maxCount", field=field)
    if rule.max_usd is not None:
        _check_usd(f"{field}.maxUsd", rule.max_usd)
    if rule.max_count is not None:
        if rule.window is Window.PAYMENT:
            raise FieldInvalid(
                f"{field}.maxCount: one payment is always one; count by DAY or MONTH",
                field=f"{field}.maxCount",
            )
        if not 0 <= rule.max_count <= _COUNT_MAX:
            raise FieldInvalid(
                f"{field}.maxCount must be from 0 to {_COUNT_MAX}", field=f"{field}.maxCount"
            )
    _check_words(f"{field}.kinds", rule.kinds, kinds)
    _check_words(f"{field}.rails", rule.rails, RAILS)
    _check_words(f"{field}.corridors", rule.corridors, CORRIDOR_NAMES)
    if rule.user_ids is not None and not 1 <= len(rule.user_ids) <= NAMES_MAX:
        raise FieldInvalid(
            f"{field}.userIds must be from 1 to {NAMES_MAX}", field=f"{field}.userIds"
        )


def _check_words(field: str, words: Sequence[str] | None, known: Collection[str]) -> None:
    """A word that we don't know would be a rule that is never met."""
    if words is None:
        return
    if not words:
        raise FieldInvalid(f"{field} is empty; leave it out for all", field=field)
    for place, word in enumerate(words):
        if word not in known:
            raise FieldInvalid(
                f"{field}[{place}] must be one of {', '.join(sorted(known))}",
                field=f"{field}[{place}]",
            )


def _check_usd(field: str, usd: Decimal) -> None:
    try:
        units = parse_units(usd, _DECIMALS)
    except AmountError as error:
        raise FieldInvalid(f"{field} {error}", field=field) from error
    if units < 0:
        raise FieldInvalid(f"{field} must not be below 0", field=field)


def _written_rule(rule: Rule) -> RuleDocument:
    return RuleDocument(
        id=rule.id,
        window=rule.window,
        per=rule.per,
        max_usd=rule.max_usd,
        max_count=rule.max_count,
        over=rule.over,
        kinds=_sorted(rule.kinds),
        rails=_sorted(rule.rails),
        corridors=_sorted(rule.corridors),
        user_ids=None if rule.user_ids is None else sorted(rule.user_ids),
    )


def _written_list(listed: Listed | None) -> ListDocument | None:
    if listed is None:
        return None
    return ListDocument(destinations=sorted(listed.names), over=listed.over)


def _sorted(words: frozenset[str] | None) -> list[str] | None:
    return None if words is None else sorted(words)


def _rails_of(table: Table) -> Iterator[str]:
    """The ways on which money gets to accounts of a type."""
    if isinstance(table.payment_rail, str):
        yield table.payment_rail
        return
    for each in table.fields:
        if each.name == table.payment_rail.name:
            match each.kind:
                case Words():
                    yield from each.kind.values
                case WordsBy():
                    yield from each.kind.all
                case _:
                    pass


RAILS = frozenset(rail for table in BY_TYPE.values() for rail in _rails_of(table))
CORRIDOR_NAMES = frozenset((*FIAT, *CORRIDORS, *Network))
