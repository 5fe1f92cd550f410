"""How plans are written, and what is wrong with those that can't be read."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.core.errors import FieldInvalid
from landbridge.simulation.outcomes import CATALOGUE, KINDS, Effect, Outcome, Step
from landbridge.simulation.plans import DELAY_MAX, kept_plan, read_plan, spell
from landbridge.wiring import MOVES


def test_every_kind_of_payment_has_steps_and_no_other() -> None:
    # Deposits of coins and fiat that nobody creates have no plans.
    assert set(KINDS) <= MOVES.keys()
    assert {kind for each in CATALOGUE for kind in each.kinds} == set(KINDS)


def test_an_outcome_is_told_once_and_says_what_it_means() -> None:
    assert len({(each.step, each.name) for each in CATALOGUE}) == len(CATALOGUE)
    fails = {Effect.REFUSE, Effect.REFUSE_AT_FIRST, Effect.FAIL, Effect.FAIL_LATE}
    for each in CATALOGUE:
        assert len(each.happens) > 10, each
        assert bool(each.reason) == (each.effect in fails), each
    # In the order of the steps, so that lists of them read as payments go.
    assert [each.step for each in CATALOGUE] == sorted(
        (each.step for each in CATALOGUE), key=list(Step).index
    )


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        ("payout=return", "payout=return:3d"),
        ("payout=return:72h", "payout=return:3d"),
        ("payout=late:90s", "payout=late:90s"),
        ("payout=late:60s", "payout=late:1m"),
        ("webhook=late;payout=twice", "payout=twice;webhook=late:10m"),
        (" payout = reject ; screening = review ", "screening=review;payout=reject"),
        ("confirmation=timeout;chain_send=lost", "chain_send=lost;confirmation=timeout:30h"),
        ("payout=late:90d", "payout=late:90d"),
    ],
)
def test_a_plan_has_one_spelling(told: str, kept: str) -> None:
    plan = read_plan(told, "OFFRAMP")
    assert plan.text == kept
    assert read_plan(kept, "OFFRAMP") == plan


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("", '"" is no step; the steps are screening, quote, deposit, chain_send'),
        (";", '"" is no step'),
        ("payout=return;", '"" is no step'),
        ("telex=late", '"telex" is no step'),
        ("webhook=reject", 'webhook can\'t be "reject"; it can be fail, late, twice'),
        ("webhook=twice:1h", "webhook=twice takes no delay"),
        ("PAYOUT=return", '"PAYOUT" is no step'),
        ("payout", 'payout can\'t be ""; it can be reject, timeout, lost, twice, late, return'),
        ("payout=", 'payout can\'t be ""'),
        ("payout=explode", 'payout can\'t be "explode"'),
        ("payout=reject=late", 'payout can\'t be "reject=late"'),
        ("payout=reject:1d", "payout=reject takes no delay"),
        ("payout=return:", "the delay of payout must be"),
        ("payout=return:0s", "the delay of payout must be"),
        ("payout=return:-1d", "the delay of payout must be"),
        ("payout=return:1.5d", "the delay of payout must be"),
        ("payout=return:91d", "at most 90d"),
        ("payout=return:9999999d", "at most 90d"),
        ("payout=return:99999999999999999999d", "the delay of payout must be"),
        ("payout=return:\u0663d", "the delay of payout must be"),
        ("payout=return:3d:4d", "the delay of payout must be"),
        ("payout=return;payout=return", "payout is told twice"),
        ("deposit=late", "OFFRAMP has no step deposit; its steps are screening, quote, chain_send"),
        ("mint=reject", "OFFRAMP has no step mint"),
        ("payout=\u00e9\n", 'payout can\'t be "?"'),
        ("x" * 501, "at most 500 characters"),
    ],
)
def test_what_is_wrong_with_a_plan_is_named(told: str, said: str) -> None:
    with pytest.raises(FieldInvalid) as refused:
        read_plan(told, "OFFRAMP")
    assert refused.value.field == "Landbridge-Sandbox"
    assert refused.value.message.startswith("Landbridge-Sandbox: ")
    assert said in refused.value.message


def test_a_step_that_a_kind_has_may_lack_an_outcome() -> None:
    with pytest.raises(FieldInvalid) as refused:
        read_plan("screening=review", "WALLET.SWAP")
    assert refused.value.message.endswith('screening can\'t be "review"; it can be reject')


def test_what_a_plan_kept_and_nobody_knows_any_more_is_passed_over() -> None:
    plan = kept_plan("chain_send=lost;payout=gone:3d;telex=late")
    assert list(plan.outcomes) == [Step.CHAIN_SEND]
    assert kept_plan("payout=return:3d") == read_plan("payout=return:3d")


@given(st.text(max_size=600))
def test_whatever_is_told_is_read_or_refused(told: str) -> None:
    try:
        plan = read_plan(told, "ONRAMP")
    except FieldInvalid as error:
        refused = error
    else:
        assert read_plan(plan.text, "ONRAMP") == plan
        return
    assert refused.message.isascii()
    assert refused.message.isprintable()


@given(
    st.lists(
        st.sampled_from([each for each in CATALOGUE if "ONRAMP" in each.kinds]),
        min_size=1,
        unique_by=lambda each: each.step,
    ),
    st.timedeltas(timedelta(seconds=1), DELAY_MAX),
)
def test_a_plan_is_read_as_it_is_spelled(outcomes: list[Outcome], delay: timedelta) -> None:
    whole = timedelta(seconds=int(delay.total_seconds()))
    told = ";".join(
        f"{each.step}={each.name}:{spell(whole)}" if each.delay else f"{each.step}={each.name}"
        for each in outcomes
    )
    plan = read_plan(told, "ONRAMP")
    assert list(plan.outcomes) == [each for each in Step if each in plan.outcomes]
    for each in outcomes:
        forced = plan.outcomes[each.step]
        assert forced.outcome == each
        assert forced.delay == (whole if each.delay else timedelta())
