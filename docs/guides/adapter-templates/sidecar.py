"""Sidecar of a made-up bank, in Python without packages: copy it, and replace `Bank`.

It serves the provider protocol (docs/reference/provider-protocol.md). Its order of work is what
makes it safe: an order is stored before the bank is called, and the bank is called with our key, so
that a crash or a repeated call never pays twice.

    export SIDECAR_KEY_ID=2026-11 SIDECAR_SECRET=<32 characters or more>
    python sidecar.py --port 9100 --data orders.db [--webhook-url URL] [--test]
"""

import argparse
import contextlib
import hashlib
import hmac
import json
import os
import re
import sqlite3
import threading
import time
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_S = 300
BODY_BYTES_MAX = 1_000_000
SECRET_LENGTH_MIN = 32
# Of the made-up bank. Silence is longer than any caller waits.
SETTLES_AFTER_S, RETURNS_AFTER_S, SILENCE_S = 0.3, 1.0, 35
# The first key signs, both are accepted: a secret is replaced without a stop.
KEYS = {
    os.environ[f"SIDECAR_{age}KEY_ID"]: os.environ[f"SIDECAR_{age}SECRET"]
    for age in ("", "OLD_")
    if f"SIDECAR_{age}KEY_ID" in os.environ
}


def signature(secret: str, purpose: str, timestamp: str, subject: str, body: bytes) -> str:
    head = f"landbridge-v1\n{purpose}\n{timestamp}\n{subject}\n".encode()
    return hmac.new(secret.encode(), head + body, hashlib.sha256).hexdigest()


def signed_headers(purpose: str, subject: str, body: bytes, key_id: str | None = None) -> dict:
    key_id = key_id or next(iter(KEYS))
    timestamp = str(int(time.time()))
    return {
        "Landbridge-Key": key_id,
        "Landbridge-Timestamp": timestamp,
        "Landbridge-Signature": signature(KEYS[key_id], purpose, timestamp, subject, body),
    }


class Bank:
    """Made-up bank. Replace it: each method calls the real one, with `key` as idempotency key."""

    def pay(self, key: str, order: dict) -> None:
        """Submit a payment; safe to repeat with the same key."""

    def state(self, key: str, order: dict, accepted_at: float) -> tuple[str, str | None]:
        """Return the state at the bank, and the failure code if there is one."""
        age_s, outcome = time.time() - accepted_at, order.get("testOutcome", "settle")
        if age_s < SETTLES_AFTER_S:
            return "pending", None
        if outcome == "fail":
            return "failed", "account_closed"
        if outcome == "return" and age_s > RETURNS_AFTER_S:
            return "returned", None
        return "settled", None


class Orders:
    """Orders by key, on disk: the memory that makes every call safe to repeat."""

    def __init__(self, path: str) -> None:
        self._lock = threading.Lock()
        self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._db.execute("pragma synchronous = full")
        self._db.execute(
            "create table if not exists orders (key text primary key, body text not null, "
            "refusal text, calls integer not null, submitted integer not null, at real not null)"
        )

    def add(self, key: str, body: str, refusal: str | None, *, counts: bool) -> tuple:
        """Store an order unless it is known; return it as stored, and whether it is new."""
        with self._lock:
            added = self._db.execute(
                "insert into orders values (?, ?, ?, 0, 0, ?) on conflict do nothing",
                (key, body, refusal, time.time()),
            ).rowcount
            if counts:
                self._db.execute("update orders set calls = calls + 1 where key = ?", (key,))
        return self.find(key), added == 1

    def find(self, key: str) -> tuple | None:
        with self._lock:
            return self._db.execute(
                "select body, refusal, calls, submitted, at from orders where key = ?", (key,)
            ).fetchone()

    def mark_submitted(self, key: str) -> None:
        with self._lock:
            self._db.execute("update orders set submitted = submitted + 1 where key = ?", (key,))


