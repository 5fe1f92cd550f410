"""The verifiers are short files of the standard library, and the guide shows all of them."""

import ast
import json
import os
import sys
from base64 import b64encode
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from landbridge.reporting.proofs import verifier
from landbridge.reporting.proofs.books_verifier import Books
from landbridge.reporting.proofs.checkpoints import CheckpointSigner
from landbridge.reporting.proofs.verifier import (
    BooksInvalid,
    check_proof,
    is_signed,
    leaf,
    open_note,
)
from tests.reporting.proofs import proof_books as books
from tests.sources import ROOT
from tests.tenants import Tenant

PAGE = ROOT / "docs/guides/prove-the-books.md"
LINES_MAX = {"verifier": 150, "books_verifier": 80, "reserves_verifier": 80}
_BESIDE = {"landbridge", "verifier"}


@pytest.mark.parametrize("name", LINES_MAX)
def test_guide_shows_the_whole_verifier(name: str) -> None:
    text = PAGE.read_text(encoding="utf-8")
    begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    source = (books.VERIFIERS / f"{name}.py").read_text(encoding="utf-8")
    due = f"{before}{begin}\n```python\n{source}```\n\n{end}{after}"
    if os.environ.get("WRITE_FIGURES"):
        PAGE.write_text(due, encoding="utf-8")
        text = due
    assert text == due, "Run the tests with WRITE_FIGURES=1 to renew the verifiers in the guide."


@pytest.mark.parametrize("name", LINES_MAX)
def test_verifier_is_short_and_imports_the_standard_library_alone(name: str) -> None:
    source = (books.VERIFIERS / f"{name}.py").read_text(encoding="utf-8")
    tree = ast.parse(source)
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = {
        node.module or "" if isinstance(node, ast.ImportFrom) else each.name
        for node in imports
        for each in node.names
    }
    others = {each.partition(".")[0] for each in modules} - sys.stdlib_module_names
    assert others == (set() if name == "verifier" else _BESIDE)
    comments = {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        for line in range(node.lineno, (node.end_lineno or 0) + 1)
    }
    lines = enumerate(source.splitlines(), start=1)
    count = sum(1 for number, line in lines if line.strip() and number not in comments)
    assert count < LINES_MAX[name], f"{name} has {count} lines of code"


@given(st.binary(min_size=32, max_size=32), st.binary(max_size=200), st.integers(0, 511))
def test_signatures_are_those_of_ed25519(seed: bytes, text: bytes, bit: int) -> None:
    key = Ed25519PrivateKey.from_private_bytes(seed)
    public, signature = key.public_key().public_bytes_raw(), key.sign(text)
    assert is_signed(public, text, signature)
    assert not is_signed(public, text + b"x", signature)
    damaged = bytearray(signature)
    damaged[bit // 8] ^= 1 << bit % 8
    with suppress(BooksInvalid):  # no point of the curve
        assert not is_signed(public, text, bytes(damaged))


def test_signature_with_a_larger_scalar_is_refused() -> None:
    key = Ed25519PrivateKey.from_private_bytes(bytes(32))
    signature = key.sign(b"text")
    scalar = int.from_bytes(signature[32:], "little") + verifier.L
    malleable = signature[:32] + scalar.to_bytes(32, "little")
    assert not is_signed(key.public_key().public_bytes_raw(), b"text", malleable)


def test_only_a_known_key_of_the_same_origin_opens_a_note() -> None:
    signers = [
        CheckpointSigner(f"log/{name}", Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32))
        for name, seed in (("a", 1), ("b", 2), ("a", 3))
    ]
    note = signers[0].sign(5, bytes(32))
    known = [each.verifier_key for each in signers]
    assert open_note(note, "\n".join(known)) == ("log/a", 5, bytes(32))
    for keys in (known[1], known[2], ""):
        with pytest.raises(BooksInvalid):
            open_note(note, keys)
    with pytest.raises(BooksInvalid):
        open_note(note.replace("\n5\n", "\n6\n"), known[0])


