"""README and docs: links lead somewhere, commands exist, examples run, figures are true."""

import os
import re
from contextlib import nullcontext
from enum import StrEnum
from pathlib import Path
from typing import Any

import click
import pytest

from landbridge.app.cli import commands
from landbridge.app.settings import PREFIX
from landbridge.customers.bank_accounts import model as accounts
from landbridge.customers.verification import model as verification
from landbridge.ledger.audit import checks_to_run
from landbridge.ledger.record_audit import CHECKS
from landbridge.payments.approvals import model as approvals
from landbridge.payments.bridges import model as bridges
from landbridge.payments.disbursements import model as disbursements
from landbridge.payments.engine import outgoing_transfers
from landbridge.payments.offramps import model as offramps
from landbridge.payments.onramps import model as onramps
from landbridge.payments.resolutions import model as resolutions
from landbridge.payments.swaps import model as swaps
from landbridge.platform.core.transitions import Transitions
from tests.chains.local_chains import local_chains
from tests.documented_examples import (
    FENCE,
    SHOWN,
    at_addresses,
    check_printed,
    examples,
    fits,
    in_clone,
    run_shell,
    serving,
    settings_of,
)
from tests.long import few_of
from tests.sources import ROOT, documents, report

README_LINES_MAX = 80

SHOWN_NODE = "127.0.0.1:8545"
NEEDS_CHAINS, CHAINS_FILE = (
    re.compile(r"CHAINS=1|^make chains$", re.MULTILINE),
    ".landbridge/chains.toml",
)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")

FIGURES: dict[str, Transitions[Any]] = {
    "docs/reference/accounts.md": accounts.TRANSITIONS,
    "docs/reference/approvals.md": approvals.TRANSITIONS,
    "docs/reference/offramps.md": offramps.TRANSITIONS,
    "docs/reference/disbursements.md": disbursements.TRANSITIONS,
    "docs/reference/onramps.md": onramps.TRANSITIONS,
    "docs/reference/bridges.md": bridges.TRANSITIONS,
    "docs/reference/resolutions.md": resolutions.TRANSITIONS,
    "docs/reference/swaps.md": swaps.TRANSITIONS,
    "docs/reference/transfers.md": outgoing_transfers.TRANSITIONS,
    "docs/reference/verification.md": verification.TRANSITIONS,
}
STATUSES: dict[str, type[StrEnum]] = {
    "docs/reference/accounts.md": accounts.BankAccountStatus,
    "docs/reference/approvals.md": approvals.ApprovalStatus,
    "docs/reference/offramps.md": offramps.OfframpStatus,
    "docs/reference/disbursements.md": disbursements.DisbursementStatus,
    "docs/reference/onramps.md": onramps.OnrampStatus,
    "docs/reference/bridges.md": bridges.BridgeStatus,
    "docs/reference/resolutions.md": resolutions.ResolutionStatus,
    "docs/reference/swaps.md": swaps.SwapStatus,
    "docs/reference/transfers.md": outgoing_transfers.OutgoingTransferStatus,
    "docs/reference/verification.md": verification.KycStatus,
}


def test_links_lead_somewhere() -> None:
    findings = [
        f"{_name(page)}: {target}"
        for page in documents()
        for target in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
        if not _resolves(page, target)
    ]
    assert not findings, report("Mend these links:", findings)


def test_every_page_is_linked_from_another() -> None:
    linked = {
        (page.parent / target.partition("#")[0]).resolve()
        for page in documents()
        for target in LINK.findall(page.read_text(encoding="utf-8"))
    }
    pages = [page for page in documents() if page.is_relative_to(ROOT / "docs")]
    findings = [_name(page) for page in pages if page.resolve() not in linked]
    assert not findings, report("Link these, from docs/README.md for one:", findings)


def test_readme_is_short() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").count("\n")
    assert lines <= README_LINES_MAX, f"README.md has {lines} lines; {README_LINES_MAX} are enough."


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    findings = [
        f"{_name(page)}: make {target}"
        for page in documents()
        for code in _code(page)
        for target in re.findall(r"^\s*make ([a-z-]+)", code, re.MULTILINE)
        if target not in targets
    ]
    assert not findings, report("The Makefile has no such target:", findings)


def test_commands_exist() -> None:
    findings = [
        f"{_name(page)}: landbridge {words}"
        for page in documents()
        for code in _code(page)
        for words in re.findall(
            r"(?<![\w./-])(?:\.venv/bin/)?landbridge ((?:[a-z]+(?:-[a-z]+)* ?)+)", code
        )
        if not _is_command(words.split())
    ]
    assert not findings, report("There is no such command:", findings)


@pytest.mark.parametrize("name", FIGURES)
def test_state_diagram_equals_the_transitions(name: str) -> None:
    page = ROOT / name
    text = page.read_text(encoding="utf-8")
    begin, end = "<!-- states:begin -->\n", "<!-- states:end -->"
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    due = f"{before}{begin}\n{figure(FIGURES[name])}\n{end}{after}"
    if os.environ.get("WRITE_FIGURES"):
        page.write_text(due, encoding="utf-8")
        text = due
    assert text == due, f"Run the tests with WRITE_FIGURES=1 to renew the figure in {name}."


