"""Format of plans, and errors of invalid ones."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.app.container import TRANSITIONS
from landbridge.platform.core.errors import FieldInvalid
from landbridge.providers.simulation.outcome_catalog import (
    CATALOGUE,
    KINDS,
    OutcomeEffect,
    ScriptedOutcome,
    ScriptedStep,
)
from landbridge.providers.simulation.outcome_plans import (
    DELAY_MAX,
    format_delay,
    parse_stored_plan,
    read_plan,
)


def test_every_kind_of_payment_has_steps_and_no_other() -> None:
    # External deposits of coins and fiat have no creator, so they have no plans.
    assert set(KINDS) <= TRANSITIONS.keys()
    assert {kind for each in CATALOGUE for kind in each.kinds} == set(KINDS)


def test_outcomes_are_unique_and_documented() -> None:
    assert len({(each.step, each.name) for each in CATALOGUE}) == len(CATALOGUE)
    fails = {
        OutcomeEffect.REFUSE,
        OutcomeEffect.REFUSE_AT_FIRST,
        OutcomeEffect.FAIL,
        OutcomeEffect.FAIL_LATE,
    }
    for each in CATALOGUE:
        assert len(each.description) > 10, each
        assert bool(each.reason) == (each.effect in fails), each
    # In step order, so that lists follow the order of payments.
    assert [each.step for each in CATALOGUE] == sorted(
        (each.step for each in CATALOGUE), key=list(ScriptedStep).index
    )


@pytest.mark.parametrize(
    ("text", "expected"),
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
def test_a_plan_has_one_spelling(text: str, expected: str) -> None:
    plan = read_plan(text, "OFFRAMP")
    assert plan.text == expected
    assert read_plan(expected, "OFFRAMP") == plan


@pytest.mark.parametrize(
    ("text", "message"),
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
        ("payout=return;payout=return", "payout is given twice"),
        ("deposit=late", "OFFRAMP has no step deposit; its steps are screening, quote, chain_send"),
        ("mint=reject", "OFFRAMP has no step mint"),
        ("payout=\u00e9\n", 'payout can\'t be "?"'),
        ("x" * 501, "at most 500 characters"),
    ],
)
def test_an_invalid_plan_names_its_fault(text: str, message: str) -> None:
    with pytest.raises(FieldInvalid) as refused:
        read_plan(text, "OFFRAMP")
    assert refused.value.field == "Landbridge-Sandbox"
    assert refused.value.message.startswith("Landbridge-Sandbox: ")
    assert message in refused.value.message


def test_a_step_that_a_kind_has_may_lack_an_outcome() -> None:
    with pytest.raises(FieldInvalid) as refused:
        read_plan("screening=review", "WALLET.SWAP")
    assert refused.value.message.endswith('screening can\'t be "review"; it can be reject')


def test_unknown_stored_outcomes_are_skipped() -> None:
    plan = parse_stored_plan("chain_send=lost;payout=gone:3d;telex=late")
    assert list(plan.outcomes) == [ScriptedStep.CHAIN_SEND]
    assert parse_stored_plan("payout=return:3d") == read_plan("payout=return:3d")


@given(st.text(max_size=600))
def test_any_text_is_parsed_or_rejected(text: str) -> None:
    try:
        plan = read_plan(text, "ONRAMP")
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
def test_a_formatted_plan_parses_to_itself(
    outcomes: list[ScriptedOutcome], delay: timedelta
) -> None:
    whole = timedelta(seconds=int(delay.total_seconds()))
    text = ";".join(
        f"{each.step}={each.name}:{format_delay(whole)}"
        if each.delay
        else f"{each.step}={each.name}"
        for each in outcomes
    )
    plan = read_plan(text, "ONRAMP")
    assert list(plan.outcomes) == [each for each in ScriptedStep if each in plan.outcomes]
    for each in outcomes:
        forced = plan.outcomes[each.step]
        assert forced.outcome == each
        assert forced.delay == (whole if each.delay else timedelta())
