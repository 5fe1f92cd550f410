"""Extras: without the library of one, its feature is refused in a sentence; the rest works."""

import subprocess
import sys
import tomllib
from importlib.metadata import requires

import pytest

from landbridge.app.settings import Settings, SettingsInvalid, check
from landbridge.payments.bank_files.funding_account import SftpSettings
from landbridge.payments.bank_files.transports.connect import open_transport
from landbridge.platform.core.errors import Unavailable
from landbridge.platform.core.extras import Extra, missing
from landbridge.platform.db.sealing import new_key
from landbridge.platform.encryption.key_wrapping import (
    AwsKms,
    KeyServiceFailed,
    KeyWrapping,
    VaultTransit,
)
from tests.reporting.exports.downloads import download
from tests.reporting.statements.ledger_entries import ask
from tests.sources import ROOT
from tests.tenants import Tenant, make_user

LIBRARIES = {
    Extra.PARQUET: "pyarrow",
    Extra.PDF: "reportlab",
    Extra.S3: "boto3",
    Extra.SFTP: "asyncssh",
    Extra.SOLANA: "solders",
    Extra.VAULT: "hvac",
}
SFTP = SftpSettings(host="bank.example", user="us", host_key="ssh-ed25519 AAAA")


def hide(monkeypatch: pytest.MonkeyPatch, extra: Extra) -> str:
    """Make the library of an extra look absent, as Python defines it; return how to install it."""
    monkeypatch.setitem(sys.modules, LIBRARIES[extra], None)
    return (
        f'needs {LIBRARIES[extra]}, which is not installed; run: pip install "landbridge[{extra}]"'
    )


def test_extras_are_those_of_the_package_and_complete_here() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    libraries = {
        name: [each.partition(">")[0] for each in needed]
        for name, needed in project["optional-dependencies"].items()
    }
    assert libraries == {str(extra): [library] for extra, library in LIBRARIES.items()}
    assert not [each for each in Extra if missing(each)]
    needed = [each for each in requires("landbridge") or [] if "extra ==" not in each]
    assert not [each for each in needed if each.partition(">")[0] in LIBRARIES.values()]


def test_every_process_starts_without_any_extra() -> None:
    code = (
        "import sys\n"
        f"for each in {sorted(LIBRARIES.values())} + ['botocore']: sys.modules[each] = None\n"
        "from landbridge.app import api, cli, processes, serve, worker\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr


async def test_parquet_without_its_extra_is_refused(
    org: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    how = hide(monkeypatch, Extra.PARQUET)
    for content in ("results", "transactions"):
        answer = await download(org, "GROSS_VOLUME", format="parquet", content=content)
        assert answer.status_code == 400, answer.text
        assert f"parquet {how.partition(';')[0]}" in answer.text
        csv = await download(org, "GROSS_VOLUME", format="csv", content=content)
        assert csv.status_code == 200, csv.text


async def test_pdf_without_its_extra_is_refused(
    org: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    how = hide(monkeypatch, Extra.PDF)
    user = await make_user(org)
    answer = await ask(org, user, format="pdf")
    assert answer.status_code == 400, answer.text
    assert f"pdf {how.partition(';')[0]}" in answer.text
    assert (await ask(org, user, format="csv")).status_code == 200


def test_a_bucket_without_its_extra_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    how = hide(monkeypatch, Extra.S3)
    with pytest.raises(SettingsInvalid) as refused:
        check(Settings(files="s3://bucket"))
    assert str(refused.value) == f"LANDBRIDGE_FILES {how}."


@pytest.mark.parametrize(
    ("extra", "service", "name"),
    [
        (Extra.S3, AwsKms("alias/landbridge"), "AWS KMS"),
        (Extra.VAULT, VaultTransit("transit", "landbridge"), "Vault"),
    ],
)
def test_a_key_service_without_its_extra_is_refused(
    monkeypatch: pytest.MonkeyPatch, extra: Extra, service: KeyWrapping, name: str
) -> None:
    how = hide(monkeypatch, extra)
    with pytest.raises(KeyServiceFailed) as refused:
        service.wrap(new_key())
    assert str(refused.value) == f"{name} {how}"


def test_sftp_without_its_extra_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    how = hide(monkeypatch, Extra.SFTP)
    with pytest.raises(Unavailable) as refused:
        open_transport(SFTP)
    assert str(refused.value) == f"SFTP {how}"
