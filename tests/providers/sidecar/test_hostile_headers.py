"""Headers of an answer that are no text: they are not a signature, and nothing else breaks."""

import time

import pytest

from landbridge.providers.sidecar.model import AnswerUnusable, OrderProblem
from tests.platform.http.listeners import answer, listening
from tests.providers.sidecar.kit import KEY, client_of, payment


@pytest.mark.parametrize("name", ["key", "timestamp", "signature"])
async def test_bytes_that_are_no_text_are_no_signature(name: str) -> None:
    values = {
        "key": KEY.id.encode(),
        "timestamp": str(int(time.time())).encode(),
        "signature": b"0" * 64,
        name: b"\xff\xfe",
    }
    head = b"".join(b"landbridge-%s: %s\r\n" % (each.encode(), values[each]) for each in values)
    script = answer(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n%s\r\n{}" % head)
    async with listening(script) as found, client_of(found.port) as client:
        with pytest.raises(AnswerUnusable) as caught:
            await client.pay(payment())
    assert caught.value.problem is OrderProblem.ANSWER_INVALID
