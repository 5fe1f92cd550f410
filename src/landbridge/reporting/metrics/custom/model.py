"""Stored form of a template that an organisation has defined."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid5

from landbridge.reporting.metrics.custom.compile import compile_template
from landbridge.reporting.metrics.custom.definition import TemplateDefinition
from landbridge.reporting.metrics.model import MetricTemplate

# Kind of changes in the change log, for which no event is sent.
KIND = "REPORT.TEMPLATE"
_DIGITS_MAX = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomTemplate:
    """Version of a template; its name is unique in the organisation and no built-in one."""

    org_id: UUID
    name: str
    version: int
    display_name: str
    description: str
    definition: TemplateDefinition
    created_at: datetime

    @property
    def log_id(self) -> UUID:
        """Return the id of the template in the change log, derived because it only has a name."""
        return uuid5(self.org_id, self.name)

    def compiled(self) -> MetricTemplate:
        """Return the template that the calculator uses."""
        return compile_template(
            self.definition,
            name=self.name,
            version=self.version,
            display_name=self.display_name,
            description=self.description,
        )


def split_reference(reference: str) -> tuple[str, int | None]:
    """Split `NAME@2` into name and version; the version is None for the newest one."""
    name, at, version = reference.partition("@")
    if not at:
        return name, None
    is_number = version.isascii() and version.isdigit() and 1 <= len(version) <= _DIGITS_MAX
    return name, int(version) if is_number else 0


def at_version(reference: str, version: int | None) -> str:
    """Return the reference with this version; unchanged if `version` is None."""
    name, _ = split_reference(reference)
    return reference if version is None else f"{name}@{version}"
