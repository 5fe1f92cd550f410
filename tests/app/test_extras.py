"""Extras: without the library of one, its feature is refused in a sentence; the rest works."""

import subprocess
import sys
import tomllib
from importlib.metadata import files, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from landbridge.app.settings import Settings, SettingsInvalid, check
from landbridge.payments.bank_files.funding_account import SftpSettings
from landbridge.payments.bank_files.transports.connect import open_transport
from landbridge.platform.core.errors import FieldInvalid, Unavailable
from landbridge.platform.core.extras import Extra, missing
from landbridge.platform.db.sealing import new_key
from landbridge.platform.encryption.key_wrapping import (
    AwsKms,
    KeyServiceFailed,
    KeyWrapping,
    VaultTransit,
)
from landbridge.platform.files.inspection import inspect
from landbridge.platform.files.model import MimeType
from tests.platform.files.sample_files import encoded
from tests.reporting.exports.downloads import download
from tests.reporting.statements.ledger_entries import ask
from tests.sources import ROOT
from tests.tenants import Tenant, make_user

LIBRARIES = {
    Extra.HEIC: "pillow_heif",
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
        name: [each.partition(">")[0].replace("-", "_") for each in needed]
        for name, needed in project["optional-dependencies"].items()
    }
    assert libraries == {str(extra): [library] for extra, library in LIBRARIES.items()}
    assert not [each for each in Extra if missing(each)]
    needed = [each for each in requires("landbridge") or [] if "extra ==" not in each]
    base = {each.partition(">")[0].replace("-", "_") for each in needed}
    assert not base & set(LIBRARIES.values())


def test_plain_installation_has_less_than_300_mib_of_files() -> None:
    needed, known = ["landbridge"], set[str]()
    while needed:
        name = canonicalize_name(needed.pop())
        if name not in known:
            known.add(name)
            wanted = [Requirement(each) for each in requires(name) or []]
            needed += [
                each.name
                for each in wanted
                if not each.marker or each.marker.evaluate({"extra": ""})
            ]
    paths = [Path(str(each.locate())) for name in known for each in files(name) or []]
    paths += [each for each in (ROOT / "src").rglob("*") if each.is_file()]
    total = sum(each.stat().st_size for each in paths if "__pycache__" not in each.parts)
    assert len(known) > 50
    assert 200 * 2**20 < total < 300 * 2**20


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


def test_a_heic_without_its_extra_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    content = encoded("HEIF")
    assert inspect(content, name="id.heic", declared=None) is MimeType.HEIC
    how = hide(monkeypatch, Extra.HEIC)
    with pytest.raises(FieldInvalid) as refused:
        inspect(content, name="id.heic", declared=None)
    assert str(refused.value) == f"file is a HEIC image, which {how}"
    png = encoded("PNG")
    assert inspect(png, name="id.png", declared=None) is MimeType.PNG


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
