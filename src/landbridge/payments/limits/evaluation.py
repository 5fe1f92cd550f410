"""Evaluates the rules for one payment and the usage so far, in pure functions."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from uuid import UUID

from landbridge.payments.limits.model import (
    CoolDown,
    CounterUsage,
    LimitFinding,
    LimitRemaining,
    LimitRule,
    LimitRules,
    LimitScope,
    LimitUsage,
    LimitVerdict,
    LimitWindow,
    PaymentDestination,
    UsageCounter,
)
from landbridge.platform.core.ids import derived_id

BLOCK, ALLOW, COOL_DOWN = "block", "allow", "coolDown"
_WHOM = {LimitScope.ORG: "the organisation", LimitScope.USER: "one user"}
_WHEN = {LimitWindow.DAY: "a day", LimitWindow.MONTH: "a month"}
_NOTHING = CounterUsage()


def counter_increments(
    rules: LimitRules, usage: LimitUsage, known: Mapping[str, datetime]
) -> dict[UsageCounter, Decimal]:
    """Return the usage that the payment adds, in dollars, in the lock order of the counters.

    `known` has the time since which each registered destination is known, by name.
    """
    found = {
        counter_of(rule, usage.org_id, usage.user_id, usage.at): usage.usd
        for rule in rules.rules
        if rule.window is not LimitWindow.PAYMENT and rule.fits(usage)
    }
    for target, counter in _cooling(rules, usage, known):
        found[counter] = found.get(counter, Decimal(0)) + target.usd
    return dict(sorted(found.items()))


def evaluate(
    rules: LimitRules,
    usage: LimitUsage,
    known: Mapping[str, datetime],
    used: Mapping[UsageCounter, CounterUsage],
) -> LimitVerdict:
    """Evaluate the rules; `used` includes this payment already."""
    findings: list[LimitFinding] = []
    left: list[LimitRemaining] = []
    for rule in rules.rules:
        if not rule.fits(usage):
            continue
        if rule.window is LimitWindow.PAYMENT:
            after = _NOTHING + usage.usd
        else:
            counter = counter_of(rule, usage.org_id, usage.user_id, usage.at)
            after = used[counter]
            left.append(remaining_amount(rule, after))
        findings += _over(rule, after)
    findings += list_findings(rules, usage.targets)
    findings += _too_new(rules, usage, known, used)
    return LimitVerdict(tuple(findings), tuple(left))


def cool_down_targets(rules: LimitRules, usage: LimitUsage) -> list[PaymentDestination]:
    """Return the destinations of a payment to which a cool-down may apply."""
    if rules.cool_down is None:
        return []
    return [each for each in usage.targets if not each.is_ours]


def counter_of(rule: LimitRule, org_id: UUID, user_id: UUID, at: datetime) -> UsageCounter:
    """Return the counter of a rule for this user at this time."""
    subject_id = user_id if rule.per is LimitScope.USER else org_id
    return UsageCounter(_counter_id(org_id, rule), subject_id, rule.period(at))


# Cached, because a rule may name ten thousand users and is evaluated for every payment. The cache
# has room for the rules of a few organisations.
@lru_cache(maxsize=1_000)
def _counter_id(org_id: UUID, rule: LimitRule) -> UUID:
    return derived_id(org_id, f"limits/{rule.scope}")


def remaining_amount(rule: LimitRule, used: CounterUsage) -> LimitRemaining:
    """Return the remaining amount of a rule."""
    return LimitRemaining(
        rule=rule.id,
        per=rule.per,
        window=rule.window,
        usd=None if rule.max_usd is None else max(rule.max_usd - used.usd, Decimal(0)),
        payment_count=None
        if rule.max_count is None
        else max(rule.max_count - used.payment_count, 0),
    )


def _over(rule: LimitRule, after: CounterUsage) -> Iterator[LimitFinding]:
    if rule.window is LimitWindow.PAYMENT:
        if rule.max_usd is not None and after.usd > rule.max_usd:
            yield _finding(rule, f"allows one payment of {dollars(rule.max_usd)}")
        return
    scope_text, window_text = _WHOM[rule.per], _WHEN[rule.window]
    if rule.max_usd is not None and after.usd > rule.max_usd:
        yield _finding(
            rule,
            f"allows {scope_text} {dollars(rule.max_usd)} {window_text}; this payment would make "
            f"it {dollars(after.usd)}",
        )
    if rule.max_count is not None and after.payment_count > rule.max_count:
        yield _finding(rule, f"allows {scope_text} {rule.max_count} payments {window_text}")


def _finding(rule: LimitRule, sentence: str) -> LimitFinding:
    return LimitFinding(rule.id, rule.over, f"limit {rule.id} {sentence}")


def list_findings(
    rules: LimitRules, targets: Sequence[PaymentDestination]
) -> Iterator[LimitFinding]:
    """Yield a finding for each list that excludes one of these destinations."""
    if rules.block is not None and any(rules.block.shares(each) for each in targets):
        yield LimitFinding(
            BLOCK, rules.block.over, "a destination is on the organisation's block list"
        )
    outside = [each for each in targets if not each.is_ours]
    if rules.allow is not None and not all(rules.allow.covers(each) for each in outside):
        yield LimitFinding(
            ALLOW, rules.allow.over, "a destination is not on the organisation's allow list"
        )


def _too_new(
    rules: LimitRules,
    usage: LimitUsage,
    known: Mapping[str, datetime],
    used: Mapping[UsageCounter, CounterUsage],
) -> Iterator[LimitFinding]:
    rule = rules.cool_down
    cooling = _cooling(rules, usage, known)
    if rule is not None and any(used[counter].usd > rule.max_usd for _, counter in cooling):
        yield LimitFinding(
            COOL_DOWN,
            rule.over,
            f"a destination known for less than {rule.hours} hours may receive "
            f"{dollars(rule.max_usd)}; this payment would exceed it",
        )


def _cooling(
    rules: LimitRules, usage: LimitUsage, known: Mapping[str, datetime]
) -> list[tuple[PaymentDestination, UsageCounter]]:
    """Return the new destinations of a payment, with the counters of their cool-downs."""
    rule = rules.cool_down
    if rule is None:
        return []
    return [
        (each, _cooling_counter(usage, each, known.get(each.name)))
        for each in cool_down_targets(rules, usage)
        if is_new(rule, known.get(each.name), usage.at)
    ]


def is_new(rule: CoolDown, since: datetime | None, at: datetime) -> bool:
    """Return whether a destination is new at `at`; `since` is None if it is not registered."""
    return since is None or at < since + timedelta(hours=rule.hours)


def _cooling_counter(
    usage: LimitUsage, target: PaymentDestination, since: datetime | None
) -> UsageCounter:
    org_id = usage.org_id
    return UsageCounter(
        derived_id(org_id, f"limits/{COOL_DOWN}"),
        derived_id(org_id, f"limits/target/{target.name}"),
        (since or usage.at).date(),
    )


def dollars(usd: Decimal) -> str:
    """Format an amount with its currency, for example `1200.5 usd`."""
    return f"{plain(usd)} usd"


def plain(usd: Decimal) -> str:
    """Format an amount without exponent and trailing zeros, for example `1200.5`."""
    text = f"{usd:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
