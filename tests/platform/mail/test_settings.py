"""Mail settings, and their effect on an installation."""

import msgspec
import pytest

from landbridge.app.container import mail
from landbridge.app.settings import Settings, SettingsInvalid, read
from landbridge.platform.mail.sandbox import SandboxMail
from landbridge.platform.mail.smtp import Smtp
from landbridge.platform.orgs.model import Mode

URL = "smtp://user:hunter2hunter2@mail.example.com"
BOTH = {"LANDBRIDGE_SMTP_URL": URL, "LANDBRIDGE_MAIL_FROM": "Example <mail@example.com>"}


@pytest.mark.parametrize(
    "change",
    [
        {"LANDBRIDGE_SMTP_URL": None},
        {"LANDBRIDGE_MAIL_FROM": None},
        {"LANDBRIDGE_SMTP_URL": "http://user:hunter2hunter2@mail.example.com"},
        {"LANDBRIDGE_SMTP_URL": "smtp+plain://user:hunter2hunter2@mail.example.com"},
        {"LANDBRIDGE_MAIL_FROM": "hunter2hunter2"},
    ],
)
def test_invalid_setting_is_named_without_its_value(change: dict[str, str | None]) -> None:
    settings = {name: value for name, value in {**BOTH, **change}.items() if value is not None}
    with pytest.raises(SettingsInvalid) as raised:
        read(settings)
    assert any(name in str(raised.value) for name in BOTH)
    assert "hunter2" not in str(raised.value)


def test_only_production_sends_and_only_with_a_server() -> None:
    sandbox = read(BOTH)
    production = msgspec.structs.replace(sandbox, mode=Mode.PRODUCTION)
    assert isinstance(mail(sandbox), SandboxMail)
    assert isinstance(mail(Settings()), SandboxMail)
    assert isinstance(mail(production), Smtp)
    assert mail(Settings(mode=Mode.PRODUCTION)) is None
