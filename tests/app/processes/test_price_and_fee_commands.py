"""Commands that set prices and fees, on an existing database."""

from pathlib import Path

import pytest

from tests.app.processes.server_process import landbridge
from tests.app.processes.test_cli import run


def test_prices_are_set_and_listed(own_dsn: str, tmp_path: Path) -> None:
    run(own_dsn, tmp_path, "orgs", "create", "--name", "Acme")
    args = ("prices", "set", "--from", "usdc", "--to", "usdt", "--rate", "0.9995")
    assert run(own_dsn, tmp_path, *args, "--fee", "0.002")[0] == 0
    _, listed, _ = run(own_dsn, tmp_path, "prices", "list")
    assert "usdc > usdt  0.9995  fee 0.002" in listed
    pair = ("--from", "usdc", "--to", "usdt")
    assert run(own_dsn, tmp_path, "prices", "remove", *pair)[0] == 0
    assert not run(own_dsn, tmp_path, "prices", "list")[1]
    assert run(own_dsn, tmp_path, "prices", "remove", *pair)[0] == 0
    refused = run(own_dsn, tmp_path, *args[:-1], "nonsense")
    assert refused[0] != 0
    assert "nonsense" in refused[2]


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--fee", "NaN", "fee NaN"),
        ("--fee", "sNaN", "fee sNaN"),
        ("--fee", "1", "below 1"),
        ("--fee", "-0.1", "at least 0"),
        ("--fee", "0.123456789", "at most 8 decimals"),
        ("--rate", "NaN", "rate NaN"),
        ("--rate", "2000000", "rate 2000000"),
        ("--from", "usdx", "'usdx' is not one of"),
        ("--to", "USDT", "'USDT' is not one of"),
        ("--from", "usd-hka", "'usd-hka' is not one of"),
    ],
)
def test_invalid_price_is_refused(option: str, value: str, words: str, tmp_path: Path) -> None:
    options = {"--from": "usdc", "--to": "usdt", "--rate": "1", option: value}
    args = [word for pair in options.items() for word in pair]
    done = landbridge("prices", "set", *args, cwd=tmp_path)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.long
def test_prices_of_fiat_and_corridors_are_set_and_listed(own_dsn: str, tmp_path: Path) -> None:
    run(own_dsn, tmp_path, "orgs", "create", "--name", "Acme")
    for source, destination in (("usdc", "brl"), ("brl", "usdc"), ("usdt", "usd-hka")):
        pair = ("--from", source, "--to", destination)
        assert run(own_dsn, tmp_path, "prices", "set", *pair, "--rate", "0.5")[0] == 0
    listed = run(own_dsn, tmp_path, "prices", "list")[1]
    assert [line.partition("  ")[0] for line in listed.splitlines()] == [
        "brl > usdc",
        "usdc > brl",
        "usdt > usd-hka",
    ]


@pytest.mark.long
def test_fees_are_set_listed_and_removed(own_dsn: str, tmp_path: Path) -> None:
    run(own_dsn, tmp_path, "orgs", "create", "--name", "Acme")
    pair = ("--from", "usdc", "--to", "usd-hka")
    assert run(own_dsn, tmp_path, "fees", "set", *pair, "--percent", "-0")[1].startswith("0 %")
    assert run(own_dsn, tmp_path, "fees", "set", *pair, "--percent", "0.250")[0] == 0
    assert "usdc > usd-hka  0.25 %  set " in run(own_dsn, tmp_path, "fees", "list")[1]
    for wrong in ("11", "-1", "NaN", "0.1234567"):
        code, _, error = run(own_dsn, tmp_path, "fees", "set", *pair, "--percent", wrong)
        assert code == 2
        assert "fee" in error
    assert run(own_dsn, tmp_path, "fees", "remove", *pair)[0] == 0
    assert not run(own_dsn, tmp_path, "fees", "list")[1]
    assert run(own_dsn, tmp_path, "fees", "remove", *pair)[0] == 0


@pytest.mark.parametrize("verb", [("set", "--rate", "1"), ("remove",)])
def test_fiat_to_fiat_price_is_refused(verb: tuple[str, ...], tmp_path: Path) -> None:
    done = landbridge("prices", *verb, "--from", "eur", "--to", "usd-sgp", cwd=tmp_path)
    assert done.returncode == 2
    assert "one of the two must be a stablecoin" in done.stderr
