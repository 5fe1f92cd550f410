"""Secrets in the settings that others can guess: refused in production."""

import pytest

from landbridge.app.settings import SettingsInvalid, read
from tests.app.processes.test_cli import MASTER_KEY


@pytest.mark.parametrize(
    ("name", "value", "word"),
    [
        ("LANDBRIDGE_API_KEY", "a-key-of-my-own-choice-1234", "API_KEY is that of our examples"),
        ("LANDBRIDGE_API_KEY", "a" * 24, "API_KEY repeats a few characters"),
        ("LANDBRIDGE_TRP_PROXY_SECRET", "ab" * 12, "TRP_PROXY_SECRET repeats a few characters"),
    ],
)
def test_secrets_that_others_can_guess_are_refused_in_production(
    name: str, value: str, word: str
) -> None:
    key = {"LANDBRIDGE_MASTER_KEY": MASTER_KEY, name: value}
    read(key)
    with pytest.raises(SettingsInvalid, match=word) as refused:
        read({"LANDBRIDGE_MODE": "production", **key})
    assert value not in str(refused.value)
