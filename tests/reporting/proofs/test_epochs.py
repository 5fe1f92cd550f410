"""After a restored backup nothing is signed, until an epoch begins that names what was lost."""

from dataclasses import replace
from pathlib import Path

import pytest

from landbridge.platform.core.errors import ResourceConflict
from landbridge.reporting.proofs.books_verifier import check_books
from landbridge.reporting.proofs.checkpoints import head_text
from landbridge.reporting.proofs.publication import BooksForked, CheckpointFolder
from landbridge.reporting.proofs.signing import CheckpointSigning
from landbridge.reporting.proofs.verifier import BooksInvalid, open_note
from tests.reporting.proofs import proof_books as books
from tests.tenants import Tenant, make_user


async def test_checkpoints_are_published_once_and_whole(org: Tenant, tmp_path: Path) -> None:
    await make_user(org)
    signing = _publishing(org, tmp_path)
    first = await _signed(org, signing)
    assert await _signed(org, signing) == first
    await make_user(org)
    second = await _signed(org, signing)
    assert _files(tmp_path) == [first, second]
    published = signing.folder.last(org.org_id)
    assert published is not None
    assert published.head == open_note(second, await books.keys(org))


async def test_checkpoint_that_a_crash_kept_back_is_published_later(
    org: Tenant, tmp_path: Path
) -> None:
    await make_user(org)
    signing = _publishing(org, tmp_path)
    stored = await _signed(org, replace(signing, folder=CheckpointFolder(None)))
    assert signing.folder.last(org.org_id) is None
    assert await _signed(org, signing) == stored
    assert signing.folder.last(org.org_id) is not None


@pytest.mark.parametrize("is_growing", [False, True])
async def test_worker_that_was_killed_before_it_published_is_resumed(
    org: Tenant, tmp_path: Path, *, is_growing: bool
) -> None:
    await make_user(org)
    killed = _publishing(org, tmp_path)
    first = await _signed(org, killed)
    await make_user(org)
    # Stored, and never published.
    second = await _signed(org, replace(killed, folder=CheckpointFolder(None)))
    if is_growing:
        await make_user(org)
        await books.sequenced(org)
    offsets = {org.org_id: org.caller.clock_offset}
    # Another process publishes it at its start; it is too early to sign again.
    await _publishing(org, tmp_path).sign_due(offsets)
    assert _files(tmp_path) == [first, second]


async def test_checkpoint_that_could_not_be_written_is_published_next(
    org: Tenant, tmp_path: Path
) -> None:
    await make_user(org)
    signing = _publishing(org, tmp_path)
    (tmp_path / str(org.org_id)).write_text("in the way")
    with pytest.raises(OSError, match="directory"):
        await _signed(org, signing)
    (tmp_path / str(org.org_id)).unlink()
    await signing.sign_due({org.org_id: org.caller.clock_offset})
    published = _files(tmp_path)
    assert published == [await _signed(org, signing)]


@pytest.mark.parametrize("is_longer", [False, True])
async def test_nothing_is_signed_over_a_published_head_of_another_history(
    org: Tenant, tmp_path: Path, *, is_longer: bool
) -> None:
    await make_user(org)
    signing = _publishing(org, tmp_path)
    await _signed(org, signing)
    with pytest.raises(ResourceConflict):
        await signing.resume(org.org_id)
    before = await books.log_size(org)
    await make_user(org)
    lost = await _signed(org, signing)
    await books.restore(org, before)
    if is_longer:
        await books.fill_log(org, 30)
    with pytest.raises(BooksForked, match="landbridge proofs resume"):
        await _signed(org, signing)
    await signing.sign_due({org.org_id: org.caller.clock_offset})
    published = signing.folder.last(org.org_id)
    assert published is not None
    assert await signing.resume(org.org_id) == 2
    await make_user(org)
    note = await _signed(org, signing)
    keys = await books.keys(org)
    head = open_note(note, keys)
    assert head.origin.endswith("/2")
    assert f"\nprevious-head {head_text(published.head)}\n" in note
    assert head_text(open_note(lost, keys)) in note
    assert await books.findings(org, note) == []
    with pytest.raises(ResourceConflict):
        await signing.resume(org.org_id)


async def test_books_before_the_fork_hold_in_the_next_epoch(org: Tenant, tmp_path: Path) -> None:
    await make_user(org)
    signing = _publishing(org, tmp_path)
    kept = await _signed(org, signing)
    before = await books.log_size(org)
    await make_user(org)
    lost = await _signed(org, signing)
    await books.restore(org, before)
    await signing.resume(org.org_id)
    await books.fill_log(org, 30)
    await _signed(org, signing)
    keys, export = await books.keys(org), await books.exported(org)
    assert check_books(iter(export), keys, open_note(kept, keys)).size > before
    with pytest.raises(BooksInvalid):
        check_books(iter(export), keys, open_note(lost, keys))


def _publishing(org: Tenant, folder: Path) -> CheckpointSigning:
    return replace(org.container.proofs.signing, folder=CheckpointFolder(folder))


async def _signed(org: Tenant, signing: CheckpointSigning) -> str:
    """Return the text of a checkpoint of all changes so far."""
    await books.sequenced(org)
    signed = await signing.sign(org.org_id, org.caller.clock_offset)
    assert signed is not None
    return signed.note


def _files(folder: Path) -> list[str]:
    """Return the texts of all checkpoints below a folder, by name."""
    files = sorted(folder.rglob("*.txt"))
    return [each.read_text(encoding="utf-8") for each in files if each.is_file()]