@pytest.mark.parametrize("name", STATUSES)
def test_table_of_states_has_each_of_them(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    findings = [str(each) for each in STATUSES[name] if f"\n| `{each}` |" not in text]
    assert not findings, report(f"Describe these in the table of {name}:", findings)


RUNNABLE = [
    page.relative_to(ROOT).as_posix()
    for page in documents()
    if "\n```sh\n" in page.read_text(encoding="utf-8")
]


CALL = re.compile(r"^(?:\w+=\$\()?(?:lb|curl) ", re.MULTILINE)


def test_calls_are_shown_in_each_language_or_in_shell_alone() -> None:
    findings = [
        f"{_name(page)}: {script.splitlines()[0]}"
        for page in documents()
        if "\n```ts\n" in (text := page.read_text(encoding="utf-8"))
        for language, script, following in re.findall(
            r"^```(\w+)\n(.*?)^```\n((?:\n```(?:python|ts)\n)?)", text, re.MULTILINE | re.DOTALL
        )
        if language == "sh" and CALL.search(script) and not following
    ]
    assert not findings, report("Add Python and TypeScript, as on the rest of the page:", findings)


@pytest.mark.long
@pytest.mark.parametrize("name", few_of(RUNNABLE))
def test_examples_run_as_pasted(name: str, tmp_path: Path) -> None:
    page = ROOT / name
    text = page.read_text(encoding="utf-8")
    settings = settings_of(text)
    blocks = examples(page)
    starts_server = any("landbridge serve" in each.script for each in blocks)
    needs_chains = NEEDS_CHAINS.search(text)
    with local_chains(tmp_path / CHAINS_FILE) if needs_chains else nullcontext() as chains:
        if chains is not None:
            settings[f"{PREFIX}CHAINS_FILE"] = CHAINS_FILE
        server = in_clone(tmp_path) if starts_server else serving(tmp_path, settings)
        with server as (address, environ):
            shown = {SHOWN: address} | ({} if chains is None else {SHOWN_NODE: chains})
            blocks = at_addresses(blocks, shown)
            printed = run_shell(blocks, environ, tmp_path)
    check_printed(name, blocks, printed)


@pytest.mark.parametrize(
    ("printed", "actual", "expected"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\n", "a\nb\nc\n", False),
        ("a\nb\n", "a\n", False),
        ("a  1\n", "a      1\n", True),
        # A run of spaces is one candidate position, not one per space.
        (f"a{' ' * 50}1\n", f"a{' ' * 50}2\n", False),
        ("id ... end\n", "id 123 end\n", True),
        ("...\nb\n", "b\n", True),
        ("...\nb\n", "b\na\nb\n", True),
        ("...\nb\n", "b\na\n", False),
        ("a\n...\n", "a\n", True),
        ("a\n...\n", "b\na\n", False),
        ("a\n...\nb\n", "a\nx\ny\nb\n", True),
        ("a\n...\na\n", "a\n", False),
        ("", "", True),
        ("", "a\n", False),
        ("...\na...\n" * 30 + "z\n", "a\n" * 2000, False),
    ],
)
def test_printed_output_is_matched_line_by_line(
    printed: str, actual: str, *, expected: bool
) -> None:
    assert fits(printed, actual) is expected


def figure(moves: Transitions[Any]) -> str:
    """Return the states of a flow as a Mermaid diagram."""
    lines = ["```mermaid", "stateDiagram-v2"]
    lines += [f"    [*] --> {status}" for status in sorted(moves.start)]
    lines += [f"    {before} --> {after}" for before, after in moves.edges()]
    lines += [f"    {status} --> [*]" for status in moves.table if moves.is_terminal(status)]
    return "\n".join([*lines, "```", ""])


def _name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def _resolves(page: Path, target: str) -> bool:
    if re.match(r"[a-z]+:", target):
        return True
    path, _, anchor = target.partition("#")
    found = (page.parent / path).resolve() if path else page
    if not found.exists():
        return False
    return not anchor or anchor in _anchors(found)


def _anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings}


def _code(page: Path) -> list[str]:
    """Return the code of a page: fenced, indented or inline."""
    text = page.read_text(encoding="utf-8")
    fenced = [body for _, body in FENCE.findall(text)]
    rest = FENCE.sub("", text)
    indented = re.findall(r"^ {4}(.+)$", rest, re.MULTILINE)
    return [*fenced, *indented, *CODE.findall(rest)]


def _is_command(words: list[str]) -> bool:
    """Return whether `words` begin with a command; the rest are its arguments."""
    command: click.Command | None = commands
    for word in words:
        if not isinstance(command, click.Group):
            break
        command = command.get_command(click.Context(command), word)
    return command is not None


@pytest.mark.parametrize("name", ["docs/start/first-swap.md", "docs/internals/ledger.md"])
def test_checks_of_the_ledger_are_listed_in_their_order(name: str) -> None:
    due = [*(each for each, *_ in checks_to_run({})), *CHECKS]
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    listed = [
        match[1]
        for line in lines
        if (match := re.match(r"(?:\| )?((?:every|no|house) [a-z ]+?) (?:\||\.\.\.) ", line))
    ]
    assert listed[-len(due) :] == due


def test_tests_that_security_names_are_there() -> None:
    page = ROOT / "docs/concepts/security.md"
    named = re.findall(r"`(tests/[^`]+)::(\w+)`", page.read_text(encoding="utf-8"))
    assert len(named) > 30
    missing = [
        f"{path}::{name}"
        for path, name in named
        if not re.search(rf"^(async )?def {name}\(", _text(ROOT / path), re.MULTILINE)
    ]
    assert not missing, report("Name tests that are there:", missing)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""
