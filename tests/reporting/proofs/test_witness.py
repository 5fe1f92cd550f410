"""A witness cosigns what continues, keeps it, and refuses and names forks."""

import base64
import shutil
import stat
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path, PosixPath
from typing import Any, cast

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from landbridge.app.cli import commands
from landbridge.reporting.proofs.checkpoints import head_text
from landbridge.reporting.proofs.publication import CheckpointFolder
from landbridge.reporting.proofs.signing import CheckpointSigning
from landbridge.reporting.proofs.verifier import open_note
from landbridge.reporting.proofs.witness import (
    CheckpointRefused,
    WitnessReport,
    opened_witness,
)
from tests.reporting.proofs import proof_books as books
from tests.tenants import Tenant

_AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
_NAME = "auditor.example/books"


async def test_checkpoints_that_continue_are_cosigned_one_by_one(
    org: Tenant, tmp_path: Path
) -> None:
    notes = [await _published(org, tmp_path) for _ in range(3)]
    # The first run believes the latest one.
    assert (await _witnessed(org, tmp_path)).cosigned == [await _text(org, notes[2])]
    assert await _witnessed(org, tmp_path) == WitnessReport([], [])
    notes += [await _published(org, tmp_path) for _ in range(2)]
    report = await _witnessed(org, tmp_path)
    assert report == WitnessReport([await _text(org, each) for each in notes[3:]], [])
    kept = CheckpointFolder(tmp_path / "kept").checkpoints()
    assert [
        each.read_note().startswith(note) for each, note in zip(kept, notes[2:], strict=True)
    ] == ([True] * 3)


async def test_a_cosignature_is_that_of_c2sp_and_the_verifier_still_reads_the_note(
    org: Tenant, tmp_path: Path
) -> None:
    note = await _published(org, tmp_path)
    await _witnessed(org, tmp_path)
    (kept,) = CheckpointFolder(tmp_path / "kept").checkpoints()
    line = kept.read_note().removeprefix(note)
    dash, name, signature = line.rstrip("\n").split(" ")
    found = base64.b64decode(signature)
    with opened_witness(tmp_path / "kept", "", _NAME) as witness:
        shown, key_id, key = witness.cosigner.verifier_key.split("+", 2)
    public = base64.b64decode(key)
    assert (dash, name, shown) == ("—", _NAME, _NAME)
    assert (public[:1], len(public), len(found)) == (b"\x04", 33, 76)
    expected_id = sha256(f"{_NAME}\n".encode() + public).digest()[:4]
    assert (found[:4], key_id) == (expected_id, expected_id.hex())
    time = int.from_bytes(found[4:12], "big")
    assert time == int(_AT.timestamp())
    body = note.partition("\n\n")[0] + "\n"
    message = f"cosignature/v1\ntime {time}\n{body}".encode()
    # Raises unless it is the signature.
    Ed25519PublicKey.from_public_bytes(public[1:]).verify(found[12:], message)
    assert open_note(kept.read_note(), await books.keys(org)) == open_note(
        note, await books.keys(org)
    )
    assert stat.S_IMODE((tmp_path / "kept" / "witness.key").stat().st_mode) == 0o600


async def test_a_rewritten_history_of_the_same_key_is_refused_and_named(
    org: Tenant, tmp_path: Path
) -> None:
    await books.fill_log(org, 40)
    before = await books.log_size(org)
    seen = await _published(org, tmp_path)
    await _witnessed(org, tmp_path)
    # The operator restores a backup, and publishes elsewhere, so that nothing stops the signing.
    await books.restore(org, before)
    other = tmp_path / "other"
    forked = [await _published(org, other) for _ in range(2)]
    shutil.copytree(other / "published", tmp_path / "published", dirs_exist_ok=True)
    report = await _witnessed(org, tmp_path)
    assert report.cosigned == []
    (refused,) = report.refused
    assert refused.startswith("FORK: ")
    assert await _text(org, seen) in refused
    assert await _text(org, forked[0]) in refused
    assert len(CheckpointFolder(tmp_path / "kept").checkpoints()) == 1


async def test_a_fork_of_another_size_does_not_pass_by_a_proof_of_its_own_history(
    org: Tenant, tmp_path: Path
) -> None:
    await books.fill_log(org, 40)
    before = await books.log_size(org)
    seen = await _published(org, tmp_path)
    await _witnessed(org, tmp_path)
    await books.restore(org, before)
    other = tmp_path / "other"
    first, second = [await _published(org, other) for _ in range(2)]
    assert _size(first) == _size(seen)
    # Only the second checkpoint of the fork is shown, with the proof from the size that was seen.
    shutil.copytree(
        other / "published",
        tmp_path / "published",
        dirs_exist_ok=True,
        # By number: the digits may be part of the organisation's id, which is a folder's name.
        ignore=lambda _, names: [each for each in names if _is_of_size(each, _size(first))],
    )
    report = await _witnessed(org, tmp_path)
    assert report.cosigned == []
    assert [each.partition(":")[0] for each in report.refused] == ["FORK"]
    assert await _text(org, second) in report.refused[0]


