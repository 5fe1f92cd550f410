"""What the rules say of one payment, given what was used before. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from uuid import UUID

from landbridge.core.ids import derived_id
from landbridge.limits.model import (
    CoolDown,
    Counter,
    Finding,
    Left,
    Listed,
    Per,
    Rule,
    Rules,
    Spending,
    Target,
    Used,
    Verdict,
    Window,
)

BLOCK, ALLOW, COOL_DOWN = "block", "allow", "coolDown"
_WHOM = {Per.ORG: "the organisation", Per.USER: "one user"}
_WHEN = {Window.DAY: "a day", Window.MONTH: "a month"}
_NOTHING = Used()


def claims(
    rules: Rules, spending: Spending, known: Mapping[str, datetime]
) -> dict[Counter, Decimal]:
    """What the payment adds to which counters, in dollars, in the order of their locks.

    `known` is since when destinations are known, by name; those that nobody registered are not in
    it.
    """
    found = {
        counter_of(rule, spending.org_id, spending.user_id, spending.at): spending.usd
        for rule in rules.rules
        if rule.window is not Window.PAYMENT and rule.fits(spending)
    }
    for target, counter in _cooling(rules, spending, known):
        found[counter] = found.get(counter, Decimal(0)) + target.usd
    return dict(sorted(found.items()))


def judge(
    rules: Rules,
    spending: Spending,
    known: Mapping[str, datetime],
    used: Mapping[Counter, Used],
) -> Verdict:
    """What the rules say; `used` has this payment in it already."""
    findings: list[Finding] = []
    left: list[Left] = []
    for rule in rules.rules:
        if not rule.fits(spending):
            continue
        if rule.window is Window.PAYMENT:
            after = _NOTHING + spending.usd
        else:
            counter = counter_of(rule, spending.org_id, spending.user_id, spending.at)
            after = used[counter]
            left.append(left_of(rule, after))
        findings += _over(rule, after)
    findings += _listed(rules, spending.targets)
    findings += _too_new(rules, spending, known, used)
    return Verdict(tuple(findings), tuple(left))


def new_ones(rules: Rules, spending: Spending) -> list[Target]:
    """The destinations of which it matters since when they are known."""
    if rules.cool_down is None:
        return []
    return [each for each in spending.targets if not each.is_ours]


def counter_of(rule: Rule, org_id: UUID, user_id: UUID, at: datetime) -> Counter:
    """Where a rule counts what this user pays at this moment."""
    subject_id = user_id if rule.per is Per.USER else org_id
    return Counter(_counter_id(org_id, rule), subject_id, rule.period(at))


# A rule that narrows by ten thousand users spells them all out; the same rule comes again with
# every payment. A few organisations' rules are enough: what is not there is derived again.
@lru_cache(maxsize=1_000)
def _counter_id(org_id: UUID, rule: Rule) -> UUID:
    return derived_id(org_id, f"limits/{rule.scope}")


def left_of(rule: Rule, used: Used) -> Left:
    """What a rule leaves."""
    return Left(
        rule=rule.id,
        per=rule.per,
        window=rule.window,
        usd=None if rule.max_usd is None else max(rule.max_usd - used.usd, Decimal(0)),
        payment_count=None
        if rule.max_count is None
        else max(rule.max_count - used.payment_count, 0),
    )


def _over(rule: Rule, after: Used) -> Iterator[Finding]:
    if rule.window is Window.PAYMENT:
        if rule.max_usd is not None and after.usd > rule.max_usd:
            yield _finding(rule, f"lets one payment be {dollars(rule.max_usd)}")
        return
    whom, when = _WHOM[rule.per], _WHEN[rule.window]
    if rule.max_usd is not None and after.usd > rule.max_usd:
        yield _finding(
            rule,
            f"lets {whom} pay {dollars(rule.max_usd)} {when}; this would make it "
            f"{dollars(after.usd)}",
        )
    if rule.max_count is not None and after.payment_count > rule.max_count:
        yield _finding(rule, f"lets {whom} make {rule.max_count} payments {when}")


def _finding(rule: Rule, words: str) -> Finding:
    return Finding(rule.id, rule.over, f"limit {rule.id} {words}")


def _listed(rules: Rules, targets: Sequence[Target]) -> Iterator[Finding]:
    if rules.block is not None and any(_is_on(rules.block, each) for each in targets):
        yield Finding(BLOCK, rules.block.over, "a destination is on the organisation's block list")
    outside = [each for each in targets if not each.is_ours]
    if rules.allow is not None and not all(_is_on(rules.allow, each) for each in outside):
        yield Finding(
            ALLOW, rules.allow.over, "a destination is not on the organisation's allow list"
        )


def _is_on(listed: Listed, target: Target) -> bool:
    return target.name in listed.names


def _too_new(
    rules: Rules,
    spending: Spending,
    known: Mapping[str, datetime],
    used: Mapping[Counter, Used],
) -> Iterator[Finding]:
    rule = rules.cool_down
    cooling = _cooling(rules, spending, known)
    if rule is not None and any(used[counter].usd > rule.max_usd for _, counter in cooling):
        yield Finding(
            COOL_DOWN,
            rule.over,
            f"a destination that is known for less than {rule.hours} hours may get "
            f"{dollars(rule.max_usd)}; this would make it more",
        )


def _cooling(
    rules: Rules, spending: Spending, known: Mapping[str, datetime]
) -> list[tuple[Target, Counter]]:
    """The destinations that are new, and where it is counted what they get."""
    rule = rules.cool_down
    if rule is None:
        return []
    return [
        (each, _cooling_counter(spending, each, known.get(each.name)))
        for each in new_ones(rules, spending)
        if _is_new(rule, known.get(each.name), spending.at)
    ]


def _is_new(rule: CoolDown, since: datetime | None, at: datetime) -> bool:
    return since is None or at < since + timedelta(hours=rule.hours)


def _cooling_counter(spending: Spending, target: Target, since: datetime | None) -> Counter:
    org_id = spending.org_id
    return Counter(
        derived_id(org_id, f"limits/{COOL_DOWN}"),
        derived_id(org_id, f"limits/target/{target.name}"),
        (since or spending.at).date(),
    )


def dollars(usd: Decimal) -> str:
    """As in `1200.5 usd`."""
    return f"{plain(usd)} usd"


def plain(usd: Decimal) -> str:
    """In full, without trailing zeros: `1200.5`."""
    told = f"{usd:f}"
    return told.rstrip("0").rstrip(".") if "." in told else told
