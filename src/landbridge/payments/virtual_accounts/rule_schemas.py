"""Schemas of settlement rules. Source: contract, interface/settlement-rules."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated
from uuid import UUID

import msgspec

from landbridge.payments.virtual_accounts.rule_model import (
    CalculationModel,
    PartType,
    RulePart,
    SettlementRule,
)
from landbridge.platform.formats.schemas import AddressText
from landbridge.platform.http.constraints import number, pattern_schema, with_schema
from landbridge.platform.http.responses import Moment, Number, WireStruct
from landbridge.providers.chains.tokens import Chain

# Maximum of array members when a body is decoded; rule_parsing.py validates every field.
_MEMBERS_MAX = 1000
# Parts of a rule. Each part is a payment of one chain transaction, which can have this many.
PARTS_MAX = 20
TIERS_MAX = 20
# Maximum number of coins in a rule: above any deposit, and below the largest amount of the ledger.
COINS_MAX = 10**12

_Bound = Annotated[str, with_schema(pattern_schema("^([0-9]{1,12}([.][0-9]{1,6})?)?$"))]
_Figure = Annotated[Number, with_schema(number(0, COINS_MAX))]


class NewTier(WireStruct, frozen=True):
    """From `min` (included) up to `max` (excluded), decimal strings; "" is an open end."""

    min: _Bound
    max: _Bound
    value: _Figure


class NewPart(WireStruct, frozen=True):
    """Share of one wallet: `value` if FIXED, `tiers` if TIERED."""

    type: PartType
    calculation_model: CalculationModel
    wallet_address: AddressText
    value: _Figure | None = None
    tiers: (
        Annotated[
            list[NewTier],
            with_schema({"minItems": 1, "maxItems": TIERS_MAX}, max_length=_MEMBERS_MAX),
        ]
        | None
    ) = None


class NewRule(WireStruct, frozen=True):
    """A rule; its parts are applied in the given order."""

    request_id: UUID
    chain: Chain
    includes_fee: bool = msgspec.field(name="includeHIFIFee")
    rules: Annotated[
        list[NewPart], with_schema({"maxItems": PARTS_MAX}, min_length=1, max_length=_MEMBERS_MAX)
    ]


class TierReply(WireStruct, frozen=True):
    """A tier as submitted."""

    min: str
    max: str
    value: Number


class PartReply(WireStruct, frozen=True):
    """Share of one wallet; one of `value` and `tiers` is null."""

    type: PartType
    calculation_model: CalculationModel
    value: Number | None
    tiers: list[TierReply] | None
    wallet_address: str


class RuleReply(WireStruct, frozen=True):
    """A settlement rule."""

    id: UUID
    chain: Chain
    includes_fee: bool = msgspec.field(name="includeHIFIFee")
    rules: list[PartReply]


class RulePage(WireStruct, frozen=True):
    """A page of rules, newest first."""

    count: int
    rules: list[RuleReply]
    next_cursor: Moment | None


class RuleDeletedReply(WireStruct, frozen=True):
    """Confirmation of the deletion."""

    message: str


def rule_reply(rule: SettlementRule) -> RuleReply:
    """Build the reply of a rule."""
    return RuleReply(
        id=rule.id,
        chain=rule.chain,
        includes_fee=rule.includes_fee,
        rules=part_replies(rule.parts),
    )


def part_replies(parts: Sequence[RulePart]) -> list[PartReply]:
    """Build the replies of a rule's parts."""
    return [
        PartReply(
            type=part.type,
            calculation_model=part.model,
            value=part.value,
            tiers=None
            if part.tiers is None
            else [
                TierReply(min=_bound(tier.minimum), max=_bound(tier.below), value=tier.value)
                for tier in part.tiers
            ],
            wallet_address=part.wallet_address,
        )
        for part in parts
    ]


def _bound(coins: Decimal | None) -> str:
    return "" if coins is None else f"{coins:f}"
