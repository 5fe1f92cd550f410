"""Sidecar of a made-up bank, in Python without packages: copy it, and replace `Bank`.

It serves the provider protocol (docs/reference/provider-protocol.md). Its order of work is what
makes it safe: an order is stored before the bank is called, and the bank is called with our key, so
that a crash or a repeated call never pays twice. Credits are a log with one entry for each, so that
any page can be read again.

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
# A document of an application has up to 10 MiB, and base64 adds a third.
BODY_BYTES_MAX = 14 * 1024 * 1024
SECRET_LENGTH_MIN = 32
# Messages of one kind in an answer of the inbox.
INBOX_MAX = 20
# Of the made-up bank. Silence is longer than any caller waits.
SETTLES_AFTER_S, RETURNS_AFTER_S, SILENCE_S = 0.3, 1.0, 35
VALUES = {"usdc": "0.9999", "usdt": "1.0002", "eur": "1.17", "brl": "0.1825", "mxn": "0.0557"}
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

    def pay(self, key: str, order: dict) -> str | None:
        """Submit a payment; safe to repeat with the same key.

        Return a `failureCode` only if the bank has refused it and can't carry it out any more.
        """

    def open_account(self, key: str, currency: str) -> dict:
        """Open an account for deposits; safe to repeat with the same key."""
        number = f"9{int(hashlib.sha256(key.encode()).hexdigest(), 16) % 10**15:015d}"
        coordinates = {
            "bankName": "Made-up Bank",
            "bankAddress": "1 Example Street, Springfield",
            "beneficiaryName": "Example Platform",
            "beneficiaryAddress": "2 Example Street, Springfield",
        }
        if currency == "usd":
            numbers = {"routingNumber": "123456780", "accountNumber": number}
            coordinates["rails"] = {"ach": numbers, "wire": numbers}
        else:
            coordinates["instruction"] = f"Pay to account {number}."
        return {"accountNumber": number, **coordinates}

    def screen(self, key: str, transfer: dict, asked_at: float) -> tuple[str, list[str]]:
        """Return `pending`, `clear` or `hit`, and what a hit is about; safe to repeat.

        It is a deposit, or with the `direction` `payment` one destination of a payment. A final
        answer must be the same for ever: store it if the real provider changes its mind.
        """
        outcome = transfer.get("testOutcome", "clear")
        if outcome == "late" and time.time() - asked_at < SETTLES_AFTER_S:
            return "pending", []
        return ("hit", ["sanctions"]) if outcome == "hit" else ("clear", [])

    def verify_payee(self, request: dict) -> tuple[str, str | None]:
        """Return `match`, `close_match` with the holder's name, `no_match` or `unavailable`."""
        outcome = request.get("testOutcome", "unavailable")
        return outcome, "A. Holder" if outcome == "close_match" else None

    def rates(self, currencies: list[str]) -> dict[str, str]:
        """Return dollars per unit of those that the bank prices, as decimal texts."""
        return {each: VALUES[each] for each in currencies if each in VALUES}

    def send_inquiry(self, key: str, inquiry: dict) -> None:
        """Send an inquiry about a transfer to another provider; safe to repeat."""

    def inquiry_state(self, inquiry: dict, sent_at: float) -> tuple[str, str | None]:
        """Return the state of an inquiry of ours, and the reason of a rejection.

        A final answer must be the same for ever: store it if the real provider changes its mind.
        """
        outcome = inquiry.get("testOutcome", "unknown")
        if outcome == "refuse":
            return "refused", None
        if outcome == "unknown":
            return "unknown_counterparty", None
        if time.time() - sent_at < SETTLES_AFTER_S:
            return "pending", None
        return ("rejected", "No such wallet.") if outcome == "reject" else ("approved", None)

    def resolve_inquiry(self, inquiry_id: str, resolution: dict) -> None:
        """Answer an inquiry of another provider; safe to repeat."""

    def confirm_transfer(self, key: str, transaction_hash: str | None) -> None:
        """Report what became of a transfer; None if nothing was sent. Safe to repeat."""

    def create_applicant(self, key: str, application: dict) -> None:
        """Create the applicant of a verification; safe to repeat with the same key."""

    def attach(self, key: str, document: dict) -> None:
        """Add a document: `file` is in base64. Safe to repeat with the same `documentId`."""

    def submit(self, key: str) -> None:
        """Start the verification; safe to repeat."""

    def verify(self, key: str, application: dict, submitted_at: float) -> dict:
        """Return the `state` of a submitted verification, and what its review says.

        A final answer must be the same for ever: store it if the real provider changes its mind.
        """
        outcome = application.get("testOutcome", "approve")
        if time.time() - submitted_at < SETTLES_AFTER_S:
            return {"state": "pending", "expectedInSeconds": 1}
        return {
            "retry": {"state": "retry", "rejectReasons": ["BLURRED"], "fields": ["lastName"]},
            "decline": {"state": "declined", "rejectReasons": ["FORGED"]},
            "information": {"state": "information", "comment": "Say where the funds come from."},
            "review": {"state": "review", "note": "The name is common."},
        }.get(outcome, {"state": "approved"})

    def link(self, key: str) -> str | None:
        """Return the provider's own page for the person; None if it has none."""
        return f"https://bank.example.com/verify/{hashlib.sha256(key.encode()).hexdigest()}"

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
        self._db.execute(
            "create table if not exists screenings (key text primary key, body text not null, "
            "calls integer not null, at real not null)"
        )
        self._db.execute(
            "create table if not exists applications (key text primary key, body text not null, "
            "calls integer not null, submitted_at real)"
        )
        # A credit has one return that has not failed.
        self._db.execute("create table if not exists returns (credit text primary key, key text)")

    def claim(self, credit_id: str, key: str) -> bool:
        """Have this order return a credit; False if another one does."""
        with self._lock:
            self._db.execute(
                "insert into returns values (?, ?) on conflict do nothing", (credit_id, key)
            )
            held = "select key = ? from returns where credit = ?"
            return bool(self._db.execute(held, (key, credit_id)).fetchone()[0])

    def release(self, key: str) -> None:
        """Let another order return the credit, as this one has failed."""
        with self._lock:
            self._db.execute("delete from returns where key = ?", (key,))

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

    def add_screening(self, key: str, body: str) -> tuple:
        """Store a deposit unless it is known, and count the call; return it as stored."""
        with self._lock:
            self._db.execute(
                "insert into screenings values (?, ?, 0, ?) on conflict do nothing",
                (key, body, time.time()),
            )
            self._db.execute("update screenings set calls = calls + 1 where key = ?", (key,))
        return self.find_screening(key)

    def find_screening(self, key: str) -> tuple | None:
        with self._lock:
            found = "select body, calls, at from screenings where key = ?"
            return self._db.execute(found, (key,)).fetchone()

    def add_application(self, key: str, body: str) -> tuple:
        """Store an application unless it is known, and count the call; return it as stored."""
        with self._lock:
            self._db.execute(
                "insert into applications values (?, ?, 0, null) on conflict do nothing",
                (key, body),
            )
            self._db.execute("update applications set calls = calls + 1 where key = ?", (key,))
        return self.find_application(key)

    def find_application(self, key: str) -> tuple | None:
        with self._lock:
            found = "select body, calls, submitted_at from applications where key = ?"
            return self._db.execute(found, (key,)).fetchone()

    def submit_application(self, key: str) -> bool:
        """Store that an application is submitted; False if it was before."""
        with self._lock:
            submitted = (
                "update applications set submitted_at = ? where key = ? and submitted_at is null"
            )
            return self._db.execute(submitted, (time.time(), key)).rowcount == 1

    def find(self, key: str) -> tuple | None:
        with self._lock:
            return self._db.execute(
                "select body, refusal, calls, submitted, at from orders where key = ?", (key,)
            ).fetchone()

    def mark_submitted(self, key: str) -> None:
        with self._lock:
            self._db.execute("update orders set submitted = submitted + 1 where key = ?", (key,))

    def refuse(self, key: str, code: str) -> None:
        with self._lock:
            self._db.execute("update orders set refusal = ? where key = ?", (code, key))


