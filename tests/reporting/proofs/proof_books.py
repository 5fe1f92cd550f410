"""Books of a test's organisation, as an outsider gets them."""

import shutil
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

from landbridge.payments.swaps.model import SwapStatus
from landbridge.platform.changes.service import append_change
from landbridge.platform.db.pool import Database, Tx
from landbridge.reporting.proofs import verifier
from landbridge.reporting.proofs.books_verifier import Books, check_books
from landbridge.reporting.proofs.verifier import TreeHead, open_note
from tests.change_log import placed
from tests.tenants import Tenant, make_swap, make_user

VERIFIERS = Path(verifier.__file__).parent


async def paid_books(org: Tenant, *, swaps: int = 3) -> str:
    """Make a user with swaps; return the user's id."""
    user = await make_user(org, funds="100")
    for _ in range(swaps):
        await make_swap(org, user, status=SwapStatus.COMPLETED)
    return user


async def fill_log(org: Tenant, count: int) -> None:
    """Record some changes without entries."""

    async def work(tx: Tx) -> None:
        for _ in range(count):
            await append_change(
                tx,
                org_id=org.org_id,
                object_id=uuid4(),
                seq=1,
                kind="TEST",
                change_type="set",
                actor="test",
                at=org.container.clock.stamp(),
                facts={"rate": "0.999", "fraction": 1.50, "units": 10**30},
            )

    await org.container.database.transact(work)


async def sequenced(org: Tenant) -> None:
    """Append all changes so far to the organisation's tree."""
    await placed(org.container.database)
    await org.container.proofs.sequencer.append_all(org.org_id)


async def checkpoint(org: Tenant) -> str:
    """Return a checkpoint of all changes so far."""
    await sequenced(org)
    signed = await org.container.proofs.signing.sign(org.org_id, org.caller.clock_offset)
    assert signed is not None
    return signed.note


async def exported(org: Tenant) -> list[str]:
    """Return the lines of an export of all changes so far."""
    await placed(org.container.database)
    lines = org.container.proofs.export.lines(org.org_id, org.caller.clock_offset)
    return [line async for line in lines]


async def keys(org: Tenant) -> str:
    """Return the public keys of the organisation's checkpoints."""
    return "\n".join(await org.container.proofs.signing.verifier_keys(org.org_id))


async def checked(org: Tenant, kept: str | None = None) -> Books:
    """Verify an export offline, with a checkpoint that was kept."""
    known = await keys(org)
    old: TreeHead | None = None if kept is None else open_note(kept, known)
    return check_books(iter(await exported(org)), known, old)


async def findings(org: Tenant, *kept: str) -> list[str]:
    """Return what `landbridge proofs verify` finds."""
    return list((await org.container.proofs.verifier.verify(org.org_id, kept)).findings)


async def forget_tree(database: Database, org: Tenant) -> None:
    """Remove an organisation's tree, as an operator who rewrites history would."""
    for statement in _FORGET:
        await database.rows(statement, org.org_id)


async def log_size(org: Tenant) -> int:
    """Return the number of an organisation's changes."""
    (row,) = await org.container.database.rows(
        "select count(*)::int as count from changes where org_id = $1", org.org_id
    )
    return row["count"]


async def restore(org: Tenant, size: int) -> None:
    """Bring changes and tree back to a number of changes, as a dump of that moment has them.

    The tree does not depend on the steps in which it was built (test_sequencer.py).
    """
    await placed(org.container.database)
    await org.container.database.rows(
        "delete from changes c using change_batches b where c.org_id = $1 and b.org_id = $1"
        " and b.number = c.batch and (b.place, c.object_id, c.seq) >"
        " (select k.place, o.object_id, o.seq from changes o join change_batches k"
        " on k.org_id = $1 and k.number = o.batch where o.org_id = $1"
        " order by k.place, o.object_id, o.seq offset $2 limit 1)",
        *(org.org_id, size - 1),
    )
    await forget_tree(org.container.database, org)
    await org.container.proofs.sequencer.append_all(org.org_id)


_FORGET = (
    "delete from proof_trees where org_id = $1",
    "delete from proof_tiles where org_id = $1",
    "delete from proof_blocks where org_id = $1",
    "delete from proof_accounts where org_id = $1",
    "delete from proof_checkpoints where org_id = $1",
)


def run_verifier(folder: Path, script: str, *words: str, **texts: str) -> tuple[int, str]:
    """Run a verifier on files of these texts, without the packages of this environment."""
    for each in VERIFIERS.glob("*verifier.py"):
        shutil.copy(each, folder)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-I", "-S", f"{script}.py", *words, *texts],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout
