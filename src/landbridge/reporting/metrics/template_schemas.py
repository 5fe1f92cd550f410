"""Wire form of templates.

Source: spec.md (Metric template list response), contract, reporting 2, 3.

The members of spec.md come first. `template`, `supportedParams` and `rules` follow, as other
published samples of this interface print them, for clients written against those.
"""

from datetime import date
from typing import Any

import msgspec

from landbridge.platform.http.responses import WireStruct
from landbridge.reporting.date_params import TIME_ZONE
from landbridge.reporting.metrics.contract_templates import USER
from landbridge.reporting.metrics.custom.definition import TemplateDefinition
from landbridge.reporting.metrics.custom.model import CustomTemplate
from landbridge.reporting.metrics.custom.summary import summary
from landbridge.reporting.metrics.model import Dimension, MetricTemplate
from landbridge.reporting.metrics.params import (
    AFTER,
    BEFORE,
    BREAKDOWNS,
    BREAKDOWNS_MAX,
    INTERVAL,
    LIMIT,
    ROWS_MAX,
    VALUES_MAX,
)
from landbridge.reporting.metrics.templates import TEMPLATES

_OPTIONS = "/v2/reporting/params/{param}/options"


class ParamReply(WireStruct, frozen=True):
    """Parameter of a template: `options` are the allowed values, `constraints` the bounds.

    `optionsEndpoint` lists the values page by page where they are too many for `options`.
    """

    name: str
    type: str
    required: bool
    description: str
    options: list[str]
    constraints: dict[str, Any]
    multiple: bool
    options_endpoint: str | msgspec.UnsetType = msgspec.UNSET


class TemplateReply(WireStruct, frozen=True):
    """Metric template.

    One of the organisation's own has a `version`, and where it is retrieved alone its `definition`
    and a `summary` of it in words.
    """

    name: str
    display_name: str
    description: str
    params: list[ParamReply]
    supports_breakdowns: bool
    breakdown_options: list[str]
    template: str
    supported_params: list[ParamReply]
    rules: list[str]
    version: int | msgspec.UnsetType = msgspec.UNSET
    definition: TemplateDefinition | msgspec.UnsetType = msgspec.UNSET
    summary: str | msgspec.UnsetType = msgspec.UNSET


def template_replies(today: date) -> list[TemplateReply]:
    """Return every template; `today` is the latest date allowed."""
    return [template_reply(each, today) for each in TEMPLATES.values()]


def template_reply(template: MetricTemplate, today: date) -> TemplateReply:
    """Return the wire form of a template; `today` is the latest date allowed."""
    names = list(template.breakdowns)
    params = [
        *_period(today, template),
        *(_filter(each) for each in template.filters),
        *([_breakdowns(names)] if names else []),
        _limit(),
        _zone(),
    ]
    return TemplateReply(
        name=template.name,
        display_name=template.display_name,
        description=template.description,
        params=params,
        supports_breakdowns=bool(names),
        breakdown_options=names,
        template=template.name,
        supported_params=params,
        rules=["createdBefore must be later than createdAfter"],
        version=msgspec.UNSET if template.version is None else template.version,
    )


def custom_template_reply(template: CustomTemplate, today: date) -> TemplateReply:
    """Return the wire form of an organisation's own template, with its definition."""
    reply = template_reply(template.compiled(), today)
    return msgspec.structs.replace(
        reply, definition=template.definition, summary=summary(template.definition)
    )


def param_reply(
    name: str,
    type_: str,
    description: str,
    *,
    required: bool = False,
    multiple: bool = False,
    options: list[str] | None = None,
    constraints: dict[str, Any] | None = None,
    options_endpoint: str | msgspec.UnsetType = msgspec.UNSET,
) -> ParamReply:
    """Return a parameter of a template."""
    return ParamReply(
        name=name,
        type=type_,
        required=required,
        description=description,
        options=options or [],
        constraints=constraints or {},
        multiple=multiple,
        options_endpoint=options_endpoint,
    )


def _period(today: date, template: MetricTemplate) -> list[ParamReply]:
    latest = {"maxDate": today.isoformat()}
    what = "a date" if template.is_by_day else "a date or an ISO 8601 time"
    return [
        param_reply(
            AFTER,
            "date",
            f"Start of the period, inclusive: {what}.",
            required=True,
            constraints=latest,
        ),
        param_reply(
            BEFORE,
            "date",
            f"End of the period, exclusive: {what}.",
            required=True,
            constraints=latest,
        ),
        param_reply(
            INTERVAL,
            "enum",
            "Length of the intervals that the period is divided into; weeks begin on Mondays.",
            required=True,
            options=list(template.intervals),
        ),
    ]


def _filter(dimension: Dimension) -> ParamReply:
    if dimension.options is not None:
        return param_reply(
            dimension.param,
            "enum",
            dimension.description,
            multiple=True,
            options=list(dimension.options),
        )
    has_page = dimension.name == USER.name
    endpoint = _OPTIONS.format(param=dimension.param) if has_page else msgspec.UNSET
    return param_reply(
        dimension.param,
        "array",
        dimension.description,
        multiple=True,
        constraints={"maxCount": VALUES_MAX},
        options_endpoint=endpoint,
    )


def _breakdowns(options: list[str]) -> ParamReply:
    return param_reply(
        BREAKDOWNS,
        "enum",
        "One row per value of these dimensions in each interval.",
        multiple=True,
        options=options,
        constraints={"maxCount": BREAKDOWNS_MAX},
    )


def _limit() -> ParamReply:
    return param_reply(
        LIMIT,
        "integer",
        "At most this many rows, the newest; 500 if left out.",
        constraints={"min": 1, "max": ROWS_MAX},
    )


def _zone() -> ParamReply:
    return param_reply(
        TIME_ZONE,
        "string",
        "Whose days are meant: UTC, or the organisation's own zone; UTC if left out.",
    )
