"""Metric saved by an organisation. Source: contract, reporting 1."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

# Change kind in the log. No event has this name, so none is sent.
KIND = "REPORT.METRIC"

NAME_LENGTH_MAX = 100
# All metrics are listed in one response, so its size is bounded: 2 MB hold 50,000 user ids.
METRICS_MAX = 1_000
PARAMS_BYTES_MAX = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedMetric:
    """Named template with parameters.

    `params` are the valid ones, as given on the wire. Names are not unique. `version` counts
    changes, creation included.
    """

    org_id: UUID
    id: UUID
    template: str
    name: str
    params: Mapping[str, Any]
    version: int
    created_at: datetime
    updated_at: datetime
