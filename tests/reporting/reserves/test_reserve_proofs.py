"""Proofs of reserves: complete for the owner, silent about others, and not to be forged."""

import asyncio
import json
import stat
from base64 import b64decode
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from landbridge.app.cli import commands
from landbridge.platform.http.caller import KeyScope
from landbridge.reporting.proofs.reserves_verifier import check_reserves
from landbridge.reporting.proofs.verifier import BooksInvalid
from tests.payouts import accept, make_account, make_offramp, make_payee
from tests.platform.http.test_key_scopes import make_key
from tests.reporting.proofs import proof_books as books
from tests.reporting.reconciliation.closed_days import CLOSES, confirm, end_day
from tests.reporting.reconciliation.compared import (
    compared,
    make_difference,
    make_reviewers,
    shift_balance,
)
from tests.tenants import SETTINGS, Tenant, make_user, refusal

_PROOFS = "/v2/proofs/reserves"
_USDC = "usdc:POLYGON"


class ClosedDay(NamedTuple):
    """Close of a day on which three users had 100, 40 and 7 usdc."""

    signed: dict[str, Any]
    users: list[str]
    keys: str

    @property
    def path(self) -> str:
        return f"{_PROOFS}/{self.signed['close']['id']}"


async def test_a_user_verifies_the_own_balance_alone(org: Tenant, tmp_path: Path) -> None:
    day = await _closed(org)
    for user, coins in zip(day.users, (100, 40, 7), strict=True):
        statement, *shown = await _checked(org, day, user)
        pieces = [json.loads(each) for each in shown]
        assert sum(int(each["units"]) for each in pieces) == coins * 10**6
        assert {each["user"] for each in pieces} == {user}
        assert {each["asset"] for each in pieces} == {_USDC}
        (reserve,) = json.loads(statement)["reserves"]
        assert reserve["owed_units"] == reserve["held_units"] == str(147 * 10**6)
    text = await _text(org, day, day.users[0])
    code, printed = books.run_verifier(tmp_path, "reserves_verifier", keys=day.keys, mine=text)
    assert (code, printed.splitlines()) == (0, await _checked(org, day, day.users[0]))
    smaller = text.replace('"units":"', '"units":"1', 1)
    assert books.run_verifier(tmp_path, "reserves_verifier", keys=day.keys, mine=smaller)[0] != 0
    assert not any(other in text for other in day.users[1:])
    hidden = [each for each in map(json.loads, text.splitlines()[1:]) if "text" not in each]
    assert hidden
    assert all(set(each) == {"asset", "hash", "size", "units"} for each in hidden)


async def test_everybody_checks_the_whole_statement(org: Tenant, dsn: str, tmp_path: Path) -> None:
    day = await _closed(org)
    whole, kept = tmp_path / "reserves.txt", tmp_path / "addresses.txt"
    code, output = await _run(org, dsn, day, "--out", str(whole), "--addresses", str(kept))
    assert code == 0, output
    lines = whole.read_text().splitlines()
    (statement,) = check_reserves(iter(lines), day.keys)
    assert not any(user in whole.read_text() for user in day.users)
    units = [int(json.loads(each)["units"]) for each in lines[1:]]
    assert (sum(units), min(units) > 0) == (147 * 10**6, True)
    # No piece is a whole balance.
    assert not {100 * 10**6, 40 * 10**6, 7 * 10**6} & set(units)
    (reserve,) = json.loads(statement)["reserves"]
    assert len(units) == reserve["pieces"] >= 3
    # Auditors add the balances of these addresses at the block of the statement.
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    sources = {each["source"]: each for each in map(json.loads, kept.read_text().splitlines())}
    found = sources["POLYGON"]
    salted = b64decode(found["salt"]) + "\n".join(found["addresses"]).encode()
    assert sha256(salted).hexdigest() == reserve["addresses_digest"]
    assert len(found["addresses"]) == reserve["addresses"] >= 3
    of_user = tmp_path / "user.txt"
    assert (await _run(org, dsn, day, "--out", str(of_user), "--user", day.users[1]))[0] == 0
    assert of_user.read_text() == await _text(org, day, day.users[1])


