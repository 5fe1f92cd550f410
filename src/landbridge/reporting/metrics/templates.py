"""Every metric template, by name: those of the contract first, then ours."""

from collections.abc import Mapping

from landbridge.reporting.metrics.contract_templates import CONTRACT_TEMPLATES
from landbridge.reporting.metrics.model import Dimension, Template
from landbridge.reporting.metrics.ours import OURS

TEMPLATES: Mapping[str, Template] = {each.name: each for each in (*CONTRACT_TEMPLATES, *OURS)}


def _filters() -> dict[str, Dimension]:
    found: dict[str, Dimension] = {}
    for template in TEMPLATES.values():
        for each in template.dimensions:
            found.setdefault(each.param, each)
    return found


# Every filter that some template has, by parameter. Where several have one of the same name, this
# is that of the first.
FILTERS: Mapping[str, Dimension] = _filters()
