"""A metric that an organisation has saved. Source: contract, reporting 1."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

# What the log calls them. No event has this name: nobody outside is told.
KIND = "REPORT.METRIC"

NAME_LENGTH_MAX = 100
# All are listed in one answer, so that there is a bound to its size: far beyond what people look
# through, and 2 MB are 50,000 ids of users.
METRICS_MAX = 1_000
PARAMS_BYTES_MAX = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedMetric:
    """A template under a name, and the parameters that it is calculated with.

    `params` are those that were understood, as they came over the wire. Names are not unique.
    `version` is how often it was changed, its making included.
    """

    org_id: UUID
    id: UUID
    template: str
    name: str
    params: Mapping[str, Any]
    version: int
    created_at: datetime
    updated_at: datetime
