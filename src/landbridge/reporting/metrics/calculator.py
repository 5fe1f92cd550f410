"""Calculates a template: reads facts, filters and sums them, adds empty rows, sorts, and limits.

Source: contract, reporting 4. Rows are generated from the newest down to the limit. Earlier periods
are not read; for a template of running totals they are read by years. Results of up to ten thousand
rows are computed in a thread.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice
from math import prod
from typing import Any
from uuid import UUID

from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid, FieldsInvalid
from landbridge.platform.core.pagination import BEGINNING
from landbridge.platform.http.caller import Caller
from landbridge.reporting.date_params import TIME_ZONE, check_zone, start_of_day
from landbridge.reporting.metrics.contract_templates import USER
from landbridge.reporting.metrics.custom.service import CustomTemplates
from landbridge.reporting.metrics.model import (
    MetricFact,
    MetricQuery,
    MetricResult,
    MetricSources,
    MetricTemplate,
    Values,
)
from landbridge.reporting.metrics.params import (
    BREAKDOWNS,
    ROWS_MAX,
    MetricParams,
    parse_params,
    zone_name,
)
from landbridge.reporting.metrics.periods import periods, starts_at
from landbridge.reporting.metrics.result_rows import ResultRows, row_values
from landbridge.reporting.metrics.user_options import user_count
from landbridge.reporting.rollups.model import UTC_ZONE, Interval, Span


@dataclass(frozen=True, slots=True)
class Calculator:
    """Calculates metrics as of now."""

    sources: MetricSources
    clock: Clock
    templates: CustomTemplates

    async def parse(
        self, caller: Caller, template: str | MetricTemplate, params: Mapping[str, Any]
    ) -> MetricQuery:
        """Parse the parameters of a request.

        Raises the errors of `calculate`, except for too many rows of a dimension if its size is
        only known from the facts.
        """
        found = await self.find(caller.org_id, template)
        query = await self._parse(caller, found, params)
        newest = _periods(query.span)
        _check_rows(query, newest, await self._sizes(caller.org_id, found, query))
        return query

    async def calculate(
        self, caller: Caller, template: str | MetricTemplate, params: Mapping[str, Any]
    ) -> MetricResult:
        """Return the result for the parameters of a request; the template need not be saved.

        Raises `FieldsInvalid`, which names each invalid parameter (and `template`), and
        `ResourceConflict` while the roll-ups of a new time zone are being built.
        """
        found = await self.find(caller.org_id, template)
        query = await self._parse(caller, found, params)
        effective = replace(query, filters={**found.defaults, **query.filters})
        newest = _periods(effective.span)
        sizes = await self._sizes(caller.org_id, found, query)
        _check_rows(effective, newest, sizes)
        effective = await self._with_users(caller.org_id, found, effective)
        kept_periods = _periods_within_limit(found, effective, newest)
        facts = await self._facts(found, effective, caller.org_id, kept_periods[-1])

        def result() -> MetricResult:
            result_rows = ResultRows(found, effective)
            result_rows.add(facts)
            for name in effective.breakdowns:
                sizes.setdefault(name, len(result_rows.values_found.get(name, ())))
            projected = _check_rows(effective, newest, sizes)
            rows, filled = result_rows.rows(kept_periods)
            return MetricResult(
                template=found,
                query=query,
                rows=rows,
                filled=filled,
                projected=projected,
                dimension_counts={name: sizes[name] for name in effective.breakdowns} or None,
                sizes=sizes,
                has_more=len(newest) * len(result_rows.combinations()) > effective.limit,
            )

        return await asyncio.to_thread(result)

    async def totals(
        self, caller: Caller, template: str | MetricTemplate, params: Mapping[str, Any]
    ) -> Values:
        """Return the values of the whole range, without breakdowns.

        A rate or a percentile is that of all records in the range; a running total is that at its
        end. Raises the errors of `calculate`.
        """
        found = await self.find(caller.org_id, template)
        query = await self._parse(caller, found, params)
        # Read yearly sums, the fewest possible, because they are added up anyway.
        span = replace(query.span, interval=Interval.YEAR)
        filters = {**found.defaults, **query.filters}
        effective = replace(query, span=span, breakdowns=(), filters=filters)
        first = _periods(span)[0 if found.is_running else -1]
        facts = await self._facts(found, effective, caller.org_id, first)

        def total() -> Values:
            result_rows = ResultRows(found, effective)
            result_rows.add(facts)
            return found.values(result_rows.total())

        return await asyncio.to_thread(total)

    async def find(self, org_id: UUID, template: str | MetricTemplate) -> MetricTemplate:
        """Return the template with this name, or the given one; raises `FieldsInvalid`."""
        if isinstance(template, MetricTemplate):
            return template
        return await self.templates.template(org_id, template)

    async def _parse(
        self, caller: Caller, template: MetricTemplate, params: Mapping[str, Any]
    ) -> MetricQuery:
        reader = MetricParams(params)
        zone_given: str | None = reader.take(TIME_ZONE, zone_name, None)
        try:
            zone = await check_zone(self.sources.rollups, caller.org_id, zone_given)
        except FieldInvalid as error:
            # Continue, so that all invalid parameters are reported at once.
            reader.problems[TIME_ZONE] = error.message
            zone = UTC_ZONE
        now = self.clock.now(caller.clock_offset)
        return parse_params(reader, template, zone=zone, now=now)

    async def _sizes(
        self, org_id: UUID, template: MetricTemplate, query: MetricQuery
    ) -> dict[str, int]:
        """Return the number of values of each dimension whose size is known without the facts."""
        sizes: dict[str, int] = {}
        offered = {*template.breakdowns, *(each.name for each in template.filters)}
        for each in template.dimensions:
            if each.name not in offered:
                continue
            if each.options is not None:
                sizes[each.name] = len(each.options)
            elif each.name in query.filters:
                sizes[each.name] = len(query.filters[each.name])
            elif each.name == USER.name:
                sizes[each.name] = await user_count(self.sources, org_id)
        return sizes

    async def _with_users(
        self, org_id: UUID, template: MetricTemplate, query: MetricQuery
    ) -> MetricQuery:
        """Limit a breakdown by user to users with facts, so that the number of rows is known."""
        if USER.name not in query.breakdowns or USER.name in query.filters:
            return query
        if template.read_users is None:
            return query
        users = await template.read_users(self.sources, org_id, query)
        if users is None:
            return query
        return replace(query, filters={**query.filters, USER.name: tuple(map(str, users))})

    async def _facts(
        self, template: MetricTemplate, query: MetricQuery, org_id: UUID, first_period: date
    ) -> Sequence[MetricFact]:
        """Return the facts of the rows, from the first period with rows on.

        The running total before the first period is read last. So if a fact in the periods has an
        earlier cause, such as a credit before a debit, one of the two reads contains the cause.
        """
        span = query.span
        first = start_of_day(BEGINNING.date(), span.zone)
        # Rows of running totals cover whole periods, even if the span starts within one.
        whole = start_of_day(first_period, span.zone)
        after = max(first, whole if template.is_running else starts_at(first_period, span))
        spans = [replace(span, after=after)]
        if template.is_running:
            spans.append(Span(first, min(after, span.before), span.zone, Interval.YEAR))
        facts: list[MetricFact] = []
        for each in spans:
            if each.after < each.before:
                facts += await template.read(self.sources, org_id, replace(query, span=each))
        return facts


def _periods(span: Span) -> Sequence[date]:
    """Return the newest periods, up to one more than the maximum number of rows."""
    return list(islice(periods(span), ROWS_MAX + 1))


def _check_rows(query: MetricQuery, newest: Sequence[date], sizes: Mapping[str, int]) -> int | None:
    """Return the number of rows for all breakdown values; None without breakdowns.

    Raises `FieldsInvalid` if there are too many. A dimension of unknown size counts as one value.
    """
    if not query.breakdowns:
        return None
    projected = len(newest) * prod(sizes.get(name, 1) for name in query.breakdowns)
    if projected > ROWS_MAX:
        more = " or more" if len(newest) > ROWS_MAX else ""
        raise FieldsInvalid(
            {
                BREAKDOWNS: f"breakdowns would make {projected:,} rows{more}, of at most "
                f"{ROWS_MAX:,}: choose a shorter range, longer intervals or fewer breakdowns"
            }
        )
    return projected


def _periods_within_limit(
    template: MetricTemplate, query: MetricQuery, newest: Sequence[date]
) -> Sequence[date]:
    """Return the newest periods with rows that fit the limit; all if the sizes are not known."""
    by_name = {each.name: each for each in template.dimensions}
    rows = 1
    for name in query.breakdowns:
        values = row_values(by_name[name], query)
        if not values:
            return newest
        rows *= len(values)
    return newest[: -(-query.limit // rows)]
