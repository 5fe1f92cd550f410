"""Damage to an archive: each is named, offline and before another month is written."""

import json
import shutil
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from landbridge.platform.core.errors import LandbridgeError
from landbridge.reporting.archive.model import ArchiveInvalid, MonthFolder
from landbridge.reporting.archive.verification import verify_months
from tests.reporting.archive.months import archived, folder_of, pass_month, pay
from tests.reporting.proofs import proof_books as books
from tests.tenants import Tenant, run_due

_ARROW: Any = pa
_PARQUET: Any = pq
Rows = list[dict[str, Any]]


def _rewrite(month: Path, name: str, edit: Callable[[Rows], Rows]) -> None:
    """Edit the rows of a file, and its manifest as an attacker would."""
    path = month / f"{name}.parquet"
    table = _PARQUET.read_table(path)
    rows = edit(table.to_pylist())
    _PARQUET.write_table(_ARROW.Table.from_pylist(rows, schema=table.schema), path)
    manifest = json.loads((month / "manifest.json").read_bytes())
    (described,) = [each for each in manifest["files"] if each["name"] == path.name]
    described |= {"rows": len(rows), "sha256": sha256(path.read_bytes()).hexdigest()}
    (month / "manifest.json").write_text(json.dumps(manifest))


def _edit_manifest(month: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    manifest = json.loads((month / "manifest.json").read_bytes())
    edit(manifest)
    (month / "manifest.json").write_text(json.dumps(manifest))


def _set(rows: Rows, number: int, **values: Any) -> Rows:
    rows[number] |= values
    return rows


def _replaced(rows: Rows, number: int, column: str, old: str, new: str) -> Rows:
    assert old in rows[number][column]
    return _set(rows, number, **{column: rows[number][column].replace(old, new)})


def _cut(month: Path) -> None:
    content = (month / "changes.parquet").read_bytes()
    (month / "changes.parquet").write_bytes(content[:-10])


_DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "a file is cut": (_cut, "SHA-256"),
    "a file is missing": (lambda month: (month / "entries.parquet").unlink(), "can't be read"),
    "a manifest is cut": (
        lambda month: (month / "manifest.json").write_text('{"format": 1'),
        "no manifest",
    ),
    "a manifest is missing": (lambda month: (month / "manifest.json").unlink(), "can't be read"),
    "a newer format": (
        lambda month: _edit_manifest(month, lambda found: found.update(format=2)),
        "newer version",
    ),
    "a change is deleted": (
        lambda month: _rewrite(month, "changes", lambda rows: rows[:-1]),
        "another number|tree|without its change",
    ),
    "a change in the middle is deleted": (
        lambda month: _rewrite(month, "changes", lambda rows: rows[:3] + rows[4:]),
        "missing or not in its place|without its change",
    ),
    "two changes are swapped": (
        lambda month: _rewrite(month, "changes", lambda rows: [rows[1], rows[0], *rows[2:]]),
        "not in its place|without its change",
    ),
    "a column of a change is edited": (
        lambda month: _rewrite(month, "changes", lambda rows: _set(rows, 2, actor="cli:x")),
        "columns of change 2",
    ),
    "the text of a change is edited": (
        lambda month: _rewrite(
            month,
            "changes",
            lambda rows: _set(_replaced(rows, 2, "text", rows[2]["actor"], "x"), 2, actor="x"),
        ),
        "not those of its tree",
    ),
    "an amount is edited": (
        lambda month: _rewrite(
            month, "entries", lambda rows: _set(rows, 0, available=rows[0]["available"] + 1)
        ),
        "columns of change",
    ),
    "an entry is deleted": (
        lambda month: _rewrite(month, "entries", lambda rows: rows[1:]),
        "does not follow",
    ),
    "an entry is of another payment": (
        lambda month: _rewrite(
            month, "entries", lambda rows: _set(rows, 0, transfer_id=rows[-1]["transfer_id"])
        ),
        "not in its place",
    ),
    "a payment has another user": (
        lambda month: _rewrite(
            month, "transfers", lambda rows: _set(rows, 0, user_id=rows[-1]["id"])
        ),
        "columns of change",
    ),
    "a balance is edited": (
        lambda month: _rewrite(
            month, "balances", lambda rows: _set(rows, 0, available=rows[0]["available"] + 1)
        ),
        "the balance of",
    ),
    "a balance is deleted": (
        lambda month: _rewrite(month, "balances", lambda rows: rows[1:]),
        "balance of an account is missing",
    ),
    "a root is edited": (
        lambda month: _edit_manifest(
            month, lambda found: found.update(root=b64encode(bytes(32)).decode())
        ),
        "not those of its tree",
    ),
    "a checkpoint is edited": (
        lambda month: _edit_manifest(
            month,
            lambda found: found.update(checkpoint=found["checkpoint"].replace("\n", "\n1", 1)),
        ),
        "no key of yours",
    ),
    "the proof of growth is cut": (
        lambda month: _edit_manifest(month, lambda found: found.update(growth=[])),
        "malformed",
    ),
}


