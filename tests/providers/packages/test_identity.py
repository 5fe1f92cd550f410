"""Verification of users through a package: the template, and one that fails."""

import asyncio
import hmac
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec import structs

from landbridge.app.container import wire
from landbridge.customers.verification.model import KycStatus
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Rejected
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.packages.discovery import ProviderPackageFailed
from landbridge.providers.sidecar.identity_protocol import DOCUMENT_BYTES_MAX, ApplicationState
from tests.people import make_person
from tests.providers.identity.contract import applicant, document
from tests.providers.packages.kit import (
    WEBHOOK_SECRET,
    install_module,
    install_template,
    package_client,
    write_file,
)
from tests.providers.sidecar.identity_sidecar import (
    ScriptedVerifier,
    VerifiedBySidecar,
)
from tests.tenants import SETTINGS, make_tenant, served

_PATIENCE_S = 60
ROUTE = '\n[[identity]]\nprovider = "acme"\n'
# Reads a webhook only; its other verbs are those of the protocol's class.
WITHOUT_IDENTITY = """
class Adapter(ProviderPackage):
    def __init__(self, settings): pass
    async def describe(self): return SidecarDescription(name="a", protocol=1)
    async def pay(self, request): raise NotDone
    async def find_payout(self, query): return None
"""
FAILING = """
class Adapter(MadeUpBank):
    async def create_application(self, request):
        raise ValueError(f"no {request.facts}")
"""
REFUSING = """
class Adapter(MadeUpBank):
    async def submit_application(self, request):
        raise ApplicationRefused(ApplicationRefusalCode.DATA_INVALID)
"""


@asynccontextmanager
async def verified_by_package(
    database: Database, folder: Path
) -> AsyncGenerator[VerifiedBySidecar]:
    """Yield an organisation whose users the installed package verifies."""
    path = write_file(folder, is_test=False, more=ROUTE)
    settings = structs.replace(SETTINGS, providers_file=str(path))
    container = wire(settings, database, Clock(await take_node(database)))
    assert container.providers is not None
    try:
        await container.providers.start()
        async with served(container) as client:
            org = await make_tenant(container, client)
            yield VerifiedBySidecar(org, ScriptedVerifier(), "acme")
    finally:
        await container.providers.close()


async def test_the_template_verifies_a_person(
    own_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_template(tmp_path, monkeypatch)
    async with verified_by_package(own_database, tmp_path) as verified:
        user = await make_person(verified.org)
        await verified.submit(user)
        (row,) = await own_database.rows("select key from provider_applications")
        link = await verified.org.post(f"/v2/users/{user}/kyc/provider-links", {"rails": "USD"})
        assert link["url"].startswith("https://bank.example.com/verify/")
        body = json.dumps({"type": "review", "key": str(row["key"])}).encode()
        signature = hmac.digest(WEBHOOK_SECRET.encode(), body, "sha256").hex()
        answer = await verified.org.client.post(
            "/providers/acme/webhooks", content=body, headers={"X-Bank-Signature": signature}
        )
        assert answer.status_code == 204
        # The template decides by real time.
        async with asyncio.timeout(_PATIENCE_S):
            while await verified.status(user) is KycStatus.PENDING:
                await verified.work(timedelta(hours=1))
        assert await verified.status(user) is KycStatus.ACTIVE


async def test_an_exception_is_no_answer_and_is_not_logged(
    own_database: Database,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    install_module(tmp_path, monkeypatch, FAILING)
    async with verified_by_package(own_database, tmp_path) as verified:
        user = await make_person(verified.org, last_name="Person-Marker")
        await verified.submit(user)
        assert await verified.status(user) is KycStatus.CREATED
        assert await verified.problems() == ["ANSWER_INVALID"]
    captured = capfd.readouterr()
    assert "provider.package_error" in captured.out + captured.err
    assert "Person-Marker" not in captured.out + captured.err


async def test_a_large_document_reaches_the_package(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_template(tmp_path, monkeypatch)

    async def read() -> bytes:
        return bytes(DOCUMENT_BYTES_MAX)

    async with package_client(write_file(tmp_path), database) as client:
        key = new_id()
        await client.create_application(applicant(), key)
        found = await client.attach_document(key, replace(document(), read=read))
        assert found.state is ApplicationState.CREATED

        async def read_more() -> bytes:
            return bytes(DOCUMENT_BYTES_MAX + 1)

        with pytest.raises(Rejected, match="larger than providers take"):
            await client.attach_document(key, replace(document(), read=read_more))


async def test_a_refusal_leads_to_support(
    own_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_module(tmp_path, monkeypatch, REFUSING)
    async with verified_by_package(own_database, tmp_path) as verified:
        user = await make_person(verified.org)
        await verified.submit(user)
        assert await verified.status(user) is KycStatus.CONTACT_SUPPORT


async def test_a_route_to_a_package_that_verifies_nobody_stops_the_start(
    own_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_module(tmp_path, monkeypatch, WITHOUT_IDENTITY)
    with pytest.raises(
        ProviderPackageFailed,
        match="routes lead to it, but its package does not serve attach_document",
    ):
        async with verified_by_package(own_database, tmp_path):
            pass
