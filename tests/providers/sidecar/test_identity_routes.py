"""Routes of verification: who verifies whom, and what stays where when the file changes."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest
from msgspec import structs

from landbridge.app.container.provider_services import read_providers
from landbridge.app.settings import SettingsInvalid
from landbridge.platform.core.clock import Clock, ReadingClock
from landbridge.platform.core.errors import Unavailable
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database
from landbridge.platform.db.sealing import Sealer, new_key
from landbridge.platform.encryption.service import Vault
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.identity.manual import ManualIdentity
from landbridge.providers.identity.port import Applicant, HostedVerification, Identity
from landbridge.providers.rails.none import NoRails
from landbridge.providers.sidecar.client import SidecarClient
from landbridge.providers.sidecar.configuration import (
    IdentityRoute,
    ProvidersFile,
    ProvidersFileError,
    read_providers_file,
)
from landbridge.providers.sidecar.identity import ProviderIdentity
from tests.platform.http.listeners import listening
from tests.providers.identity.contract import IdentityContract, applicant, submitted
from tests.providers.sidecar.identity_sidecar import ScriptedVerifier, identity_file
from tests.providers.sidecar.kit import answering, settings_of
from tests.tenants import SETTINGS, Tenant


class OfOrganisation(ProviderIdentity):
    """The same for applicants of one organisation, which is stored."""

    __slots__ = ()

    async def create(self, applicant: Applicant) -> str:
        (org_id,) = self.routes.identity[0].organisations or frozenset()
        return await super().create(replace(applicant, org_id=org_id))


@pytest.fixture
async def provider_identity(org: Tenant, database: Database) -> AsyncGenerator[OfOrganisation]:
    sidecar = ScriptedVerifier()
    async with listening(answering(sidecar.answer)) as found:
        clock = Clock(await take_node(database))
        client = SidecarClient(settings_of(found.port), clock)
        route = IdentityRoute(
            provider="acme", rails=frozenset({"USD"}), organisations=frozenset({org.org_id})
        )
        yield OfOrganisation(
            database=database,
            clock=clock,
            routes=ProvidersFile(sidecars={}, routes=(), identity=(route,)),
            providers={"acme": client},
            others=ManualIdentity(),
        )
        await client.close()


class TestProvider(IdentityContract):
    """A connected provider fulfils the contract of the port."""

    @pytest.fixture
    def identity(self, provider_identity: OfOrganisation) -> Identity:
        return provider_identity


async def test_what_no_route_names_stays_with_the_settings(
    provider_identity: OfOrganisation, org: Tenant
) -> None:
    assert not provider_identity.is_synchronous(org.org_id, "USD")
    assert provider_identity.is_synchronous(org.org_id, "SOUTH_AMERICA_STANDARD")
    assert provider_identity.is_synchronous(new_id(), "USD")
    euros = replace(applicant(), rail="SOUTH_AMERICA_STANDARD")
    assert (await provider_identity.create(euros)).startswith("manual:")
    assert await provider_identity.open_link("manual:1") is None


async def test_an_application_stays_with_its_provider(
    provider_identity: OfOrganisation, org: Tenant
) -> None:
    person = applicant()
    reference = await submitted(provider_identity, person)
    route = IdentityRoute(provider="other", rails=None, organisations=frozenset({org.org_id}))
    changed = replace(
        provider_identity, routes=ProvidersFile(sidecars={}, routes=(), identity=(route,))
    )
    assert await changed.create(person) == reference
    removed = replace(changed, providers={})
    with pytest.raises(Unavailable, match="the providers file has no provider acme"):
        await removed.create(person)


async def test_a_link_leads_to_the_page_of_the_provider(
    provider_identity: OfOrganisation,
) -> None:
    link = await provider_identity.open_link(await provider_identity.create(applicant()))
    assert isinstance(link, HostedVerification)
    assert link.url.startswith("https://verify.example.com/")
    assert link.expires_in_s == 600
    assert "example.com" not in repr(link)


async def test_a_share_token_reaches_the_provider_and_no_repr(org: Tenant) -> None:
    person = replace(applicant(), share_token="token-marker", org_id=org.org_id)
    assert "token-marker" not in repr(person)
    sidecar = ScriptedVerifier()
    async with listening(answering(sidecar.answer)) as found:
        client = SidecarClient(settings_of(found.port), ReadingClock())
        await client.create_application(person, new_id())
        await client.close()
    assert sidecar.messages("/v1/applications")[0]["shareToken"] == "token-marker"


def test_the_first_route_that_matches_counts(tmp_path: Path) -> None:
    org_id = new_id()
    more = """
[[identity]]
provider = "acme"
rails = ["SOUTH_AMERICA_STANDARD"]
"""
    path = identity_file(
        tmp_path, 9000, "acme", route=f'rails = ["USD"]\norganisations = ["{org_id}"]\n{more}'
    )
    file = read_providers_file(path)
    assert file.identity_provider(org_id, "USD") == "acme"
    assert file.identity_provider(UUID(int=1), "USD") is None
    assert file.identity_provider(UUID(int=1), "SOUTH_AMERICA_STANDARD") == "acme"
    assert file.verbs_of("acme") == {
        "create_application",
        "attach_document",
        "submit_application",
        "find_application",
    }


@pytest.mark.parametrize(
    ("route", "sentence"),
    [
        ("rails = []", "identity"),
        ('currencies = ["usd"]', "unknown field `currencies`"),
        ('organisations = ["x"]', "Invalid UUID"),
        (
            '[[identity]]\nprovider = "x"',
            r"identity\[1\].provider names x, which providers has not",
        ),
        ('[[identity]]\nrails = ["USD"]', "missing required field `provider`"),
    ],
)
def test_a_wrong_route_is_a_sentence(tmp_path: Path, route: str, sentence: str) -> None:
    with pytest.raises(ProvidersFileError, match=sentence):
        read_providers_file(identity_file(tmp_path, 9000, "acme", route=route))


def test_a_provider_of_verifications_answers_within_a_step(tmp_path: Path) -> None:
    path = identity_file(tmp_path, 9000, "acme")
    path.write_text(path.read_text().replace("timeout_s = 5", "timeout_s = 16"))
    with pytest.raises(
        ProvidersFileError, match=r"identity\[0\].provider names acme, whose timeout_s must be"
    ):
        read_providers_file(path)


async def test_an_unknown_rail_is_refused_at_the_start(database: Database, tmp_path: Path) -> None:
    path = identity_file(tmp_path, 9000, "acme", route='rails = ["ach"]')
    settings = structs.replace(SETTINGS, providers_file=str(path))
    with pytest.raises(SettingsInvalid, match=r"identity\[0\].rails has ach; there are USD"):
        read_providers(settings, Vault(Sealer(new_key())), database, ReadingClock(), NoRails())
