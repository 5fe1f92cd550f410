"""Settlement rules on the wire. Source: contract, interface/settlement-rules."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated
from uuid import UUID

import msgspec

from landbridge.chains.tokens import Chain
from landbridge.virtual_accounts.rule_model import CalculationModel, Part, PartType, SettlementRule
from landbridge.web.reply import Moment, Number, WireStruct

# What is read further looks at every member; the bounds proper are in rule_reading.
_MEMBERS_MAX = 1000


class NewTier(WireStruct, frozen=True):
    """From `min` (included) up to `max` (excluded), decimal strings; "" is an open end."""

    min: str
    max: str
    value: Number


class NewPart(WireStruct, frozen=True):
    """What one wallet is to receive: `value` if FIXED, `tiers` if TIERED."""

    type: PartType
    calculation_model: CalculationModel
    wallet_address: str
    value: Number | None = None
    tiers: Annotated[list[NewTier], msgspec.Meta(max_length=_MEMBERS_MAX)] | None = None


class NewRule(WireStruct, frozen=True):
    """A rule; its parts run in the given order."""

    request_id: UUID
    chain: Chain
    includes_fee: bool = msgspec.field(name="includeHIFIFee")
    rules: Annotated[list[NewPart], msgspec.Meta(min_length=1, max_length=_MEMBERS_MAX)]


class TierReply(WireStruct, frozen=True):
    """A tier, as it was told."""

    min: str
    max: str
    value: Number


class PartReply(WireStruct, frozen=True):
    """What one wallet receives; of `value` and `tiers` one is null."""

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


class Done(WireStruct, frozen=True):
    """That it was done."""

    message: str


def rule_reply(rule: SettlementRule) -> RuleReply:
    """A rule as the contract prints it."""
    return RuleReply(
        id=rule.id,
        chain=rule.chain,
        includes_fee=rule.includes_fee,
        rules=part_replies(rule.parts),
    )


def part_replies(parts: Sequence[Part]) -> list[PartReply]:
    """The parts of a rule as the contract prints them."""
    return [
        PartReply(
            type=part.type,
            calculation_model=part.model,
            value=part.value,
            tiers=None
            if part.tiers is None
            else [
                TierReply(min=_bound(tier.least), max=_bound(tier.below), value=tier.value)
                for tier in part.tiers
            ],
            wallet_address=part.wallet_address,
        )
        for part in parts
    ]


def _bound(coins: Decimal | None) -> str:
    return "" if coins is None else f"{coins:f}"
