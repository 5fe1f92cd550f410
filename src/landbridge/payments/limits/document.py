"""Rules document: converts JSON to rules and back; each error names the path in the document."""

import re
from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from typing import Annotated
from uuid import UUID

import msgspec

from landbridge.customers.bank_accounts.field_tables import (
    AccountTypeTable,
    ChoiceField,
    DependentChoiceField,
)
from landbridge.customers.bank_accounts.types import BY_TYPE
from landbridge.customers.wallets.service import checked_address
from landbridge.payments.limits.evaluation import ALLOW, BLOCK, COOL_DOWN
from landbridge.payments.limits.model import (
    CoolDown,
    DestinationList,
    LimitAction,
    LimitRule,
    LimitRules,
    LimitScope,
    LimitWindow,
)
from landbridge.platform.core.decode_errors import refuse
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.fields import copy_fields
from landbridge.platform.core.ids import as_uuid
from landbridge.platform.core.money import AmountError, parse_units
from landbridge.platform.formats.schemas import ADDRESS
from landbridge.platform.http.constraints import (
    IDENTIFIER,
    Keywords,
    coins,
    number,
    one_of,
    pattern_schema,
    with_schema,
)
from landbridge.platform.http.request_decoding import check_json
from landbridge.platform.http.responses import WireStruct, encode, reply_of
from landbridge.providers.chains.tokens import Chain, Network
from landbridge.providers.rails.currencies import CORRIDORS, FIAT

# Maximum number of rules, because every payment is evaluated against every rule.
RULES_MAX = 100
NAMES_MAX = 10_000
HOURS_MAX = 24 * 90
_BYTES_MAX = 1_000_000
_DECIMALS = 6
_COUNT_MAX = 10**9
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,49}")


def _rails_of(table: AccountTypeTable) -> Iterator[str]:
    """Return the rails to accounts of a type."""
    if isinstance(table.payment_rail, str):
        yield table.payment_rail
        return
    for each in table.fields:
        if each.name == table.payment_rail.name:
            match each.kind:
                case ChoiceField():
                    yield from each.kind.values
                case DependentChoiceField():
                    yield from each.kind.all
                case _:
                    pass


RAILS = frozenset(rail for table in BY_TYPE.values() for rail in _rails_of(table))
CORRIDOR_NAMES = frozenset((*FIAT, *CORRIDORS, *Network))
_Usd = Annotated[Decimal, with_schema(coins(_DECIMALS))]
_DESTINATION: Keywords = {"type": "string", "anyOf": [ADDRESS, IDENTIFIER]}


class RuleDocument(WireStruct, frozen=True, forbid_unknown_fields=True):
    """Bound in dollars or number of payments; applies to all payments without a selector."""

    id: Annotated[str, with_schema(pattern_schema(f"^{_ID.pattern}$"))]
    window: LimitWindow
    per: LimitScope = LimitScope.ORG
    max_usd: _Usd | None = None
    max_count: Annotated[int, with_schema(number(0, _COUNT_MAX))] | None = None
    over: LimitAction = LimitAction.REFUSE
    kinds: Annotated[list[str], with_schema({"minItems": 1})] | None = None
    rails: (
        Annotated[
            list[Annotated[str, with_schema(one_of(sorted(RAILS)))]], with_schema({"minItems": 1})
        ]
        | None
    ) = None
    corridors: (
        Annotated[
            list[Annotated[str, with_schema(one_of(sorted(CORRIDOR_NAMES)))]],
            with_schema({"minItems": 1}),
        ]
        | None
    ) = None
    user_ids: Annotated[list[UUID], with_schema({"minItems": 1, "maxItems": NAMES_MAX})] | None = (
        None
    )


class ListDocument(WireStruct, frozen=True, forbid_unknown_fields=True):
    """Destinations: addresses, and ids of bank accounts."""

    destinations: Annotated[
        list[Annotated[str, with_schema(_DESTINATION)]], with_schema({"maxItems": NAMES_MAX})
    ]
    over: LimitAction = LimitAction.REFUSE


class CoolDownDocument(WireStruct, frozen=True, forbid_unknown_fields=True):
    """Total amount for a new destination during its cool-down."""

    hours: Annotated[int, with_schema(number(1, HOURS_MAX))]
    max_usd: _Usd
    over: LimitAction = LimitAction.REFUSE


class LimitsDocument(WireStruct, frozen=True, forbid_unknown_fields=True):
    """All rules of an organisation; an omitted section has no rules."""

    rules: Annotated[list[RuleDocument], with_schema({"maxItems": RULES_MAX})] = msgspec.field(
        default_factory=list[RuleDocument]
    )
    block: ListDocument | None = None
    allow: ListDocument | None = None
    cool_down: CoolDownDocument | None = None


_decoder = msgspec.json.Decoder(LimitsDocument)


def parse(raw: bytes) -> LimitsDocument:
    """Parse the document in a file; raises `FieldInvalid` naming the path."""
    if len(raw) > _BYTES_MAX:
        raise FieldInvalid(f"the rules must have at most {_BYTES_MAX} bytes")
    check_json(raw)
    try:
        return _decoder.decode(raw)
    except msgspec.ValidationError as error:
        refuse(str(error))
    except msgspec.DecodeError as error:
        raise FieldInvalid(f"the rules are not valid JSON: {error}") from error


def document_of(rules: LimitRules) -> LimitsDocument:
    """Return rules in their normalised spelling, in which they are stored and shown."""
    cool_down = rules.cool_down
    return LimitsDocument(
        rules=[_written_rule(each) for each in rules.rules],
        block=_written_list(rules.block),
        allow=_written_list(rules.allow),
        cool_down=None if cool_down is None else reply_of(cool_down, CoolDownDocument),
    )