def _verify(name: str, months: MonthFolder, keys: str) -> None:
    assert not list(verify_months(months, keys)), name
    pytest.fail(f"{name} was not found")


async def _archive(org: Tenant, folder: Path) -> None:
    for _ in range(2):
        await pay(org, swaps=1)
        await pass_month(org)
        await run_due(org)
    await archived(org, folder)


async def test_damage_is_named(org: Tenant, tmp_path: Path) -> None:
    whole, damaged = tmp_path / "whole", tmp_path / "damaged"
    await _archive(org, whole)
    keys = await books.keys(org)
    assert len(list(verify_months(folder_of(org, whole), keys))) == 2
    for name, (damage, sentence) in _DAMAGE.items():
        shutil.copytree(whole, damaged)
        months = folder_of(org, damaged)
        damage(months.month(months.months()[0]))
        with pytest.raises(ArchiveInvalid, match=sentence):
            _verify(name, months, keys)
        shutil.rmtree(damaged)


async def test_a_missing_month_is_named(org: Tenant, tmp_path: Path) -> None:
    await _archive(org, tmp_path)
    await pass_month(org)
    await archived(org, tmp_path)
    months = folder_of(org, tmp_path)
    first, second, _ = months.months()
    shutil.rmtree(months.month(second))
    keys = await books.keys(org)
    with pytest.raises(ArchiveInvalid, match=f"lacks the month {second:%Y-%m}"):
        list(verify_months(months, keys))
    with pytest.raises(ArchiveInvalid, match="lacks the month"):
        await archived(org, tmp_path)
    shutil.rmtree(months.month(first))
    # The rest does not begin with the first change.
    with pytest.raises(ArchiveInvalid, match="begins with change"):
        list(verify_months(months, keys))


async def test_nothing_is_added_behind_altered_balances(org: Tenant, tmp_path: Path) -> None:
    await _archive(org, tmp_path)
    months = folder_of(org, tmp_path)
    month = months.month(months.months()[-1])
    _rewrite(month, "balances", lambda rows: _set(rows, 0, available=rows[0]["available"] + 1))
    await pay(org, swaps=1)
    await pass_month(org)
    await run_due(org)
    with pytest.raises(ArchiveInvalid):
        await archived(org, tmp_path)


async def test_an_edited_database_is_not_archived(org: Tenant, tmp_path: Path) -> None:
    await pay(org, swaps=1)
    await pass_month(org)
    await run_due(org)
    await books.sequenced(org)
    await org.container.database.rows(
        "update changes set actor = 'cli' where org_id = $1 and kind = 'USER' and seq = 1",
        org.org_id,
    )
    with pytest.raises(LandbridgeError, match="is not that of the books"):
        await archived(org, tmp_path)
    assert not folder_of(org, tmp_path).months()
