"""Strategies for definitions, and the comparison of their results with brute force."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from landbridge.platform.core.errors import FieldsInvalid
from landbridge.platform.http.caller import Caller
from landbridge.reporting.metrics.calculator import Calculator
from landbridge.reporting.metrics.custom.definition import TemplateDefinition, TemplateSubject
from landbridge.reporting.metrics.custom.dimensions import DIMENSIONS
from landbridge.reporting.metrics.custom.preview import preview_template
from landbridge.reporting.metrics.model import MetricResult, MetricTemplate

Values = Mapping[str, Sequence[str]]
Case = tuple[dict[str, Any], dict[str, Any]]
Expected = Callable[[dict[str, Any], dict[str, Any], MetricResult], Mapping[tuple[str, ...], Any]]

INTERVALS = ("day", "week", "month", "quarter", "year")
# The values that filters are chosen from.
TRANSACTION_VALUES: Values = {
    "transactionTypes": ["onramp", "offramp", "transfer", "swap", "bridge"],
    "transactionStatuses": ["COMPLETED", "FAILED", "CRYPTO_RETURNED", "EXPIRED", "OPEN_QUOTE"],
    "outcomes": ["completed", "failed", "unfinished"],
    "currencies": ["usdc", "usdt", "usd", "mxn"],
    "destinationCurrencies": ["usdc", "usdt", "usd", "mxn"],
    "chains": ["POLYGON", "ETHEREUM"],
    "countries": ["USA", "MEX", "HKG", "OTHER", "none"],
    "rails": ["wire", "ach", "none"],
    "userTypes": ["individual", "business"],
    "initiatedBy": ["key", "member", "system"],
    "feePayers": ["sender", "recipient", "none"],
}
_AMOUNTS = frozenset({"sum", "average", "minimum", "maximum"})
_ALL = ["count", "distinctUsers", "successShare", "failureShare", "median", "p95", *_AMOUNTS]
_TIMED = ["count", "successShare", "failureShare", "median", "p95"]
_FUNCTIONS: Mapping[str, Sequence[str]] = {
    "transactions": sorted(_ALL),
    "users": ["count"],
    "approvals": _TIMED,
    "deliveries": _TIMED,
    "balances": ["sum"],
}
_QUANTITIES: Mapping[str, Sequence[str]] = {
    "transactions": ("amountUsd", "amount", "feesUsd", "fees"),
    "balances": ("amountUsd", "amount"),
}


def names_of(subject: str) -> Mapping[str, str]:
    """Return the dimensions of a subject by their parameters."""
    return {each.param: each.name for each in DIMENSIONS[TemplateSubject(subject)]}


@st.composite
def filters(draw: st.DrawFn, subject: str, values: Values) -> dict[str, Any]:
    """Generate filters of up to three members."""
    names = draw(st.lists(st.sampled_from(sorted(values)), unique=True, max_size=3))
    found: dict[str, Any] = {
        name: draw(st.lists(st.sampled_from(values[name]), unique=True, min_size=1))
        for name in names
    }
    if subject == "transactions" and draw(st.integers(0, 4)) == 0:
        found["amountUsd"] = {"minimum": draw(st.sampled_from(["0.02", "3.33", "7"]))}
        if draw(st.booleans()):
            found["amountUsd"]["maximum"] = draw(st.sampled_from(["7.00", "10", "50000"]))
    return found


@st.composite
def numbers(draw: st.DrawFn, subject: str, values: Values) -> dict[str, Any]:
    """Generate one number of a measure."""
    function = draw(st.sampled_from(_FUNCTIONS[subject]))
    found: dict[str, Any] = {"function": function}
    if function in _AMOUNTS:
        found["of"] = draw(st.sampled_from(_QUANTITIES[subject]))
    if function == "average":
        found |= draw(roundings())
    if draw(st.booleans()):
        found["filters"] = draw(filters(subject, values))
    return found


@st.composite
def roundings(draw: st.DrawFn) -> dict[str, Any]:
    """Generate digits and a rounding."""
    modes = st.sampled_from(["halfUp", "halfEven", "down", "up"])
    return {"digits": draw(st.integers(0, 8)), "rounding": draw(modes)}


@st.composite
def definitions(draw: st.DrawFn, subject: str, values: Values) -> dict[str, Any]:
    """Generate a definition; some contradict themselves."""
    measure = draw(numbers(subject, values))
    kind = draw(st.sampled_from(["one", "one", "ratio", "difference"]))
    if kind != "one":
        measure = {"function": kind, "left": measure, "right": draw(numbers(subject, values))}
    if kind == "ratio":
        measure |= {"ifZero": draw(st.sampled_from(["null", "zero"])), **draw(roundings())}
    names = names_of(subject)
    return {
        "subject": subject,
        "measure": measure,
        "filters": draw(filters(subject, values)),
        "breakdowns": list(names.values()),
        "params": list(names),
    }


def generate(
    subject: str, values: Values, params: Mapping[str, Any], *, max_examples: int
) -> list[Case]:
    """Return definitions and parameters: an interval, breakdowns, and at times a filter."""
    names = names_of(subject)
    cases: list[Case] = []

    @settings(
        max_examples=max_examples,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        database=None,
    )
    @given(
        definitions(subject, values),
        st.sampled_from(INTERVALS),
        st.lists(st.sampled_from(sorted(names.values())), unique=True, max_size=2),
        st.sampled_from([None, *sorted(values)]),
        st.data(),
    )
    def collect(
        definition: dict[str, Any],
        interval: str,
        breakdowns: list[str],
        filtered: str | None,
        data: st.DataObject,
    ) -> None:
        more: dict[str, Any] = {}
        if filtered is not None:
            options = set(values[filtered]) & set(
                definition["filters"].get(filtered) or values[filtered]
            )
            if options:
                more[filtered] = [data.draw(st.sampled_from(sorted(options)))]
        cases.append(
            (
                definition,
                {**params, "calculationInterval": interval, "breakdowns": breakdowns, **more},
            )
        )

    collect()
    return cases


async def compare(
    calculator: Calculator, caller: Caller, cases: Sequence[Case], expected: Expected, *, least: int
) -> None:
    """Check every row of every case; at least `least` cases are calculated, others refused."""
    calculated, refused = 0, set[str]()
    for definition, params in cases:
        try:
            template = preview_template(None, msgspec.convert(definition, TemplateDefinition))
            assert isinstance(template, MetricTemplate)
            result = await calculator.calculate(caller, template, params)
        except FieldsInvalid as error:
            refused |= error.fields.keys()
            continue
        calculated += 1
        rows = expected(definition, params, result)
        values = {
            (row.period.isoformat(), *row.dims.values()): row.values["value"] for row in result.rows
        }
        assert rows.keys() <= values.keys(), (definition, params)
        empty = template.values({})["value"]
        for key, value in values.items():
            right = rows.get(key, empty)
            same = value == right if value is None or right is None else Fraction(value) == right
            assert same, (definition, params, key, value, right)
            assert not isinstance(value, float)
    assert all(name.startswith(("definition.", "breakdowns")) for name in refused), refused
    assert calculated >= least