class Deposits:
    """Accounts by key, and the log of credits and reversals, on disk."""

    def __init__(self, path: str) -> None:
        self._lock = threading.Lock()
        self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._db.execute("pragma synchronous = full")
        self._db.execute(
            "create table if not exists accounts (key text primary key, request text not null, "
            "answer text not null)"
        )
        # The place is the cursor. It only grows, and a credit keeps its own.
        self._db.execute(
            "create table if not exists log (place integer primary key autoincrement, "
            "credit text not null, body text, unique (credit, body))"
        )

    def account(self, key: str) -> tuple[str, str] | None:
        with self._lock:
            found = "select request, answer from accounts where key = ?"
            return self._db.execute(found, (key,)).fetchone()

    def add_account(self, key: str, request: str, answer: str) -> None:
        with self._lock:
            added = "insert into accounts values (?, ?, ?) on conflict do nothing"
            self._db.execute(added, (key, request, answer))

    def add(self, credit_id: str, body: str | None) -> None:
        """Add a credit, or without a body its reversal; a known one stays as it is.

        For each that the bank reports, however often. Reversals come behind their credits.
        """
        with self._lock:
            known = "select 1 from log where credit = ? and (body is null) = (? is null)"
            if self._db.execute(known, (credit_id, body)).fetchone() is None:
                self._db.execute("insert into log (credit, body) values (?, ?)", (credit_id, body))

    def after(self, place: int, limit: int) -> list[tuple]:
        with self._lock:
            page = "select place, credit, body from log where place > ? order by place limit ?"
            return self._db.execute(page, (place, limit)).fetchall()

    def find(self, credit_id: str) -> dict | None:
        """Return a credit, unless it was reversed."""
        with self._lock:
            found = "select body from log where credit = ? order by body is not null"
            row = self._db.execute(found, (credit_id,)).fetchone()
        return None if row is None or row[0] is None else json.loads(row[0])