async def test_verifier_runs_alone(org: Tenant, tmp_path: Path) -> None:
    await books.paid_books(org)
    kept = await books.checkpoint(org)
    await books.paid_books(org)
    lines, keys = await books.exported(org), await books.keys(org)
    proven = books.run_verifier(
        tmp_path, "books_verifier", keys=keys, books="".join(lines), kept=kept
    )
    assert proven == (0, f"{len(lines) - 1} changes are proven.\n")
    shorter = "".join([*lines[:5], *lines[6:]])
    code, printed = books.run_verifier(
        tmp_path, "books_verifier", keys=keys, books=shorter, kept=kept
    )
    assert code != 0
    assert not printed


async def test_a_file_without_proofs_proves_nothing(org: Tenant, tmp_path: Path) -> None:
    await books.paid_books(org)
    kept, keys = await books.checkpoint(org), await books.keys(org)
    for text in ("", kept, "c2sp.org/tlog-proof@v1 \n"):
        code, printed = books.run_verifier(tmp_path, "verifier", "proof", keys=keys, proofs=text)
        assert code != 0
        assert not printed


def test_a_part_is_read_in_one_way_only() -> None:
    """Otherwise an operator could show two people different texts of one part."""
    text = '{"amount":"1"}'
    salt = b"s" * 32
    shown = {"salt": b64encode(salt).decode(), "text": text}
    assert leaf([shown]) == leaf(
        [{"hash": b64encode(sha256(salt + text.encode()).digest()).decode()}]
    )
    shifted = {"salt": b64encode(salt + b'{"amount":').decode(), "text": '"1"}'}
    both = {"hash": b64encode(bytes(64)).decode()}
    for parts in ([shifted], [both]):
        with pytest.raises(BooksInvalid, match="malformed"):
            leaf(parts)


_CHANGE = {"object": "o", "part": "change", "seq": 1}
_RECORD = {"part": "record"}


def _entry(account: str, units: int, asset: str = "usdc", before: int = 0) -> dict[str, object]:
    """Return an entry behind `before` others of the same units."""
    return {
        "account": account,
        "asset": asset,
        "available": str(units),
        "balanceAvailable": str(units * (before + 1)),
        "balanceHeld": "0",
        "count": before + 1,
        "held": "0",
        "part": "entry",
    }


def _salted(*parts: object) -> list[dict[str, str]]:
    texts = [
        each if isinstance(each, str) else json.dumps(each, sort_keys=True, separators=(",", ":"))
        for each in parts
    ]
    return [{"salt": b64encode(bytes(32)).decode(), "text": each} for each in texts]


_BALANCED = (_entry("a", 5), _entry("b", -5))
_SLY = {
    "a second change": (_CHANGE, {"object": "p", "part": "change", "seq": 1}),
    "no change": (_RECORD, *_BALANCED),
    "an entry by another name": (_CHANGE, *_BALANCED, {**_entry("a", 9), "part": "Entry"}),
    "a line between others": (_CHANGE, '{"part":"record","x":\n{"part":"entry"}\n}'),
    "a member twice": (_CHANGE, '{"part":"entry","part":"record"}'),
}


@pytest.mark.parametrize("sly", _SLY.values(), ids=_SLY.keys())
def test_a_leaf_with_other_parts_is_refused(sly: tuple[object, ...]) -> None:
    """An operator could show these to a customer, and no auditor would look at them."""
    parts = _salted(*sly)
    with pytest.raises((BooksInvalid, KeyError)):
        Books().append(parts)
    signer = CheckpointSigner("log/a", Ed25519PrivateKey.from_private_bytes(bytes(32)))
    extra = b64encode(json.dumps(parts).encode()).decode()
    proof = f"extra {extra}\nindex 0\n\n{signer.sign(1, leaf(parts))}"
    with pytest.raises(BooksInvalid):
        check_proof(proof, signer.verifier_key)


@pytest.mark.parametrize(
    "later",
    [
        (_RECORD,),
        (_entry("a", 5, asset="eur", before=1), _entry("c", -5, asset="eur")),
        (_RECORD, _RECORD),
    ],
)
def test_what_an_account_and_a_record_are_never_changes(later: tuple[object, ...]) -> None:
    proven = Books()
    proven.append(_salted(_CHANGE, _RECORD, *_BALANCED))
    with pytest.raises(BooksInvalid):
        proven.append(_salted({**_CHANGE, "seq": 2}, *later))


def test_an_export_hides_no_part() -> None:
    hidden = [*_salted(_CHANGE, *_BALANCED), {"hash": b64encode(bytes(32)).decode()}]
    with pytest.raises(BooksInvalid):
        Books().append(hidden)