def encoded(rules: LimitRules) -> str:
    """Encode the stored JSON, with amounts as strings to keep them exact."""
    return msgspec.json.encode(document_of(rules)).decode()


def decoded(raw: str) -> LimitRules:
    """Decode stored rules, even if kinds or rails that they name do not exist any more."""
    document = _decoder.decode(raw)
    return _rules(document, _kept_list(document.block), _kept_list(document.allow))


def displayed(rules: LimitRules) -> str:
    """Encode the displayed JSON, with amounts as numbers."""
    return encode(document_of(rules)).decode()


def validated(document: LimitsDocument, kinds: Collection[str], *, under: str = "") -> LimitRules:
    """Check a document; raises `FieldInvalid` naming the path, which begins with `under`.

    `kinds` are the kinds of record that rules may select.
    """
    if len(document.rules) > RULES_MAX:
        raise FieldInvalid(f"{under}rules must be at most {RULES_MAX}", field=f"{under}rules")
    used_ids = {BLOCK, ALLOW, COOL_DOWN}
    for index, rule in enumerate(document.rules):
        _check_rule(f"{under}rules[{index}]", rule, kinds, used_ids)
        used_ids.add(rule.id)
    if document.cool_down is not None:
        _check_cool_down(f"{under}{COOL_DOWN}", document.cool_down)
    return _rules(
        document,
        _list(f"{under}{BLOCK}.destinations", document.block),
        _list(f"{under}{ALLOW}.destinations", document.allow),
    )


def _check_cool_down(field: str, cool_down: CoolDownDocument) -> None:
    _check_usd(f"{field}.maxUsd", cool_down.max_usd)
    if not 1 <= cool_down.hours <= HOURS_MAX:
        raise FieldInvalid(f"{field}.hours must be from 1 to {HOURS_MAX}", field=f"{field}.hours")


def _rules(
    document: LimitsDocument, block: DestinationList | None, allow: DestinationList | None
) -> LimitRules:
    cool_down = document.cool_down
    return LimitRules(
        rules=tuple(_rule(each) for each in document.rules),
        block=block,
        allow=allow,
        cool_down=None
        if cool_down is None
        else CoolDown(cool_down.hours, cool_down.max_usd, cool_down.over),
    )


def _rule(submitted: RuleDocument) -> LimitRule:
    return copy_fields(
        submitted,
        LimitRule,
        kinds=_set(submitted.kinds),
        rails=_set(submitted.rails),
        corridors=_set(submitted.corridors),
        user_ids=None if submitted.user_ids is None else frozenset(submitted.user_ids),
    )


def _set(values: Sequence[str] | None) -> frozenset[str] | None:
    return None if values is None else frozenset(values)


def _kept_list(submitted: ListDocument | None) -> DestinationList | None:
    """Build a list from stored names, which are normalised already."""
    return (
        None
        if submitted is None
        else DestinationList(frozenset(submitted.destinations), submitted.over)
    )


def _list(field: str, submitted: ListDocument | None) -> DestinationList | None:
    if submitted is None:
        return None
    if len(submitted.destinations) > NAMES_MAX:
        raise FieldInvalid(f"{field} must be at most {NAMES_MAX}", field=field)
    names = (
        _destination(f"{field}[{index}]", each) for index, each in enumerate(submitted.destinations)
    )
    return DestinationList(frozenset(names), submitted.over)


def _destination(field: str, text: str) -> str:
    """Normalise a bank account's id or an address."""
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
    field: str, rule: RuleDocument, kinds: Collection[str], used_ids: Collection[str]
) -> None:
    if not _ID.fullmatch(rule.id):
        raise FieldInvalid(
            f"{field}.id must have 1 to 50 letters, digits, dots, hyphens and underscores",
            field=f"{field}.id",
        )
    if rule.id in used_ids:
        raise FieldInvalid(f"{field}.id: {rule.id} is taken", field=f"{field}.id")
    if rule.max_usd is None and rule.max_count is None:
        raise FieldInvalid(f"{field}: give maxUsd or maxCount", field=field)
    if rule.max_usd is not None:
        _check_usd(f"{field}.maxUsd", rule.max_usd)
    if rule.max_count is not None:
        if rule.window is LimitWindow.PAYMENT:
            raise FieldInvalid(
                f"{field}.maxCount: a single payment counts as one; use DAY or MONTH",
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


def _check_words(field: str, values: Sequence[str] | None, known: Collection[str]) -> None:
    """Raise `FieldInvalid` for an unknown value, because the rule would never match."""
    if values is None:
        return
    if not values:
        raise FieldInvalid(f"{field} is empty; leave it out for all", field=field)
    for index, value in enumerate(values):
        if value not in known:
            raise FieldInvalid(
                f"{field}[{index}] must be one of {', '.join(sorted(known))}",
                field=f"{field}[{index}]",
            )


def _check_usd(field: str, usd: Decimal) -> None:
    try:
        units = parse_units(usd, _DECIMALS)
    except AmountError as error:
        raise FieldInvalid(f"{field} {error}", field=field) from error
    if units < 0:
        raise FieldInvalid(f"{field} must not be below 0", field=field)


def _written_rule(rule: LimitRule) -> RuleDocument:
    return copy_fields(
        rule,
        RuleDocument,
        kinds=_sorted(rule.kinds),
        rails=_sorted(rule.rails),
        corridors=_sorted(rule.corridors),
        user_ids=None if rule.user_ids is None else sorted(rule.user_ids),
    )


def _written_list(listed: DestinationList | None) -> ListDocument | None:
    if listed is None:
        return None
    return ListDocument(destinations=sorted(listed.names), over=listed.over)


def _sorted(values: frozenset[str] | None) -> list[str] | None:
    return None if values is None else sorted(values)