class Exchanges:
    """Travel rule messages on disk: inquiries of ours by key, and the inbox of those of others."""

    def __init__(self, path: str) -> None:
        self._lock = threading.Lock()
        self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._db.execute("pragma synchronous = full")
        self._db.execute(
            "create table if not exists inquiries (key text primary key, body text not null, "
            "calls integer not null, at real not null, confirmation text)"
        )
        self._db.execute(
            "create table if not exists inbox (place integer primary key, kind text not null, "
            "id text not null, body text not null, is_received integer not null, resolution text, "
            "unique (kind, id))"
        )

    def add(self, key: str, body: str) -> tuple:
        """Store an inquiry of ours unless it is known, and count the call; return it as stored."""
        with self._lock:
            added = (
                "insert into inquiries values (?, ?, 1, ?, null) "
                "on conflict (key) do update set calls = calls + 1 returning body, calls, at"
            )
            return self._db.execute(added, (key, body, time.time())).fetchall()[0]

    def confirm(self, key: str, body: str) -> str | None:
        """Store a confirmation unless there is one; return the stored one, None without inquiry."""
        with self._lock:
            first = "update inquiries set confirmation = ? where key = ? and confirmation is null"
            self._db.execute(first, (body, key))
            found = "select confirmation from inquiries where key = ?"
            row = self._db.execute(found, (key,)).fetchone()
        return None if row is None else row[0]

    def put(self, kind: str, message: dict) -> None:
        """Add a message of another provider; a known one stays as it is."""
        with self._lock:
            added = "insert into inbox (kind, id, body, is_received) values (?, ?, ?, 0) "
            values = (kind, message["id"], json.dumps(message))
            self._db.execute(added + "on conflict do nothing", values)

    def receive(self, kind: str, message_ids: list[str]) -> None:
        """Mark messages as received; they are not needed again."""
        with self._lock:
            for each in message_ids:
                received = "update inbox set is_received = 1 where kind = ? and id = ?"
                self._db.execute(received, (kind, each))

    def unread(self, kind: str, limit: int) -> list[dict]:
        """Return messages that were not received, the oldest first."""
        with self._lock:
            page = (
                "select body from inbox where kind = ? and not is_received order by place limit ?"
            )
            return [json.loads(body) for (body,) in self._db.execute(page, (kind, limit))]

    def resolve(self, inquiry_id: str, body: str) -> tuple | None:
        """Store our answer unless there is one; return the stored one, and the inquiry."""
        with self._lock:
            self._db.execute(
                "update inbox set resolution = ? "
                "where kind = 'inquiries' and id = ? and resolution is null",
                (body, inquiry_id),
            )
            found = "select resolution, body from inbox where kind = 'inquiries' and id = ?"
            return self._db.execute(found, (inquiry_id,)).fetchone()