async def test_a_checkpoint_without_its_proof_is_refused(org: Tenant, tmp_path: Path) -> None:
    await _published(org, tmp_path)
    await _witnessed(org, tmp_path)
    last = await _published(org, tmp_path)
    (growth,) = (tmp_path / "published").rglob("*.growth")
    proof = growth.read_text()
    growth.unlink()
    report = await _witnessed(org, tmp_path)
    assert [each.partition(":")[0] for each in report.refused] == ["NO PROOF"]
    growth.write_text(proof)
    assert await _witnessed(org, tmp_path) == WitnessReport([await _text(org, last)], [])


async def test_a_checkpoint_that_is_published_no_more_is_named(org: Tenant, tmp_path: Path) -> None:
    await _published(org, tmp_path)
    gone = await _published(org, tmp_path)
    await _witnessed(org, tmp_path)
    last = max((tmp_path / "published").rglob("*.txt"))
    last.unlink()
    report = await _witnessed(org, tmp_path)
    assert report.cosigned == []
    assert [each.partition(":")[0] for each in report.refused] == ["MISSING"]
    assert await _text(org, gone) in report.refused[0]


async def test_an_epoch_that_names_what_was_cosigned_is_cosigned(
    org: Tenant, tmp_path: Path
) -> None:
    await books.fill_log(org, 20)
    await _published(org, tmp_path)
    before = await books.log_size(org)
    lost = await _published(org, tmp_path)
    await _witnessed(org, tmp_path)
    await books.restore(org, before)
    await _signing(org, tmp_path).resume(org.org_id)
    new = await _published(org, tmp_path)
    assert f"previous-head {await _text(org, lost)}\n" in new
    assert await _witnessed(org, tmp_path) == WitnessReport([await _text(org, new)], [])


async def test_an_epoch_that_hides_a_cosigned_checkpoint_is_a_fork(
    org: Tenant, tmp_path: Path
) -> None:
    await books.fill_log(org, 20)
    await _published(org, tmp_path)
    before = await books.log_size(org)
    await _published(org, tmp_path)
    shown = tmp_path / "shown"
    shutil.copytree(tmp_path / "published", shown / "published")
    hidden = await _published(org, shown)
    await _witnessed(org, shown)
    await books.restore(org, before)
    await _signing(org, tmp_path).resume(org.org_id)
    await _published(org, tmp_path)
    shutil.copytree(tmp_path / "published", shown / "published", dirs_exist_ok=True)
    report = await _witnessed(org, shown)
    assert report.cosigned == []
    assert report.refused[0].startswith("FORK: ")
    assert f"does not continue {_size(hidden)} changes" in report.refused[0]


async def test_an_epoch_that_goes_on_after_the_next_one_began_is_a_fork(
    org: Tenant, tmp_path: Path
) -> None:
    await books.fill_log(org, 20)
    await _published(org, tmp_path)
    await _witnessed(org, tmp_path)
    before = await books.log_size(org)
    hidden = tmp_path / "hidden"
    shutil.copytree(tmp_path / "published", hidden / "published")
    later = await _published(org, hidden)
    # Another history, which names the checkpoint that was cosigned.
    await books.restore(org, before - 1)
    await _signing(org, tmp_path).resume(org.org_id)
    new = await _published(org, tmp_path)
    assert await _witnessed(org, tmp_path) == WitnessReport([await _text(org, new)], [])
    shutil.copytree(hidden / "published", tmp_path / "published", dirs_exist_ok=True)
    report = await _witnessed(org, tmp_path)
    assert report.cosigned == []
    (refused,) = report.refused
    assert refused.startswith(f"FORK: {await _text(org, later)}")


async def test_organisations_are_witnessed_apart_and_unknown_keys_refused(
    org: Tenant, other_org: Tenant, tmp_path: Path
) -> None:
    mine, _ = await _published(org, tmp_path), await _published(other_org, tmp_path)
    report = await _witnessed(org, tmp_path)
    assert report.cosigned == [await _text(org, mine)]
    assert len(report.refused) == 1
    assert "no key of yours has signed" in report.refused[0]


