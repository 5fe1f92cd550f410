"""The contract suite: the templates of the guide pass it, and each fault is found by a check."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from landbridge.app.cli import commands
from landbridge.providers.sidecar.signing import SigningSecret
from tests.app.processes.server_process import free_port
from tests.providers.sidecar.kit import (
    KEY,
    TEMPLATES,
    find_node,
    python_template,
    sidecar_process,
)

OLD_KEY = SigningSecret("2026-10", b"an older secret of the tests, 32 letters or more")
NO_NODE = "there is no node of version 22.6 or newer, which runs TypeScript without a build"


def write_file(folder: Path, port: int, *keys: SigningSecret) -> Path:
    for key in keys:
        (folder / key.id).write_bytes(key.secret + b"\n")
    tables = ", ".join(f'{{ id = "{key.id}", secret_file = "{key.id}" }}' for key in keys)
    path = folder / "providers.toml"
    path.write_text(
        f'[providers.acme]\nurl = "http://127.0.0.1:{port}"\nkeys = [{tables}]\ntimeout_s = 5\n'
    )
    return path


async def run_suite(command: Sequence[str], folder: Path, *options: str) -> Result:
    webhook_port = free_port()
    url = f"http://127.0.0.1:{webhook_port}/"
    async with sidecar_process(command, "--webhook-url", url, keys=(KEY, OLD_KEY)) as port:
        path = write_file(folder, port, KEY, OLD_KEY)
        arguments = ["adapters", "test", "acme", "--file", str(path), *options]
        arguments += ["--webhook-port", str(webhook_port)]
        return await asyncio.to_thread(CliRunner().invoke, commands, arguments)


@pytest.mark.long
async def test_python_template_passes(tmp_path: Path) -> None:
    result = await run_suite(python_template(tmp_path / "orders.db"), tmp_path)
    assert result.exit_code == 0, result.output
    assert "71 passed, 0 failed, 0 skipped" in result.output


@pytest.mark.long
async def test_typescript_template_passes(tmp_path: Path) -> None:
    node = find_node()
    if node is None:
        pytest.skip(NO_NODE)
    command = [node, "--experimental-strip-types", str(TEMPLATES / "sidecar.ts"), "--port", "0"]
    options = ("--rail", "pix", "--currency", "brl")
    result = await run_suite([*command, "--data", str(tmp_path / "o.jsonl")], tmp_path, *options)
    assert result.exit_code == 0, result.output
    assert "71 passed, 0 failed, 0 skipped" in result.output


# What a faulty sidecar does otherwise than the template, and the check that finds it.
FAULTS = {
    "signatures are not checked": (
        "        return hmac.compare_digest(expected.encode(), given.encode())",
        "        return True",
        "a request with a wrong signature does nothing",
    ),
    "time is not checked": (
        "abs(int(timestamp) - time.time()) > TOLERANCE_S",
        "False",
        "a request of an hour ago does nothing",
    ),
    "the path is not signed": (
        'expected = signature(KEYS[key_id], "request", timestamp, f"POST {self.path}", body)',
        """subjects = ("POST /v1/payouts", "POST /v1/payouts/query", f"POST {self.path}")
        signed = [signature(KEYS[key_id], "request", timestamp, s, body) for s in subjects]
        expected = given if given in signed else signed[0]""",
        "a signature for another path does nothing",
    ),
    "each call is a payment": (
        'f"bank-{key}"',
        'f"bank-{key}-{stored[2]}"',
        "a repeated call pays nothing again",
    ),
    "another amount is refused for good": (
        'return 409, {"code": "key_conflict"}\n        if known_refusal:',
        'return 422, {"key": key, "failureCode": "other"}\n        if known_refusal:',
        "a known key takes no other payment",
    ),
    "amounts are rounded": (
        '"amount": order["amount"]',
        '"amount": str(round(float(order["amount"])))',
        "amounts are carried to the last digit",
    ),
    "a failure is forgotten": (
        'return "failed", "account_closed"',
        (
            'failed = vars(self).setdefault(key, [("failed", "account_closed")])\n'
            '            return failed.pop() if failed else ("settled", None)'
        ),
        "a failure is final",
    ),
    "orders are not kept": (
        "stored is None or not stored[3]",
        "stored is None or stored[2] == 1",
        "an order without an answer is kept",
    ),
    "webhooks are not repeated": (
        "time.sleep(pause_s)",
        "return",
        "a change is announced by a signed webhook",
    ),
    "an account is opened for each call": (
        "stored = self.deposits.account(key)\n        if stored is None:",
        "stored = None\n        key += uuid.uuid4().hex\n        if stored is None:",
        "a key has one account, for ever",
    ),
    "credits are rounded": (
        "json.dumps(credit, sort_keys=True)",
        'json.dumps({**credit, "amount": str(int(float(credit["amount"])))})',
        "credits come in order, to the last digit",
    ),
    "the newest credits come first": (
        "place > ? order by place limit ?",
        "place > ? order by place desc limit ?",
        "a cursor is answered with the same credits again",
    ),
    "a credit that is known is added again": (
        "if self._db.execute(known, (credit_id, body)).fetchone() is None:",
        'body = body and body + " "\n            if body is not None or True:',
        "a credit that the bank reports twice is there once",
    ),
    "returns are not counted": (
        'self.orders.claim(credit_id, order["key"])',
        "True",
        "a credit is returned once",
    ),
    "reversals are forgotten": (
        '"reversed": [credit_id for _, credit_id, body in page if body is None]',
        '"reversed": []',
        "a reversed credit is reported, and not returned",
    ),
    "a hit is forgotten": (
        'if outcome == "hit" else',
        'if (vars(self).setdefault(key, [outcome]) or [""]).pop() == "hit" else',
        "a final answer never changes, however often it is asked",
    ),
    "what is not decided is clear": (
        'return "pending", []',
        'return "clear", []',
        "a late answer is pending before",
    ),
    "a screening is stored for each call": (
        "known_body, calls, _ = self.orders.add_screening(key, body)",
        "known_body, calls, _ = body, *self.orders.add_screening(key, body)[1:]",
        "one key with another amount is refused",
    ),
    "a decline is forgotten": (
        '"decline": {"state": "declined", "rejectReasons": ["FORGED"]},',
        '"decline": {"state": (vars(self).setdefault(key, ["declined"]) or ["approved"]).pop()},',
        "a person is verified, and the result never changes: decline",
    ),
    "a decline is an approval": (
        '"decline": {"state": "declined", "rejectReasons": ["FORGED"]},',
        "",
        "a person is verified, and the result never changes: decline",
    ),
    "an application is decided before its submission": (
        'review = {"state": "created"}',
        'review = {"state": "approved"}',
        "nothing is decided before the submission",
    ),
    "each creation is an application": (
        'f"application-{key}"',
        'f"application-{key}-{stored[1]}"',
        "one key is one application, however often it is created",
    ),
    "another applicant is accepted": (
        "known_body, calls, _ = self.orders.add_application(key, body)",
        "known_body, calls, _ = body, *self.orders.add_application(key, body)[1:]",
        "one key with another applicant is refused",
    ),
    "a refusal of an application is forgotten": (
        'elif outcome == "refuse":',
        'elif outcome == "refuse" and calls == 1:',
        "a refusal of an application is final",
    ),
    "a link is about another application": (
        '{"key": key, "url": url, "expiresInSeconds": 600}',
        '{"key": str(uuid.uuid4()), "url": url, "expiresInSeconds": 600}',
        "a link is about its application, or there is none",
    ),
    "an inquiry without an answer is approved": (
        'return "pending", None\n        return ("rejected", "No such wallet.")',
        'return "approved", None\n        return ("rejected", "No such wallet.")',
        "an inquiry is answered, and the answer never changes: approve",
    ),
    "each call is an inquiry": (
        'f"inquiry-{key}"',
        'f"inquiry-{key}-{calls}"',
        "one key is one inquiry, however often it is sent",
    ),
    "a message that was received comes again": (
        "for kind, message_ids in received.items():",
        "for kind, message_ids in ():",
        "inquiries of others are there until they are named as received",
    ),
    "answers are not signed": (
        '"Landbridge-Signature": signature(KEYS[key_id], purpose, timestamp, subject, body)',
        '"Landbridge-Signature": ""',
        "",
    ),
}


# In both languages: the template leaves the refusal to its bank.
_BANK_REFUSES = {
    "sidecar.py": {
        '        if outcome == "refuse":\n            return "account_invalid"\n': "",
        "    def open_account(self, key": (
            '        return "account_invalid" if order.get("testOutcome") == "refuse" else None\n\n'
            "    def open_account(self, key"
        ),
    },
    "sidecar.ts": {
        '    if (order.testOutcome === "refuse") return "account_invalid";\n': "",
        "pay(_key: string, _order: Order): Promise<string | null> {\n    return null;": (
            "pay(_key: string, order: Order): Promise<string | null> {\n"
            '    return order.testOutcome === "refuse" ? "account_invalid" : null;'
        ),
    },
}


@pytest.mark.long
@pytest.mark.parametrize("template", _BANK_REFUSES)
async def test_a_refusal_of_the_bank_is_answered(template: str, tmp_path: Path) -> None:
    node = find_node()
    if template.endswith(".ts") and node is None:
        pytest.skip(NO_NODE)
    text = (TEMPLATES / template).read_text()
    for right, other in _BANK_REFUSES[template].items():
        assert text.count(right) == 1, f"the template no longer has: {right}"
        text = text.replace(right, other)
    program, store = tmp_path / template, tmp_path / "orders"
    program.write_text(text)
    command = python_template(store)
    command[1] = str(program)
    if node is not None and template.endswith(".ts"):
        command = [node, "--experimental-strip-types", str(program), "--port", "0"]
        command += ["--data", str(store)]
    result = await run_suite(command, tmp_path)
    assert result.exit_code == 0, result.output


@pytest.mark.long
@pytest.mark.parametrize("fault", FAULTS)
async def test_fault_is_found(fault: str, tmp_path: Path) -> None:
    right, wrong, check = FAULTS[fault]
    text = (TEMPLATES / "sidecar.py").read_text()
    assert text.count(right) == 1, f"the template no longer has: {right}"
    program = tmp_path / "sidecar.py"
    program.write_text(text.replace(right, wrong))
    command = python_template(tmp_path / "orders.db")
    command[1] = str(program)
    result = await run_suite(command, tmp_path)
    assert result.exit_code == 1, result.output
    if check:
        assert f"FAILED   {check}" in result.output
    assert KEY.secret.decode() not in result.output


@pytest.mark.long
@pytest.mark.parametrize(("kind", "other"), [("coins", "rail"), ("fiat", "chain")])
async def test_a_sidecar_is_asked_about_what_it_screens(
    tmp_path: Path, kind: str, other: str
) -> None:
    program = tmp_path / "sidecar.py"
    text = (TEMPLATES / "sidecar.py").read_text()
    for right, more in {
        '            "screeningOutcomes": screened': f'            "screens": ["{kind}"],\n',
        '        key, outcome = transfer["key"]': f'        assert "{other}" not in transfer\n',
    }.items():
        assert text.count(right) == 1, f"the template no longer has: {right}"
        text = text.replace(right, more + right)
    program.write_text(text)
    command = python_template(tmp_path / "orders.db")
    command[1] = str(program)
    result = await run_suite(command, tmp_path)
    assert result.exit_code == 0, result.output
    assert f"passed   {kind}: screened in both directions" in result.output


async def test_a_sidecar_with_real_money_is_not_tested(tmp_path: Path) -> None:
    program = tmp_path / "sidecar.py"
    text = (TEMPLATES / "sidecar.py").read_text()
    text = text.replace("outcomes if self.is_test else []", "[]").replace(
        "screened if self.is_test else []", "[]"
    )
    text = text.replace("verified if self.is_test else []", "[]")
    text = text.replace("exchanged if self.is_test else []", "[]")
    program.write_text(text)
    command = python_template(tmp_path / "orders.db")
    command[1] = str(program)
    result = await run_suite(command, tmp_path)
    assert result.exit_code == 2
    assert "might move real money" in result.output


async def test_a_sidecar_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    path = write_file(tmp_path, 1, KEY)
    arguments = ["adapters", "test", "acme", "--file", str(path)]
    result = await asyncio.to_thread(CliRunner().invoke, commands, arguments)
    assert result.exit_code == 1
    assert result.output == "Error: provider acme: the connection was refused\n"


async def test_an_unknown_name_is_a_sentence(tmp_path: Path) -> None:
    path = write_file(tmp_path, 1, KEY)
    arguments = ["adapters", "test", "other", "--file", str(path)]
    result = await asyncio.to_thread(CliRunner().invoke, commands, arguments)
    assert result.exit_code == 2
    assert "has no provider other" in result.output
