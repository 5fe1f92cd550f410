"""Settings of the Sumsub adapter: each mistake has a sentence, and no sentence has a secret."""

from typing import Any

import pytest

from landbridge.providers.packages.interface import PackageSettings, PackageSettingsInvalid
from landbridge_sumsub import SumsubIdentity
from landbridge_sumsub.settings import read_settings
from tests.adapters.sumsub.kit import package_settings
from tests.adapters.sumsub.simulation import KEY, SANDBOX_TOKEN, TOKEN, WEBHOOK_SECRET

URL = "https://api.sumsub.com"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"levels": {}}, "at `$.levels`"),
        ({"levels": {"USD": {}}}, "levels.USD has neither individual nor business"),
        ({"levels": {"USD": {"person": "a"}}}, "unknown field `person`"),
        ({"levels": {"USD": {"individual": ""}}}, "at `$.levels[...].individual`"),
        ({"levels": {"USD": {"individual": "a\nb"}}}, "at `$.levels[...].individual`"),
        ({"cross_check": "yes"}, "at `$.cross_check`"),
        ({"on_hold": "approve"}, "at `$.on_hold`"),
        ({"share_tokens": 1}, "at `$.share_tokens`"),
        ({"link_ttl_s": 59}, "at `$.link_ttl_s`"),
        ({"link_ttl_s": 604_801}, "at `$.link_ttl_s`"),
        ({"timeout_s": 0}, "at `$.timeout_s`"),
        ({"surprise": 1}, "unknown field `surprise`"),
        ({"sandbox": True}, "sandbox = true goes with an app token of Sandbox mode only"),
        ({"base_url": "http://example.com"}, "must begin with https://"),
    ],
)
def test_each_mistake_has_a_sentence(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(PackageSettingsInvalid) as invalid:
        SumsubIdentity(package_settings(URL, **options))  # pyright: ignore[reportAbstractUsage]
    assert sentence in str(invalid.value)
    assert KEY not in str(invalid.value)


@pytest.mark.parametrize(
    ("secrets", "sentence"),
    [
        ({"app_token": "a secret"}, "app_token must have 8 to 200 characters"),
        ({"secret_key": "short"}, "secret_key must have 8 to 200 characters"),
        ({"webhook_secret": ""}, "webhook_secret must have 8 to 200 characters"),
        ({"another": "a secret"}, "names that are not known: another"),
        # Approvals of Sandbox mode would count as real ones.
        (
            {"app_token": SANDBOX_TOKEN},
            "sandbox = true goes with an app token of Sandbox mode only",
        ),
    ],
)
def test_no_sentence_has_a_secret(secrets: dict[str, str], sentence: str) -> None:
    with pytest.raises(PackageSettingsInvalid) as invalid:
        read_settings(package_settings(URL, secrets))
    assert sentence in str(invalid.value)
    assert not any(secret and secret in str(invalid.value) for secret in secrets.values())


@pytest.mark.parametrize("missing", ["app_token", "secret_key"])
def test_both_secrets_that_sign_are_needed(missing: str) -> None:
    valid = package_settings(URL)
    secrets = {name: value for name, value in valid.secrets.items() if name != missing}
    with pytest.raises(PackageSettingsInvalid, match="must have app_token and secret_key"):
        read_settings(PackageSettings(name="sumsub", options=valid.options, secrets=secrets))


@pytest.mark.parametrize("missing", ["base_url", "levels", "cross_check", "on_hold"])
def test_what_the_documentation_leaves_open_must_be_set(missing: str) -> None:
    valid = package_settings(URL)
    options = {name: value for name, value in valid.options.items() if name != missing}
    with pytest.raises(PackageSettingsInvalid, match=missing):
        read_settings(PackageSettings(name="sumsub", options=options, secrets=valid.secrets))


def test_secrets_are_in_no_text_of_the_settings() -> None:
    text = repr(read_settings(package_settings(URL)))
    assert not any(secret in text for secret in (TOKEN, KEY, WEBHOOK_SECRET))


async def test_it_says_that_it_was_never_run_live() -> None:
    for secrets, is_sandbox in (({}, False), ({"app_token": SANDBOX_TOKEN}, True)):
        adapter = SumsubIdentity(  # pyright: ignore[reportAbstractUsage]  it pays nobody
            package_settings(URL, secrets, sandbox=is_sandbox)
        )
        described = await adapter.describe()
        assert described.never_run_live
        assert bool(described.identity_outcomes) is is_sandbox
        assert described.test_outcomes == ()
