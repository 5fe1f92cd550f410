"""Metric saved by an organisation. Source: contract, reporting 1."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

# Kind of changes in the change log, for which no event is sent.
KIND = "REPORT.METRIC"

NAME_LENGTH_MAX = 100
# Limits on number and total parameters (2 MB are 50,000 user ids), as one response lists them all.
METRICS_MAX = 1_000
PARAMS_BYTES_MAX = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedMetric:
    """Named template with parameters.

    `params` are validated parameters in the form of the request. Names are not unique. `version`
    counts changes, including the creation.
    """

    org_id: UUID
    id: UUID
    template: str
    name: str
    params: Mapping[str, Any]
    version: int
    created_at: datetime
    updated_at: datetime