class Sidecar:
    """Answers to the calls of the protocol: a status and a message."""

    def __init__(
        self, orders: Orders, bank: Bank, *, is_test: bool, webhook_url: str | None
    ) -> None:
        self.orders, self.bank = orders, bank
        self.is_test, self.webhook_url = is_test, webhook_url

    def describe(self, _message: dict) -> tuple[int, dict]:
        outcomes = ["settle", "refuse", "fail", "return", "silence", "not_done"]
        return 200, {
            "name": "Made-up bank",
            "protocol": 1,
            "testOutcomes": outcomes if self.is_test else [],
        }

    def pay(self, order: dict) -> tuple[int, dict]:
        key, outcome = order["key"], order.get("testOutcome")
        refusal = None
        if (outcome and not self.is_test) or not order["payee"]:
            refusal = "unsupported"
        elif outcome == "refuse":
            refusal = "account_invalid"
        body = json.dumps(order, sort_keys=True)
        stored, _ = self.orders.add(key, body, refusal, counts=True)
        known_body, known_refusal, calls, submitted, _ = stored
        if known_body != body:
            return 409, {"code": "key_conflict"}
        if known_refusal:
            return 422, {"key": key, "failureCode": known_refusal}
        if outcome == "not_done" and calls == 1:
            return 503, {"code": "not_done"}
        if not submitted:
            self.bank.pay(key, order)
            self.orders.mark_submitted(key)
            threading.Thread(target=self.notify, args=(key,), daemon=True).start()
        if outcome == "silence" and calls == 1:
            time.sleep(SILENCE_S)
        return self.query({"key": key})

    def query(self, message: dict) -> tuple[int, dict]:
        key = message["key"]
        stored = self.orders.find(key)
        if stored is None or not stored[3]:
            return 404, {"code": "unknown_key"}
        order = json.loads(stored[0])
        state, failure = self.bank.state(key, order, stored[4])
        answer = {
            "key": key,
            "state": state,
            "amount": order["amount"],
            "currency": order["currency"],
            "providerReference": f"bank-{key}",
            "expectedInSeconds": 1,
        }
        return 200, answer if failure is None else {**answer, "failureCode": failure}

    def notify(self, key: str) -> None:
        """Announce that a payout has changed, until it is acknowledged."""
        if self.webhook_url is None:
            return
        time.sleep(0.5)
        body, webhook_id = json.dumps({"key": key}).encode(), uuid.uuid4().hex
        for pause_s in (1, 5, 30, 300):
            headers = signed_headers("webhook", webhook_id, body)
            headers |= {"Landbridge-Webhook-Id": webhook_id, "Content-Type": "application/json"}
            request = urllib.request.Request(self.webhook_url, body, headers)
            try:
                urllib.request.urlopen(request, timeout=10).close()
            except OSError:
                time.sleep(pause_s)
            else:
                return


class Handler(BaseHTTPRequestHandler):
    """Reads and verifies a request, and signs the answer."""

    sidecar: Sidecar
    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch(r"[0-9]{1,7}", length) or int(length) > BODY_BYTES_MAX:
            self.close_connection = True
            return
        body = self.rfile.read(int(length))
        key_id = self.headers.get("Landbridge-Key", "")
        timestamp = self.headers.get("Landbridge-Timestamp", "")
        given = self.headers.get("Landbridge-Signature", "")
        if not self.is_signed(key_id, timestamp, given, body):
            self.answer(401, {"code": "signature_invalid"}, given, None)
            return
        calls = {
            "/v1/describe": self.sidecar.describe,
            "/v1/payouts": self.sidecar.pay,
            "/v1/payouts/query": self.sidecar.query,
        }
        call = calls.get(self.path)
        try:
            answer = (404, {"code": "unknown_path"}) if call is None else call(json.loads(body))
        except (KeyError, TypeError, ValueError):
            answer = 400, {"code": "invalid"}
        self.answer(*answer, given, key_id)

    def is_signed(self, key_id: str, timestamp: str, given: str, body: bytes) -> bool:
        if key_id not in KEYS or not re.fullmatch(r"[0-9]{1,11}", timestamp):
            return False
        if abs(int(timestamp) - time.time()) > TOLERANCE_S:
            return False
        expected = signature(KEYS[key_id], "request", timestamp, f"POST {self.path}", body)
        return hmac.compare_digest(expected.encode(), given.encode())

    def answer(self, status: int, message: dict, given: str, key_id: str | None) -> None:
        body = json.dumps(message).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        subject = f"{status} {given}"
        for name, value in signed_headers("answer", subject, body, key_id).items():
            self.send_header(name, value)
        with contextlib.suppress(ConnectionError):  # the caller has gone, and asks again
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing: payees are personal data."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--webhook-url")
    parser.add_argument("--test", action="store_true", help="take test outcomes; pay nobody")
    options = parser.parse_args()
    if not KEYS or any(len(secret) < SECRET_LENGTH_MIN for secret in KEYS.values()):
        parser.error("SIDECAR_KEY_ID and SIDECAR_SECRET (32 characters or more) are required")
    Handler.sidecar = Sidecar(
        Orders(options.data), Bank(), is_test=options.test, webhook_url=options.webhook_url
    )
    server = ThreadingHTTPServer(("127.0.0.1", options.port), Handler)
    print(f"listening on {server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
