"""Problems of a template as its form shows them: the input, its label and a sentence."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from landbridge.dashboard.reports.names import FILTER_LABELS
from landbridge.dashboard.reports.template_form import input_of
from landbridge.platform.core.errors import FieldInvalid, FieldsInvalid, Refused
from landbridge.platform.formats.refusal_texts import refusal_text
from landbridge.platform.formats.translations import catalogue
from landbridge.platform.formats.translations import later as _

_LABELS: Final[Mapping[str, str]] = {
    **FILTER_LABELS,
    "function": _("Calculation"),
    "of": _("Quantity"),
    "digits": _("Decimals"),
    "rounding": _("Rounding"),
    "ifZero": _("If the second number is zero"),
    "left": _("First number"),
    "right": _("Second number"),
    "breakdowns": _("Reports can be grouped by"),
    "intervals": _("Intervals"),
    "params": _("Reports can be filtered by"),
    "minimum": _("At least (USD)"),
    "maximum": _("At most (USD)"),
    "amountUsd": _("Amount in USD"),
    "name": _("Identifier for the API"),
    "displayName": _("Name"),
    "description": _("Description"),
    "createdAfter": _("Start date"),
    "createdBefore": _("End date"),
}
_SIDES = ("left", "right")


class InputProblem(NamedTuple):
    """Problem of one input of the form."""

    input: str
    label: str
    sentence: str


def problems_of(problem: Refused | None, language: str) -> Sequence[InputProblem]:
    """Return the problems of a refused definition; none for any other refusal."""
    return [
        InputProblem(
            input_of(path),
            _label(path, language),
            refusal_text(sentence.removeprefix(path).strip(), language),
        )
        for path, sentence in _sentences(problem).items()
    ]


def _sentences(problem: Refused | None) -> Mapping[str, str]:
    if isinstance(problem, FieldsInvalid):
        return problem.fields
    # A value of a wrong type; its message is for programs.
    is_typed = isinstance(problem, FieldInvalid) and problem.field is not None
    return {str(problem.field): _("is not valid")} if problem is not None and is_typed else {}


def _label(path: str, language: str) -> str:
    *parents, last = path.partition("[")[0].split(".")
    names = [*(each for each in parents if each in _SIDES), last]
    return " · ".join(catalogue(language).gettext(_LABELS.get(each, each)) for each in names)
