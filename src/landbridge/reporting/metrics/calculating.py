"""Calculates a template: reads, filters, adds up, fills with zeros, orders, limits.

Source: contract, reporting 4. Rows are made from the newest down and no further than the limit;
what lies before is not even read, or by years if a template runs on from the beginning.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice
from math import prod
from typing import Any
from uuid import UUID

from landbridge.core.clock import Clock
from landbridge.core.errors import FieldInvalid, FieldsInvalid
from landbridge.core.pages import BEGINNING
from landbridge.reporting.metrics.contract_templates import USER
from landbridge.reporting.metrics.model import Question, Result, Sources, Template
from landbridge.reporting.metrics.params import BREAKDOWNS, ROWS_MAX, Asked, understand, zone_name
from landbridge.reporting.metrics.periods import periods, starts_at
from landbridge.reporting.metrics.sheet import Sheet, row_values
from landbridge.reporting.metrics.templates import TEMPLATES
from landbridge.reporting.metrics.user_options import user_count
from landbridge.reporting.moments import TIME_ZONE, check_zone, start_of_day
from landbridge.reporting.rollups.model import UTC_ZONE, Interval, Span
from landbridge.web.caller import Caller


@dataclass(frozen=True, slots=True)
class Calculator:
    """Answers what was asked of a template, as of now."""

    sources: Sources
    clock: Clock

    async def ask(self, caller: Caller, template: str, params: Mapping[str, Any]) -> Question:
        """The question that these parameters are, `params` as they came over the wire.

        Raises as `calculate`, but for rows of a dimension whose size only the facts tell.
        """
        found = find_template(template)
        told = await self._ask(caller, found, params)
        wanted = list(islice(periods(told.span), ROWS_MAX + 1))
        _check_rows(told, wanted, await self._sizes(caller.org_id, found, told))
        return told

    async def calculate(self, caller: Caller, template: str, params: Mapping[str, Any]) -> Result:
        """The result; `params` as they came over the wire.

        Raises `FieldsInvalid`, which names each parameter at fault (and `template`), and
        `ResourceConflict` while the roll-ups of a new time zone are being made.
        """
        found = find_template(template)
        told = await self._ask(caller, found, params)
        question = replace(told, filters={**found.defaults, **told.filters})
        # One more than there can be rows says as much as all of them.
        wanted = list(islice(periods(question.span), ROWS_MAX + 1))
        sizes = await self._sizes(caller.org_id, found, told)
        _check_rows(question, wanted, sizes)
        kept = _kept(found, question, wanted)
        sheet = Sheet(found, question)
        await self._fill(sheet, caller.org_id, kept)
        for name in question.breakdowns:
            sizes.setdefault(name, len(sheet.seen.get(name, ())))
        projected = _check_rows(question, wanted, sizes)
        rows, filled = sheet.rows(kept)
        return Result(
            template=found,
            question=told,
            rows=rows,
            filled=filled,
            projected=projected,
            dimension_counts={name: sizes[name] for name in question.breakdowns} or None,
            sizes=sizes,
            has_more=len(wanted) * len(sheet.combinations()) > question.limit,
        )

    async def _ask(self, caller: Caller, template: Template, params: Mapping[str, Any]) -> Question:
        asked = Asked(params)
        told: str | None = asked.take(TIME_ZONE, zone_name, None)
        try:
            zone = await check_zone(self.sources.rollups, caller.org_id, told)
        except FieldInvalid as error:
            # The rest is read on, so that all that is wrong is said at once.
            asked.problems[TIME_ZONE] = error.message
            zone = UTC_ZONE
        now = self.clock.now(caller.clock_offset)
        return understand(asked, template, zone=zone, now=now)

    async def _sizes(self, org_id: UUID, template: Template, question: Question) -> dict[str, int]:
        """How many values each dimension has, of those that can be known without the facts."""
        sizes: dict[str, int] = {}
        for each in template.dimensions:
            if each.options is not None:
                sizes[each.name] = len(each.options)
            elif each.name in question.filters:
                sizes[each.name] = len(question.filters[each.name])
            elif each.name == USER.name:
                sizes[each.name] = await user_count(self.sources, org_id)
        return sizes

    async def _fill(self, sheet: Sheet, org_id: UUID, kept: Sequence[date]) -> None:
        """Read what the rows are made of, from the first period that is kept.

        What a running template had by then is read last: whatever led to a fact of the periods was
        there before it, and so is in one of the two.
        """
        template, span = sheet.template, sheet.question.span
        first = start_of_day(BEGINNING.date(), span.zone)
        # Running rows are of whole periods, wherever the span begins.
        whole = start_of_day(kept[-1], span.zone)
        after = max(first, whole if template.is_running else starts_at(kept[-1], span))
        spans = [replace(span, after=after)]
        if template.is_running:
            spans.append(Span(first, min(after, span.before), span.zone, Interval.YEAR))
        for each in spans:
            if each.after < each.before:
                question = replace(sheet.question, span=each)
                sheet.add(await template.read(self.sources, org_id, question))


def find_template(name: str) -> Template:
    """The template of this name; raises `FieldsInvalid`."""
    found = TEMPLATES.get(name)
    if found is None:
        raise FieldsInvalid({"template": f"template must be one of {', '.join(TEMPLATES)}"})
    return found


def _check_rows(question: Question, wanted: Sequence[date], sizes: Mapping[str, int]) -> int | None:
    """How many rows there would be for all values of the breakdowns; None without breakdowns.

    Raises `FieldsInvalid` if these are too many. A dimension whose size is not known counts as one.
    """
    if not question.breakdowns:
        return None
    projected = len(wanted) * prod(sizes.get(name, 1) for name in question.breakdowns)
    if projected > ROWS_MAX:
        more = " or more" if len(wanted) > ROWS_MAX else ""
        raise FieldsInvalid(
            {
                BREAKDOWNS: f"breakdowns would make {projected:,} rows{more}, of at most "
                f"{ROWS_MAX:,}: ask for a shorter range, longer intervals or fewer breakdowns"
            }
        )
    return projected


def _kept(template: Template, question: Question, wanted: Sequence[date]) -> Sequence[date]:
    """The newest periods, as many as have rows within the limit; all if that can't be known."""
    by_name = {each.name: each for each in template.dimensions}
    rows = 1
    for name in question.breakdowns:
        values = row_values(by_name[name], question)
        if not values:
            return wanted
        rows *= len(values)
    return wanted[: -(-question.limit // rows)]