async def test_the_close_shows_what_is_owed_and_held(org: Tenant) -> None:
    day = await _closed(org)
    (reserve,) = day.signed["reserves"]
    amounts = {each: reserve[each] for each in ("owedAmount", "openAmount", "heldAmount", "ratio")}
    assert amounts == {
        "owedAmount": "147",
        "openAmount": "0",
        "heldAmount": "147",
        "ratio": "1.0000",
    }
    assert json.loads(day.signed["content"])["reserves"][0]["root"] == reserve["root"]


async def test_a_payout_is_no_longer_owed_in_coins(org: Tenant) -> None:
    """The organisation has bought them, and owes money at a bank."""
    ada, _ = await make_reviewers(org)
    await compared(org)
    user = await make_payee(org, funds="100")
    await accept(org, await make_offramp(org, user, await make_account(org, user), 30))
    (reserve,) = (await ada.post(CLOSES, {"day": await end_day(org)}))["reserves"]
    assert (reserve["owedAmount"], reserve["openAmount"]) == ("70", "0")
    assert (reserve["heldAmount"], reserve["ratio"]) == ("100", "1.4285")


async def test_missing_coins_show_in_the_ratio(org: Tenant) -> None:
    ada, _ = await make_reviewers(org)
    await make_difference(org)
    user = await make_user(org, funds="100")
    await shift_balance(org, user, -20_000_000)
    body = {"day": await end_day(org), "reason": "20 are gone"}
    (reserve,) = (await ada.post(CLOSES, body))["reserves"]
    # The ledger has 5 more than wallets and the organisation: they are owed to others, too.
    assert (reserve["owedAmount"], reserve["openAmount"]) == ("100", "5")
    assert (reserve["heldAmount"], reserve["ratio"]) == ("80", "0.7619")


async def test_later_payments_change_no_statement(org: Tenant) -> None:
    day = await _closed(org)
    before = await _text(org, day, day.users[0])
    await org.post(
        f"/v2/sandbox/users/{day.users[0]}/wallets/fund",
        {"chain": "POLYGON", "currency": "usdc", "amount": "11"},
    )
    await compared(org)
    statement, *shown = await _checked(org, day, day.users[0])
    assert [statement, *shown] == check_reserves(iter(before.splitlines()), day.keys)


async def test_what_is_not_confirmed_or_foreign_is_refused(org: Tenant, other_org: Tenant) -> None:
    ada, bob = await make_reviewers(org)
    user = await make_user(org, funds="100")
    await compared(org)
    signed = await ada.post(CLOSES, {"day": await end_day(org)})
    path = f"{_PROOFS}/{signed['close']['id']}"
    assert await org.refused("GET", path) == "409 RESOURCE_CONFLICT"
    await confirm(bob, signed)
    assert await org.refused("GET", path) == "409 RESOURCE_CONFLICT"
    await books.checkpoint(org)
    assert (await org.send("GET", path)).status_code == 200
    assert await other_org.refused("GET", path) == "404 RESOURCE_NOT_FOUND"
    stranger = await make_user(org)
    for query in ({"userId": stranger}, {"userId": await make_user(other_org)}):
        assert await org.refused("GET", path, **query) == "404 RESOURCE_NOT_FOUND"
    assert await org.refused("GET", path, userId="x") == "400 FIELD_VALIDATION_ERROR"
    key = await make_key(org, KeyScope.READ)
    headers = {"Authorization": f"Bearer {key}"}
    answer = await org.client.get(path, headers=headers, params={"userId": user})
    assert answer.status_code == 200, refusal(answer)


_FORGED = ("left out", "larger", "smaller", "negative", "another sum", "another user", "twice")


@pytest.mark.parametrize("name", _FORGED)
async def test_a_forged_tree_is_found(org: Tenant, dsn: str, tmp_path: Path, name: str) -> None:
    day = await _closed(org)
    whole = tmp_path / "reserves.txt"
    assert (await _run(org, dsn, day, "--out", str(whole)))[0] == 0
    first, *lines = whole.read_text().splitlines()
    own = (await _text(org, day, day.users[0])).splitlines()[1:]
    for tree in (lines, own):
        forged = _forge(name, [json.loads(each) for each in tree], day.users)
        if forged is None:
            continue
        with pytest.raises((BooksInvalid, OverflowError)):
            check_reserves(iter([first, *forged]), day.keys)


