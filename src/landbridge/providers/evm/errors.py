"""Errors of a chain's nodes."""

from landbridge.platform.core.errors import Unavailable, Upstream


class NodeUnavailable(Unavailable):
    """No node gave a usable answer. Nothing was sent: retry later."""


class TransactionTooLarge(NodeUnavailable):
    """The receipt of a transaction is too large to be read, at every node."""


class NodeError(Upstream):
    """A node answered with a JSON-RPC error.

    `text` and `data` come from the node. They may name accounts: never show them to customers.
    """

    def __init__(self, code: int, text: str, data: object = None) -> None:
        super().__init__(f"the node answered error {code}")
        self.code = code
        self.text = text
        self.data = data


class NodeFailure(Exception):
    """A node gave no usable answer; the sentence continues the node's name and has no secrets.

    `is_unsent` is True if the request certainly did not arrive. Without `is_fault`, the node stays
    in use.
    """

    def __init__(self, problem: str, *, is_unsent: bool = False, is_fault: bool = True) -> None:
        super().__init__(problem)
        self.is_unsent = is_unsent
        self.is_fault = is_fault


class AnswerTooLarge(NodeFailure):
    """An answer is larger than the maximum that is read."""
