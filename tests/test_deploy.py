"""Files that start Landbridge elsewhere: image, compose, Helm chart, systemd unit.

A check whose tool is not installed is skipped, and says which one.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from landbridge import __version__
from landbridge.app.settings import PREFIX, Settings

ROOT = Path(__file__).parent.parent
CHART = ROOT / "deploy" / "chart"
UID = 10001
CHART_VALUES = {
    "image": "registry.example.com/landbridge:0.1.0",
    "mode": "production",
    "publicUrl": "https://pay.example.com",
    "secret": "landbridge",
    "files": "s3://bucket/landbridge",
    "settings": {"LANDBRIDGE_TRUSTED_PROXIES": "10.0.0.0/8"},
}


def tool(name: str) -> str:
    """Return the path of a program, or skip the test."""
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed.")
    return found


def run(*command: str, **environ: str) -> str:
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_dockerfile_has_no_finding() -> None:
    run(tool("hadolint"), "Dockerfile")


def test_image_runs_as_its_own_user_and_reports_its_health() -> None:
    text = (ROOT / "Dockerfile").read_text()
    last = text.rpartition("\nFROM ")[2]
    assert text.count("\nFROM ") == 2
    assert f"\nUSER {UID}:{UID}\n" in last
    assert "\nHEALTHCHECK " in last
    assert "/readyz" in last
    assert "--require-hashes -r requirements.lock" in text


def compose() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "compose.yaml").read_text())


def test_compose_has_no_default_values_and_no_secret_in_a_setting() -> None:
    text = (ROOT / "compose.yaml").read_text()
    assert re.findall(r"\$\{[A-Z_]+:\?[^}]+\}", text) == re.findall(r"\$\{[^}]*\}", text)
    assert "$(" not in text
    for service in compose()["services"].values():
        for name in service["environment"]:
            assert (
                name.endswith("_FILE")
                or not re.search("KEY|PASSWORD|URL$", name)
                or (name == f"{PREFIX}PUBLIC_URL")
            )


def test_compose_keeps_the_database_inside_and_the_services_locked() -> None:
    services = compose()["services"]
    assert set(services) == {"database", "migrate", "api", "worker"}
    assert "ports" not in services["database"]
    assert compose()["networks"]["database"] == {"internal": True}
    for name in ("migrate", "api", "worker"):
        assert services[name]["read_only"] is True
        assert services[name]["tmpfs"] == ["/tmp"]  # noqa: S108  the container's
        assert services[name]["cap_drop"] == ["ALL"]
    for name in ("api", "worker"):
        assert services[name]["depends_on"] == {
            "migrate": {"condition": "service_completed_successfully"}
        }
    declared = set(compose()["secrets"])
    assert declared == {each for service in services.values() for each in service["secrets"]}


@pytest.mark.parametrize("name", ["compose.yaml", "deploy/landbridge.service", "Dockerfile"])
def test_settings_that_are_named_exist(name: str) -> None:
    known = set(Settings.__struct_fields__)
    named = set(re.findall(rf"\b{PREFIX}([A-Z_]+)", (ROOT / name).read_text())) - {"IMAGE"}
    assert {each.removesuffix("_FILE").lower() for each in named} <= known


def test_secrets_are_random_and_never_replaced(tmp_path: Path) -> None:
    script = str(ROOT / "deploy" / "make-secrets")
    texts: list[str] = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        folder.mkdir()
        subprocess.run([script], cwd=folder, check=True, capture_output=True)
        assert (folder / "secrets").stat().st_mode & 0o777 == 0o700
        files = {each.name: each.read_text() for each in (folder / "secrets").iterdir()}
        assert set(files) == set(compose()["secrets"])
        assert files["database_password"] in files["database_url"]
        texts += [files["database_password"], files["master_key"]]
        again = subprocess.run([script], cwd=folder, check=False, capture_output=True)
        assert again.returncode == 1
        assert (folder / "secrets" / "master_key").read_text() == files["master_key"]
    assert len(set(texts)) == 4


@pytest.mark.skipif(sys.platform != "linux", reason="systemd is Linux's")
def test_systemd_unit_is_valid(tmp_path: Path) -> None:
    text = (ROOT / "deploy" / "landbridge.service").read_text()
    assert "RestartPreventExitStatus=3" in text
    # The program, which is not installed here.
    unit = tmp_path / "landbridge.service"
    unit.write_text(
        re.sub(r"^ExecStart=\S+", f"ExecStart={sys.executable}", text, flags=re.MULTILINE)
    )
    run(tool("systemd-analyze"), "verify", str(unit))


def test_chart_is_of_this_version() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert chart["version"] == chart["appVersion"] == __version__


def test_chart_makes_valid_and_locked_resources(tmp_path: Path) -> None:
    values = tmp_path / "values.yaml"
    values.write_text(json.dumps(CHART_VALUES))
    made = run(tool("helm"), "template", "pay", str(CHART), "--values", str(values))
    out = tmp_path / "made.yaml"
    out.write_text(made)
    run(tool("kubernetes-validate"), "--strict", str(out))
    kinds = [each["kind"] for each in yaml.safe_load_all(made)]
    assert sorted(kinds) == ["Deployment", "Deployment", "Job", "Service"]
    for each in yaml.safe_load_all(made):
        if each["kind"] != "Service":
            pod = each["spec"]["template"]["spec"]
            assert pod["securityContext"]["runAsUser"] == UID
            (container,) = pod["containers"]
            assert container["securityContext"]["readOnlyRootFilesystem"] is True
            names = {name["name"] for name in container["env"]}
            assert f"{PREFIX}MASTER_KEY" not in names
            fields = {name.removesuffix("_FILE").removeprefix(PREFIX).lower() for name in names}
            assert fields <= set(Settings.__struct_fields__)


def test_chart_says_what_is_missing(tmp_path: Path) -> None:
    helm = tool("helm")
    for name in ("image", "mode", "publicUrl", "secret", "files"):
        values = tmp_path / f"{name}.yaml"
        values.write_text(json.dumps({**CHART_VALUES, name: ""}))
        done = subprocess.run(
            [helm, "template", "pay", str(CHART), "--values", str(values)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode != 0
        assert f"Set `{name}`" in done.stderr


NEEDED = """
import boto3, phonenumbers, pycountry
from babel.dates import format_date
from datetime import date
from pathlib import Path
assert format_date(date(2026, 3, 1), "full", "es") == "domingo, 1 de marzo de 2026"
assert phonenumbers.is_valid_number(phonenumbers.parse("+13035550123"))
assert pycountry.subdivisions.get(code="US-CO").name == "Colorado"
for each in ("s3", "kms", "sts"):
    boto3.client(each, "eu-west-1", aws_access_key_id="a", aws_secret_access_key="b")
"""


@pytest.mark.long
def test_slim_environment_keeps_what_is_needed(tmp_path: Path) -> None:
    slim = tmp_path / "environment"
    # The script only removes files, so links are enough: the environment of the tests stays whole.
    run("cp", "-al", sys.prefix, str(slim))
    before = [each.stat().st_size for each in slim.rglob("*") if each.is_file()]
    run(str(ROOT / "deploy/slim-environment"), str(slim))
    after = [each.stat().st_size for each in slim.rglob("*") if each.is_file()]
    assert sum(before) - sum(after) > 110_000_000
    python = str(slim / "bin/python")
    run(python, "-c", NEEDED)
    demo = (python, "-m", "landbridge", "demo", "--data-dir", str(tmp_path / "demo"))
    played = run(*demo, PYTHONPATH=str(ROOT / "src")).splitlines()
    assert re.fullmatch(r"every record moved what its status implies +\d+ transfers +0", played[-1])
