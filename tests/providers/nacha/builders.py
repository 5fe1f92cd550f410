"""NACHA files to write and read: one fixed, others by hypothesis."""

import string
from dataclasses import replace
from datetime import date, datetime
from typing import Any

from hypothesis import strategies as st

from landbridge.providers.nacha.messages import (
    CENTS_MAX,
    NachaBatch,
    NachaEntry,
    NachaFile,
    NotificationOfChange,
    Return,
    SecCode,
)
from landbridge.providers.nacha.returns import CHANGES, RETURNS
from landbridge.providers.nacha.writing import capitals
from landbridge.providers.rails.calendar import NEW_YORK

OUR_BANK = "091000019"
THEIR_BANK = "021000021"
# Transaction code of a return, by the first digit of the entry's: checking or savings.
RETURN_CODES = {"2": "21", "3": "31"}


def build_correction(
    entry: NachaEntry, *, to_routing_number: str, trace_number: str, code: str, corrected: str
) -> NachaEntry:
    """Build the entry of a bank's correction; belongs in a batch of `SecCode.COR`."""
    return NachaEntry(
        transaction_code=RETURN_CODES[entry.transaction_code[0]],
        routing_number=to_routing_number,
        account_number=entry.account_number,
        cents=0,
        individual_id=entry.individual_id,
        name=entry.name,
        trace_number=trace_number,
        correction=NotificationOfChange(
            code, entry.trace_number, entry.routing_number[:8], corrected
        ),
    )


def make_entry(**overrides: Any) -> NachaEntry:
    """Build a payment of $125.50 to Ada Lovelace; `overrides` overrides fields."""
    entry = NachaEntry(
        transaction_code="22",
        routing_number=THEIR_BANK,
        account_number="123456789",
        cents=12_550,
        individual_id="0198F3C2A1B47D8",
        name="ADA LOVELACE",
        trace_number="091000010000001",
    )
    return replace(entry, **overrides)


def make_batch(*entries: NachaEntry, **overrides: Any) -> NachaBatch:
    """Build a batch of payments to individuals; `overrides` overrides fields."""
    batch = NachaBatch(
        company_name="LANDBRIDGE",
        company_id="1234567890",
        sec_code=SecCode.PPD,
        description="PAYOUT",
        effective_on=date(2026, 3, 6),
        odfi=OUR_BANK[:8],
        number=1,
        entries=entries or (make_entry(),),
    )
    return replace(batch, **overrides)


def make_file(*batches: NachaBatch, **overrides: Any) -> NachaFile:
    """Build a file for our bank; `overrides` overrides fields."""
    file = NachaFile(
        immediate_destination=OUR_BANK,
        immediate_origin="1234567890",
        destination_name="NORTHERN BANK",
        origin_name="LANDBRIDGE",
        created_at=datetime(2026, 3, 4, 14, 5, tzinfo=NEW_YORK),
        id_modifier="A",
        batches=batches or (make_batch(),),
    )
    return replace(file, **overrides)


def routing_number(first_eight: str) -> str:
    """Build a routing number with its check digit."""
    weighted = sum(
        int(digit) * weight for digit, weight in zip(first_eight, (3, 7, 1) * 3, strict=False)
    )
    return f"{first_eight}{-weighted % 10}"


_ASCII = string.ascii_uppercase + string.digits + " .,-&/'()"
_ROUTING = st.integers(0, 999_999).map(lambda each: routing_number(f"02{each:06d}"))
_DATES = st.dates(date(2000, 1, 1), date(2099, 12, 31))
_ACCOUNTS = st.text(string.ascii_uppercase + string.digits + "-", min_size=1, max_size=17)
_DIGITS_8 = st.text(string.digits, min_size=8, max_size=8)
_DIGITS_15 = st.text(string.digits, min_size=15, max_size=15)


def _texts(length_max: int, *, or_else: str = "") -> st.SearchStrategy[str]:
    """Texts as files contain them: `capitals` leaves them unchanged."""
    return st.text(_ASCII, max_size=length_max).map(lambda text: capitals(text) or or_else)


@st.composite
def _payments(draw: st.DrawFn) -> NachaEntry:
    is_prenote = draw(st.booleans())
    return make_entry(
        transaction_code=draw(st.sampled_from(["23", "33"] if is_prenote else ["22", "32"])),
        routing_number=draw(_ROUTING),
        account_number=draw(_ACCOUNTS),
        cents=0 if is_prenote else draw(st.integers(1, CENTS_MAX)),
        individual_id=draw(st.text(string.ascii_uppercase + string.digits, max_size=15)),
        name=draw(_texts(22, or_else="ADA")),
        addenda=tuple(draw(st.lists(_texts(80, or_else="A"), max_size=1))),
    )


@st.composite
def _returns(draw: st.DrawFn) -> NachaEntry:
    code = draw(st.sampled_from(sorted(RETURNS)))
    has_date = code in {"R14", "R15"} and draw(st.booleans())
    returned = Return(
        code=code,
        original_trace=draw(_DIGITS_15),
        original_rdfi=draw(_DIGITS_8),
        died_on=draw(_DATES) if has_date else None,
        information=draw(_texts(44)),
    )
    return make_entry(
        transaction_code=draw(st.sampled_from(["21", "26", "31", "36"])),
        routing_number=draw(_ROUTING),
        cents=draw(st.integers(0, CENTS_MAX)),
        returned=returned,
    )


@st.composite
def _corrections(draw: st.DrawFn) -> NachaEntry:
    correction = NotificationOfChange(
        code=draw(st.sampled_from(sorted(CHANGES))),
        original_trace=draw(_DIGITS_15),
        original_rdfi=draw(_DIGITS_8),
        corrected=draw(_texts(29)),
    )
    return make_entry(transaction_code="21", cents=0, correction=correction)


@st.composite
def _batches(draw: st.DrawFn, number: int) -> NachaBatch:
    kind = draw(st.sampled_from([_payments(), _returns(), _corrections()]))
    entries = draw(st.lists(kind, min_size=1, max_size=5))
    odfi = draw(_DIGITS_8)
    is_correction = entries[0].correction is not None
    codes = [SecCode.COR] if is_correction else [SecCode.PPD, SecCode.CCD]
    return make_batch(
        *(
            replace(each, trace_number=f"{odfi}{index:07d}")
            for index, each in enumerate(entries, start=1)
        ),
        company_name=draw(_texts(16)),
        company_id=draw(st.text(string.digits, min_size=1, max_size=10)),
        sec_code=draw(st.sampled_from(codes)),
        description=draw(_texts(10)),
        effective_on=draw(st.none() | _DATES),
        odfi=odfi,
        number=number,
    )


@st.composite
def files(draw: st.DrawFn) -> NachaFile:
    """Return any valid file."""
    count = draw(st.integers(1, 3))
    return make_file(
        *(draw(_batches(number)) for number in range(1, count + 1)),
        immediate_destination=draw(_ROUTING),
        immediate_origin=draw(st.text(string.digits, min_size=1, max_size=10)),
        destination_name=draw(_texts(23)),
        origin_name=draw(_texts(23)),
        # Noon exists exactly once on every day.
        created_at=datetime.combine(draw(_DATES), datetime.min.time(), NEW_YORK).replace(hour=12),
        id_modifier=draw(st.sampled_from(string.ascii_uppercase + string.digits)),
    )