class Sidecar:
    """Answers to the calls of the protocol: a status and a message."""

    def __init__(
        self,
        orders: Orders,
        deposits: Deposits,
        exchanges: Exchanges,
        bank: Bank,
        *,
        is_test: bool,
        webhook_url: str | None,
    ) -> None:
        self.orders, self.deposits, self.exchanges, self.bank = orders, deposits, exchanges, bank
        self.is_test, self.webhook_url = is_test, webhook_url

    def describe(self, _message: dict) -> tuple[int, dict]:
        outcomes = ["settle", "refuse", "fail", "return", "silence", "not_done"]
        screened = ["clear", "hit", "late", "silence"]
        payees = ["match", "close_match", "no_match", "unavailable"]
        verified = ["approve", "retry", "decline", "information", "review", "refuse", "silence"]
        exchanged = ["approve", "reject", "refuse", "unknown", "silence", "inquire"]
        return 200, {
            "name": "Made-up bank",
            "protocol": 1,
            "testOutcomes": outcomes if self.is_test else [],
            "deposits": ["usd", "eur", "brl", "mxn"],
            "screeningOutcomes": screened if self.is_test else [],
            "payeeOutcomes": payees if self.is_test else [],
            "identityOutcomes": verified if self.is_test else [],
            "rates": list(VALUES),
            "travelOutcomes": exchanged if self.is_test else [],
        }

    def rates(self, message: dict) -> tuple[int, dict]:
        currencies = message["currencies"]
        if not isinstance(currencies, list) or not currencies:
            return 400, {"code": "invalid"}
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        return 200, {"at": at, "usd": self.bank.rates(currencies)}

    def verify_payee(self, message: dict) -> tuple[int, dict]:
        texts = ("orgId", "currency", "rail")
        is_whole = all(isinstance(message[each], str) for each in texts) and message["payee"]
        if not is_whole or ("testOutcome" in message and not self.is_test):
            return 400, {"code": "invalid"}
        match, name = self.bank.verify_payee(message)
        return 200, {"match": match} if name is None else {"match": match, "name": name}

    def screen(self, transfer: dict) -> tuple[int, dict]:
        key, outcome = transfer["key"], transfer.get("testOutcome")
        body = json.dumps(transfer, sort_keys=True)
        is_whole = all(isinstance(transfer[each], str) for each in ("orgId", "amount", "currency"))
        if not is_whole or (outcome and not self.is_test):
            return 400, {"code": "invalid"}
        known_body, calls, _ = self.orders.add_screening(key, body)
        answer = self.query_screening({"key": key})
        if known_body != body:
            answer = 409, {"code": "key_conflict"}
        elif outcome == "silence" and calls == 1:
            time.sleep(SILENCE_S)
        elif outcome == "late" and calls == 1:
            threading.Thread(target=self.notify, args=({"key": key},), daemon=True).start()
        return answer

    def query_screening(self, message: dict) -> tuple[int, dict]:
        key = message["key"]
        stored = self.orders.find_screening(key)
        if stored is None:
            return 404, {"code": "unknown_key"}
        state, categories = self.bank.screen(key, json.loads(stored[0]), stored[2])
        return 200, {
            "key": key,
            "state": state,
            "categories": categories,
            "providerReference": f"screening-{key}",
            "expectedInSeconds": 1,
        }

    def create_application(self, message: dict) -> tuple[int, dict]:
        key, outcome = message["key"], message.get("testOutcome")
        is_whole = all(isinstance(message[each], str) for each in ("orgId", "rail"))
        if not is_whole or not isinstance(message["facts"], dict) or (outcome and not self.is_test):
            return 400, {"code": "invalid"}
        body = json.dumps(message, sort_keys=True)
        known_body, calls, _ = self.orders.add_application(key, body)
        if known_body != body:
            answer = 409, {"code": "key_conflict"}
        elif outcome == "refuse":
            answer = 422, {"key": key, "code": "unsupported"}
        else:
            self.bank.create_applicant(key, message)
            if outcome == "silence" and calls == 1:
                time.sleep(SILENCE_S)
            answer = self.query_application(message)
        return answer

    def attach_document(self, message: dict) -> tuple[int, dict]:
        is_whole = all(isinstance(message[each], str) for each in ("documentId", "type"))
        if not is_whole:
            return 400, {"code": "invalid"}
        if self.orders.find_application(message["key"]) is not None:
            self.bank.attach(message["key"], message)
        return self.query_application(message)

    def submit_application(self, message: dict) -> tuple[int, dict]:
        key = message["key"]
        if self.orders.find_application(key) is not None:
            self.bank.submit(key)
            if self.orders.submit_application(key):
                threading.Thread(target=self.notify, args=({"key": key},), daemon=True).start()
        return self.query_application(message)

    def query_application(self, message: dict) -> tuple[int, dict]:
        key = message["key"]
        stored = self.orders.find_application(key)
        if stored is None:
            return 404, {"code": "unknown_key"}
        application, submitted_at = json.loads(stored[0]), stored[2]
        review = {"state": "created"}
        if submitted_at is not None:
            review = self.bank.verify(key, application, submitted_at)
        return 200, {"key": key, "providerReference": f"application-{key}", **review}

    def open_link(self, message: dict) -> tuple[int, dict]:
        key = message["key"]
        url = None if self.orders.find_application(key) is None else self.bank.link(key)
        if url is None:
            return 404, {"code": "unknown_key"}
        return 200, {"key": key, "url": url, "expiresInSeconds": 600}

    def send_inquiry(self, message: dict) -> tuple[int, dict]:
        key, outcome = message["key"], message.get("testOutcome")
        texts = ("orgId", "counterparty", "walletAddress", "token", "amount")
        is_whole = all(isinstance(message[each], str) for each in texts)
        if (
            not is_whole
            or not isinstance(message["ivms101"], dict)
            or (outcome and not self.is_test)
        ):
            return 400, {"code": "invalid"}
        body = json.dumps(message, sort_keys=True)
        known_body, calls, sent_at = self.exchanges.add(key, body)
        if known_body != body:
            return 409, {"code": "key_conflict"}
        self.bank.send_inquiry(key, message)
        if outcome == "inquire":
            same = {each: message[each] for each in (*texts, "ivms101")}
            self.exchanges.put("inquiries", {"id": f"inquiry-{key}", **same})
        if calls == 1:
            threading.Thread(target=self.notify, args=({"key": key},), daemon=True).start()
        if outcome == "silence" and calls == 1:
            time.sleep(SILENCE_S)
        state, comment = self.bank.inquiry_state(message, sent_at)
        answer = {"key": key, "state": state}
        return 200, answer if comment is None else {**answer, "comment": comment}

    def resolve_inquiry(self, message: dict) -> tuple[int, dict]:
        inquiry_id, is_approved = message["id"], message["isApproved"]
        if not isinstance(inquiry_id, str) or not isinstance(is_approved, bool):
            return 400, {"code": "invalid"}
        body = json.dumps(message, sort_keys=True)
        stored = self.exchanges.resolve(inquiry_id, body)
        if stored is None:
            return 404, {"code": "unknown_key"}
        if stored[0] != body:
            return 409, {"code": "key_conflict"}
        self.bank.resolve_inquiry(inquiry_id, message)
        if self.is_test and is_approved:
            inquiry = json.loads(stored[1])
            made_up = {each: inquiry[each] for each in ("id", "orgId", "counterparty")}
            digest = hashlib.sha256(inquiry_id.encode()).hexdigest()
            self.exchanges.put("confirmations", {**made_up, "transactionHash": f"0x{digest}"})
        return 200, {"id": inquiry_id}

    def confirm_transfer(self, message: dict) -> tuple[int, dict]:
        key, transaction_hash = message["key"], message.get("transactionHash")
        if not isinstance(key, str):
            return 400, {"code": "invalid"}
        body = json.dumps(message, sort_keys=True)
        known_body = self.exchanges.confirm(key, body)
        if known_body is None:
            return 404, {"code": "unknown_key"}
        if known_body != body:
            return 409, {"code": "key_conflict"}
        self.bank.confirm_transfer(key, transaction_hash)
        return 200, {"id": key}

    def read_inbox(self, message: dict) -> tuple[int, dict]:
        limit = message["limit"]
        received = {kind: message.get(kind, []) for kind in ("inquiries", "confirmations")}
        is_whole = all(isinstance(each, list) for each in received.values())
        if not is_whole or not isinstance(limit, int) or not 1 <= limit <= INBOX_MAX:
            return 400, {"code": "invalid"}
        for kind, message_ids in received.items():
            self.exchanges.receive(kind, message_ids)
        return 200, {kind: self.exchanges.unread(kind, limit) for kind in received}

    def open_account(self, message: dict) -> tuple[int, dict]:
        key, currency = message["key"], message["currency"]
        request = json.dumps([message["orgId"], currency])
        stored = self.deposits.account(key)
        if stored is None:
            opened = {"key": key, "currency": currency, **self.bank.open_account(key, currency)}
            self.deposits.add_account(key, request, json.dumps(opened))
            stored = self.deposits.account(key)
        known, answer = stored
        return (200, json.loads(answer)) if known == request else (409, {"code": "key_conflict"})

    def credits(self, message: dict) -> tuple[int, dict]:
        after = int(message.get("after", "0"))
        page = self.deposits.after(after, int(message["limit"]))
        return 200, {
            "credits": [json.loads(body) for _, _, body in page if body is not None],
            "reversed": [credit_id for _, credit_id, body in page if body is None],
            "next": str(page[-1][0] if page else after),
        }

    def make_test_credit(self, message: dict) -> tuple[int, dict]:
        if not self.is_test:
            return 404, {"code": "unknown_path"}
        credit = message["credit"]
        self.deposits.add(
            credit["id"], None if message.get("isReversed") else json.dumps(credit, sort_keys=True)
        )
        threading.Thread(target=self.notify, args=({"credits": True},), daemon=True).start()
        return 200, {}

    def pay(self, order: dict) -> tuple[int, dict]:
        key, outcome = order["key"], order.get("testOutcome")
        refusal = None if self.orders.find(key) else self.refusal(order)
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
            if refused := self.bank.pay(key, order):
                self.orders.refuse(key, refused)
                return 422, {"key": key, "failureCode": refused}
            self.orders.mark_submitted(key)
            threading.Thread(target=self.notify, args=({"key": key},), daemon=True).start()
        if outcome == "silence" and calls == 1:
            time.sleep(SILENCE_S)
        return self.query({"key": key})

    def refusal(self, order: dict) -> str | None:
        """Return why a new order is refused for good, if it is."""
        outcome, credit_id = order.get("testOutcome"), order.get("returns")
        if (outcome and not self.is_test) or (credit_id is None and not order["payee"]):
            return "unsupported"
        if outcome == "refuse":
            return "account_invalid"
        if credit_id is None:
            return None
        credit = self.deposits.find(credit_id)
        whole = ("amount", "currency")
        if credit is not None and [order[each] for each in whole] != [
            credit[each] for each in whole
        ]:
            return "unsupported"
        is_claimed = credit is not None and self.orders.claim(credit_id, order["key"])
        return None if is_claimed else "credit_gone"

    def query(self, message: dict) -> tuple[int, dict]:
        key = message["key"]
        stored = self.orders.find(key)
        if stored is None or not stored[3]:
            return 404, {"code": "unknown_key"}
        order = json.loads(stored[0])
        state, failure = self.bank.state(key, order, stored[4])
        if state in {"failed", "returned"}:
            self.orders.release(key)
        answer = {
            "key": key,
            "state": state,
            "amount": order["amount"],
            "currency": order["currency"],
            "providerReference": f"bank-{key}",
            "expectedInSeconds": 1,
        }
        return 200, answer if failure is None else {**answer, "failureCode": failure}

    def notify(self, message: dict) -> None:
        """Announce that a payout has changed, or credits, until it is acknowledged."""
        if self.webhook_url is None:
            return
        time.sleep(0.5)
        body, webhook_id = json.dumps(message).encode(), uuid.uuid4().hex
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
        if not re.fullmatch(r"[0-9]{1,8}", length) or int(length) > BODY_BYTES_MAX:
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
            "/v1/accounts": self.sidecar.open_account,
            "/v1/credits/query": self.sidecar.credits,
            "/v1/test/credits": self.sidecar.make_test_credit,
            "/v1/screenings": self.sidecar.screen,
            "/v1/screenings/query": self.sidecar.query_screening,
            "/v1/payees": self.sidecar.verify_payee,
            "/v1/rates/query": self.sidecar.rates,
            "/v1/travel-rule/inquiries": self.sidecar.send_inquiry,
            "/v1/travel-rule/resolutions": self.sidecar.resolve_inquiry,
            "/v1/travel-rule/confirmations": self.sidecar.confirm_transfer,
            "/v1/travel-rule/inbox": self.sidecar.read_inbox,
            "/v1/applications": self.sidecar.create_application,
            "/v1/applications/documents": self.sidecar.attach_document,
            "/v1/applications/submit": self.sidecar.submit_application,
            "/v1/applications/query": self.sidecar.query_application,
            "/v1/applications/link": self.sidecar.open_link,
        }
        call = calls.get(self.path)
        try:
            answer = (404, {"code": "unknown_path"}) if call is None else call(json.loads(body))
        except (AttributeError, KeyError, TypeError, ValueError):
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
        Orders(options.data),
        Deposits(options.data),
        Exchanges(options.data),
        Bank(),
        is_test=options.test,
        webhook_url=options.webhook_url,
    )
    server = ThreadingHTTPServer(("127.0.0.1", options.port), Handler)
    print(f"listening on {server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
