"""Every metric template by name: those of the contract first, then Landbridge's own."""

from collections.abc import Mapping

from landbridge.reporting.metrics.builtin import OURS
from landbridge.reporting.metrics.contract_templates import CONTRACT_TEMPLATES
from landbridge.reporting.metrics.model import Dimension, MetricTemplate

TEMPLATES: Mapping[str, MetricTemplate] = {each.name: each for each in (*CONTRACT_TEMPLATES, *OURS)}


def _filters() -> dict[str, Dimension]:
    found: dict[str, Dimension] = {}
    for template in TEMPLATES.values():
        for each in template.dimensions:
            found.setdefault(each.param, each)
    return found


# Filters of all templates by parameter name; if several templates have one, that of the first.
FILTERS: Mapping[str, Dimension] = _filters()
