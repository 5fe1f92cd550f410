"""Keys of an order that must arrive: each attempt has its own."""

from dataclasses import replace
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from landbridge.ledger.model import created_record
from landbridge.payments.engine.retry_until_settled import (
    REFUSALS_MAX,
    RetryExhausted,
    first_sent_at,
    mark_sent,
    record_refusal,
    retry_key,
    start_round,
)
from tests.payments.reached_states import AT
from tests.payments.record_factories import bridge_creation

NAME = "return"


@given(st.lists(st.sampled_from(["refused", "redirected"]), max_size=30))
def test_no_attempt_uses_the_key_of_another(events: list[str]) -> None:
    record = created_record(bridge_creation())
    keys = [retry_key(record, NAME)]
    for event in events:
        if event == "refused":
            facts = record_refusal(record, RetryExhausted(NAME, "no reason"))
            record = replace(record, facts={**record.facts, **facts})
        else:
            facts = {**record.facts, **start_round(record, NAME)}
            record = replace(record, facts=facts, version=record.version + 1)
        keys.append(retry_key(record, NAME))
    assert len(set(keys)) == len(keys)
    assert retry_key(record, "other") not in keys


@given(st.integers(0, 3 * REFUSALS_MAX), st.integers(1, 3 * REFUSALS_MAX))
def test_person_is_needed_after_some_refusals_of_one_round(before: int, count: int) -> None:
    facts = {f"{NAME}_attempts": before, f"{NAME}_attempts_before": before}
    record = replace(created_record(bridge_creation()), facts=facts)
    pauses: list[timedelta] = []
    for attempt in range(1, count + 1):
        refusal = RetryExhausted(NAME, "no reason")
        facts = record_refusal(record, refusal)
        assert facts[f"{NAME}_attempts"] == before + attempt
        assert (len(facts) > 2) == (attempt >= REFUSALS_MAX)
        record = replace(record, facts={**record.facts, **facts})
        pauses.append(refusal.pause)
    assert pauses == sorted(pauses)


def test_first_sending_is_known_only_for_the_present_key() -> None:
    record = created_record(bridge_creation())
    assert first_sent_at(record, NAME) is None
    sent = replace(record, facts=mark_sent(record, NAME, AT))
    assert first_sent_at(sent, NAME) == AT
    refused = record_refusal(sent, RetryExhausted(NAME, "no reason"))
    assert first_sent_at(replace(sent, facts={**sent.facts, **refused}), NAME) is None
    assert first_sent_at(replace(sent, version=sent.version + 1), NAME) is None