async def test_a_forged_statement_is_found(org: Tenant) -> None:
    day = await _closed(org)
    first, *lines = (await _text(org, day, day.users[0])).splitlines()
    found = json.loads(first)
    forged = found["statement"].replace('"held_units":"147000000"', '"held_units":"999000000"')
    assert forged != found["statement"]
    with pytest.raises(BooksInvalid, match="not confirmed"):
        check_reserves(iter([json.dumps({**found, "statement": forged}), *lines]), day.keys)


_TAMPERED = {
    "a balance is erased": "delete from reserve_balances where org_id = $1",
    "a balance is smaller": "update reserve_balances set balances = overlay(balances placing"
    " '\\x00' from 30) where org_id = $1",
    "a piece is larger": "update reserve_pieces set nodes = overlay(nodes placing"
    " '\\xff' from 44) where org_id = $1",
    "the tree is gone": "delete from reserve_pieces where org_id = $1",
}


@pytest.mark.parametrize("name", _TAMPERED)
async def test_a_tampered_database_gives_no_proof(org: Tenant, name: str) -> None:
    day = await _closed(org)
    await org.container.database.rows(_TAMPERED[name], org.org_id)
    answer = await org.send("GET", day.path, userId=day.users[0])
    if answer.status_code == 200:  # another user's piece: the verifier finds it
        with pytest.raises(BooksInvalid):
            check_reserves(iter(answer.text.splitlines()), day.keys)
    else:
        assert answer.status_code in {404, 500}


def _forge(name: str, lines: list[dict[str, Any]], users: list[str]) -> list[str] | None:
    """Return the lines of a tree that is not the one of the statement."""
    at = (
        next(n for n, each in enumerate(lines) if name != "another user" or "text" in each)
        if (name != "another user" or any("text" in each for each in lines))
        else None
    )
    if at is None:
        return None
    line = lines[at]
    units = {"larger": 1, "smaller": -1, "negative": -(10**12), "another sum": 5}
    match name:
        case "left out":
            lines = [*lines[:at], *lines[at + 1 :]]
        case "twice":
            lines = [*lines[: at + 1], line, *lines[at + 1 :]]
        case "another user":
            lines[at] = {**line, "text": line["text"].replace(users[0], users[1])}
        case _ if "text" in line:
            part = json.loads(line["text"])
            part["units"] = str(int(part["units"]) + units[name])
            text = json.dumps(part, sort_keys=True, separators=(",", ":"))
            lines[at] = {**line, "text": text}
        case _:
            lines[at] = {**line, "units": str(int(line["units"]) + units[name])}
            if name == "another sum" and "units" in lines[-1] and len(lines) > 1:
                # The total stays the same.
                other = int(lines[-1]["units"]) - units[name]
                lines[-1] = {**lines[-1], "units": str(other)}
    return [json.dumps(each) for each in lines]


async def _closed(org: Tenant) -> ClosedDay:
    ada, bob = await make_reviewers(org)
    users = [await make_user(org, funds=coins) for coins in ("100", "40", "7")]
    await compared(org)
    signed = await ada.post(CLOSES, {"day": await end_day(org)})
    await confirm(bob, signed)
    await books.checkpoint(org)
    return ClosedDay(signed, users, await books.keys(org))


async def _text(org: Tenant, day: ClosedDay, user: str) -> str:
    answer = await org.send("GET", day.path, userId=user)
    assert answer.status_code == 200, answer.text
    return answer.text


async def _checked(org: Tenant, day: ClosedDay, user: str) -> list[str]:
    return check_reserves(iter((await _text(org, day, user)).splitlines()), day.keys)


async def _run(org: Tenant, dsn: str, day: ClosedDay, *arguments: str) -> tuple[int, str]:
    env = {"LANDBRIDGE_DATABASE_URL": dsn, "LANDBRIDGE_MASTER_KEY": SETTINGS.master_key}
    close = day.signed["close"]["id"]
    words = ["proofs", "reserves", close, *arguments, "--org", str(org.org_id)]
    found = await asyncio.to_thread(CliRunner().invoke, commands, words, env=env)
    return found.exit_code, found.output