async def test_what_is_cosigned_is_what_was_verified(org: Tenant, tmp_path: Path) -> None:
    """The publisher replaces the file as soon as the witness has opened it."""
    note = await _published(org, tmp_path)
    (file,) = (tmp_path / "published").rglob("*.txt")
    root = note.split("\n")[2]
    forged = tmp_path / "forged"
    forged.write_text(note.replace(root, base64.b64encode(bytes(32)).decode()))

    class ReplacedPath(PosixPath):
        """File system that replaces a file after it was opened once."""

        def open(self, *options: Any, **more: Any) -> Any:
            opened = cast("Any", super().open)(*options, **more)
            if self.name == file.name and forged.exists():
                forged.replace(file)
            return opened

    with opened_witness(tmp_path / "kept", await books.keys(org), _NAME) as witness:
        report = witness.run(CheckpointFolder(ReplacedPath(tmp_path / "published")), _AT)
    assert not forged.exists()
    assert report == WitnessReport([await _text(org, note)], [])
    (kept,) = CheckpointFolder(tmp_path / "kept").checkpoints()
    assert kept.read_note().startswith(note)


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff\xfe", b"a\n\n", b"a\nb\nc\n\n! ", b"\n" * 100_000, None],
    ids=["empty", "no text", "one line", "no base64", "long", "folder"],
)
async def test_what_is_no_checkpoint_holds_up_no_other_organisation(
    org: Tenant, other_org: Tenant, tmp_path: Path, content: bytes | None
) -> None:
    note = await _published(org, tmp_path)
    await _published(other_org, tmp_path)
    (bad,) = (tmp_path / "published" / str(other_org.org_id)).rglob("*.txt")
    if content is None:
        bad.unlink()
        bad.mkdir()
    else:
        bad.write_bytes(content)
    # Files at other places are none.
    for name in ("x/y/z.txt", f"{org.org_id}/1/2.txt", f"{org.org_id}/{1:016}/{'9' * 17}.txt"):
        other = tmp_path / "published" / name
        other.parent.mkdir(parents=True, exist_ok=True)
        other.write_text("nothing")
    report = await _witnessed(org, tmp_path)
    assert report.cosigned == [await _text(org, note)]
    assert len(report.refused) == (content is not None)


async def test_an_emptied_checkpoint_is_named(org: Tenant, tmp_path: Path) -> None:
    await _published(org, tmp_path)
    await _witnessed(org, tmp_path)
    (file,) = (tmp_path / "published").rglob("*.txt")
    file.write_text("")
    (refused,) = (await _witnessed(org, tmp_path)).refused
    assert str(file) in refused


async def test_two_witnesses_do_not_share_a_folder(tmp_path: Path) -> None:
    with (
        opened_witness(tmp_path, "", _NAME),
        pytest.raises(CheckpointRefused, match="another witness"),
        opened_witness(tmp_path, "", _NAME),
    ):
        pass


async def test_the_command_needs_no_database_and_fails_for_a_fork(
    org: Tenant, tmp_path: Path
) -> None:
    note = await _published(org, tmp_path)
    keys = tmp_path / "keys.txt"
    keys.write_text(await books.keys(org))
    words = ["proofs", "witness", str(tmp_path / "published"), "--keys", str(keys)]
    words += ["--state", str(tmp_path / "kept"), "--name", _NAME]
    done = CliRunner().invoke(commands, words)
    assert done.exit_code == 0, done.output
    witness, cosigned = done.output.splitlines()
    assert witness.startswith(f"witness: {_NAME}+")
    assert cosigned == f"cosigned: {await _text(org, note)}"
    (file,) = (tmp_path / "published").rglob("*.txt")
    file.unlink()
    assert CliRunner().invoke(commands, words).exit_code == 1
    assert CliRunner().invoke(commands, [*words[:-1], "two words"]).exit_code == 2


def _signing(org: Tenant, folder: Path) -> CheckpointSigning:
    return replace(org.container.proofs.signing, folder=CheckpointFolder(folder / "published"))


async def _published(org: Tenant, folder: Path) -> str:
    """Publish a checkpoint of some more changes."""
    await books.fill_log(org, 3)
    await books.sequenced(org)
    signed = await _signing(org, folder).sign(org.org_id, org.caller.clock_offset)
    assert signed is not None
    return signed.note


async def _witnessed(org: Tenant, folder: Path) -> WitnessReport:
    with opened_witness(folder / "kept", await books.keys(org), _NAME) as witness:
        return witness.run(CheckpointFolder(folder / "published"), _AT)


async def _text(org: Tenant, note: str) -> str:
    return head_text(open_note(note, await books.keys(org)))


def _size(note: str) -> int:
    return int(note.split("\n")[1])


def _is_of_size(name: str, size: int) -> bool:
    """Return whether a file is a checkpoint of this size, or its proof."""
    stem, dot, _ = name.partition(".")
    return bool(dot) and stem.isdecimal() and int(stem) == size
