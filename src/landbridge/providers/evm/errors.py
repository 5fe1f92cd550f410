"""Errors of a chain's nodes."""

from landbridge.platform.core.errors import Unavailable, Upstream


class NodeUnavailable(Unavailable):
    """No node gave a usable answer; nothing was sent, or it only read. Retry later."""


class TransactionTooLarge(NodeUnavailable):
    """The receipt of a transaction has more bytes than are read, at every node."""


class NodeError(Upstream):
    """A node answered with a JSON-RPC error.

    `text` and `data` are the node's own. They may name accounts: never show them to customers.
    """

    def __init__(self, code: int, text: str, data: object = None) -> None:
        super().__init__(f"the node answered error {code}")
        self.code = code
        self.text = text
        self.data = data


class NodeFailure(Exception):
    """A node gave no usable answer; the sentence follows the node's name and has no secrets.

    `is_unsent` if the request certainly did not arrive. Without `is_fault` the node stays in use.
    """

    def __init__(self, problem: str, *, is_unsent: bool = False, is_fault: bool = True) -> None:
        super().__init__(problem)
        self.is_unsent = is_unsent
        self.is_fault = is_fault


class AnswerTooLarge(NodeFailure):
    """An answer has more bytes than are read."""
