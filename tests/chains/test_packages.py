"""Packages are checked before they are unpacked; what is missing is said in one sentence."""

from pathlib import Path

import pytest
from chains.packages import (
    OPENZEPPELIN,
    SOLC,
    MissingRequirement,
    anvil_package,
    check_integrity,
    fetch,
    find_program,
)


def test_package_in_the_cache_needs_no_npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / SOLC.folder).mkdir()
    assert fetch(SOLC, tmp_path) == tmp_path / SOLC.folder


def test_missing_npm_is_said_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingRequirement) as caught:
        fetch(SOLC, tmp_path)
    assert str(caught.value) == "npm not found: install Node.js and npm to download solc."
    with pytest.raises(MissingRequirement, match=r"^node not found"):
        find_program("node", purpose="compile the contracts")


def test_failed_download_is_said_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write_npm(tmp_path, "echo no such host >&2; exit 1")
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(MissingRequirement) as caught:
        fetch(SOLC, tmp_path / "cache")
    assert str(caught.value) == "npm could not download solc@0.8.37: no such host."


def test_tarball_with_another_digest_is_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write_npm(tmp_path, "echo content > solc-0.8.37.tgz")
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(MissingRequirement, match="has not the pinned SHA-512"):
        fetch(SOLC, tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_digest_of_the_whole_tarball_is_compared(tmp_path: Path) -> None:
    tarball = tmp_path / "package.tgz"
    tarball.write_bytes(b"")
    with pytest.raises(MissingRequirement):
        check_integrity(OPENZEPPELIN, tarball)


@pytest.mark.parametrize(
    ("system", "processor", "suffix"),
    [
        ("Linux", "x86_64", "linux-amd64"),
        ("Linux", "aarch64", "linux-arm64"),
        ("Darwin", "arm64", "darwin-arm64"),
        ("Darwin", "x86_64", "darwin-amd64"),
    ],
)
def test_each_supported_machine_has_a_binary(system: str, processor: str, suffix: str) -> None:
    assert anvil_package(system, processor).name.endswith(suffix)


def test_unsupported_machine_is_named() -> None:
    with pytest.raises(MissingRequirement, match="No anvil binary for Linux on riscv64"):
        anvil_package("Linux", "riscv64")


def _write_npm(folder: Path, commands: str) -> None:
    npm = folder / "npm"
    npm.write_text(f"#!/bin/sh\n{commands}\n", encoding="utf-8")
    npm.chmod(0o755)
