"""Adapter of Sumsub against its simulation."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from landbridge.platform.core.ids import new_id
from landbridge.providers.packages.interface import (
    ApplicationAnswer,
    ApplicationDocumentRequest,
    ApplicationKey,
    ApplicationRequest,
    PackageSettings,
)
from landbridge_sumsub import SumsubIdentity
from tests.adapters.served import install_adapter, serving
from tests.adapters.sumsub.simulation import (
    KEY,
    SANDBOX_TOKEN,
    TOKEN,
    WEBHOOK_SECRET,
    SimulatedSumsub,
)

LEVEL, BUSINESS_LEVEL = "basic-kyc level", "basic-kyb"
FACTS = {"firstName": "Ada", "lastName": "Person-Marker", "dateOfBirth": "1990-01-31"}
COMPANY = {
    "businessName": "Example Ltd",
    "incorporationCountry": "GBR",
    "registrationNumber": "12345678",
}


@dataclass
class SumsubWorld:
    """The simulation, and copies of the adapter that use it."""

    sumsub: SimulatedSumsub
    url: str
    copies: list[SumsubIdentity] = field(default_factory=list[SumsubIdentity])

    def adapter(self, secrets: Mapping[str, str] | None = None, **options: Any) -> SumsubIdentity:
        """Return another copy of the adapter."""
        settings = package_settings(self.url, secrets, **options)
        copy = SumsubIdentity(settings)  # pyright: ignore[reportAbstractUsage]  it pays nobody
        self.copies.append(copy)
        return copy

    def sandbox(self, **options: Any) -> SumsubIdentity:
        """Return a copy in Sandbox mode."""
        return self.adapter({"app_token": SANDBOX_TOKEN}, sandbox=True, **options)


def package_settings(
    url: str, secrets: Mapping[str, str] | None = None, **options: Any
) -> PackageSettings:
    """Return settings that are valid, with levels for persons and businesses of one rail."""
    return PackageSettings(
        name="sumsub",
        options={
            "base_url": url,
            "levels": {"USD": {"individual": LEVEL, "business": BUSINESS_LEVEL}},
            "cross_check": True,
            "on_hold": "wait",
            "timeout_s": 10,
            **options,
        },
        secrets={
            "app_token": TOKEN,
            "secret_key": KEY,
            "webhook_secret": WEBHOOK_SECRET,
            **(secrets or {}),
        },
    )


@asynccontextmanager
async def sumsub_world() -> AsyncGenerator[SumsubWorld]:
    """Yield a simulation that is served."""
    sumsub = SimulatedSumsub()
    async with serving(sumsub.app()) as url:
        world = SumsubWorld(sumsub, url)
        yield world
        for copy in world.copies:
            await copy.close()


def application(key: UUID | None = None, **changes: Any) -> ApplicationRequest:
    """Return an application of a person."""
    values: dict[str, Any] = {
        "is_business": False,
        "rail": "USD",
        "facts": dict(FACTS),
        "last_name": "Person-Marker",
        **changes,
    }
    return ApplicationRequest(key=key or new_id(), org_id=new_id(), **values)


def document(key: UUID) -> ApplicationDocumentRequest:
    """Return a passport for an application."""
    return ApplicationDocumentRequest(
        key=key,
        document_id=new_id(),
        type="PASSPORT",
        sub_type="SINGLE_SIDE",
        issued_country="GBR",
        number="P0000000",
        file=b"%PDF-1.4",
    )


async def submitted(adapter: SumsubIdentity, request: ApplicationRequest | None = None) -> UUID:
    """Create and submit an application; return its key."""
    made = request or application()
    await adapter.create_application(made)
    await adapter.submit_application(ApplicationKey(key=made.key))
    return made.key


async def found_by(adapter: SumsubIdentity, key: UUID) -> ApplicationAnswer:
    """Return the state of an application that exists."""
    found = await adapter.find_application(ApplicationKey(key=key))
    assert found is not None
    return found


def write_sumsub_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch, url: str, *, is_sandbox: bool
) -> Path:
    """Install the adapter, and write a providers file with it for the verification of users."""
    install_adapter(folder, monkeypatch, "sumsub", "landbridge_sumsub:SumsubIdentity")
    (folder / "app_token").write_text(SANDBOX_TOKEN if is_sandbox else TOKEN)
    (folder / "secret_key").write_text(KEY)
    (folder / "webhook_secret").write_text(WEBHOOK_SECRET)
    path = folder / "providers.toml"
    path.write_text(
        f"""
[providers.sumsub]
package = "sumsub"
timeout_s = 10

[providers.sumsub.secret_files]
app_token = "app_token"
secret_key = "secret_key"
webhook_secret = "webhook_secret"

[providers.sumsub.options]
base_url = "{url}"
levels.USD = {{ individual = "{LEVEL}", business = "{BUSINESS_LEVEL}" }}
cross_check = true
on_hold = "wait"
share_tokens = true
sandbox = {str(is_sandbox).lower()}

[[identity]]
provider = "sumsub"
rails = ["USD"]
"""
    )
    return path
