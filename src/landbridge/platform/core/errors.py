"""The four families of errors. Nothing else is raised on purpose.

- `Refused`: the caller requested something that is not allowed. A 4xx over HTTP, final in a step.
- `Busy`: not now; try again. Retried within bounds, then 503 with `Retry-After`.
- `Upstream`: an adapter's result (`Rejected`, `Unavailable`, `Unclear`). Never reaches HTTP.
- `InvariantBroken`: our own invariant is false. 500 without detail; the step stops.

A concrete refusal is a small class with `code`, `name` and `status` as class attributes (the
catalogue of the contract); its docstring is the default message. Only `http` renders it as JSON.
"""

import inspect
from collections.abc import Mapping
from typing import Any, ClassVar


class LandbridgeError(Exception):
    """Base class of all errors that Landbridge raises on purpose."""

    # Exit code of a command that fails with this error.
    exit_code: ClassVar[int] = 1


class Refused(LandbridgeError):
    """The request was refused; `invalid` lists the invalid fields, where the contract has them."""

    code: ClassVar[int]
    name: ClassVar[str]
    status: ClassVar[int]
    # Seconds after which the same request may be sent again; None if unknown.
    retry_after_s: int | None = None

    def __init__(
        self,
        message: str | None = None,
        *,
        field: str | None = None,
        invalid: Mapping[str, Any] | None = None,
    ) -> None:
        self.message = message or inspect.cleandoc(type(self).__doc__ or "")
        self.field = field
        self.invalid = invalid
        super().__init__(self.message)


class Busy(LandbridgeError):
    """The service is overloaded or briefly unavailable; the same request may be sent again."""

    retry_after_s: ClassVar[int] = 1
    # Sentence shown to the client in the error reply.
    sentence: ClassVar[str] = "the service is busy; send the same request again in a moment"


class ReadOnlyServer(Busy):
    """The database server accepts only reads: it is a standby."""

    sentence = (
        "this server is read-only, because its database is a standby; send the same request again "
        "later, or to a server that takes writes"
    )

    def __init__(self) -> None:
        super().__init__("the database can only be read: its server is a standby")


class LockTimeout(Busy):
    """Another transaction kept a row locked for too long; nothing was written."""


class Upstream(LandbridgeError):
    """A call of a provider did not succeed."""


class Rejected(Upstream):
    """The provider refused the order for good."""


class Unavailable(Upstream):
    """The provider did not carry out the order; it may be sent again."""


class Unclear(Upstream):
    """The provider may have carried out the order: query it by our key, never repeat it blindly."""


class InvariantBroken(LandbridgeError):
    """An invariant of Landbridge is violated, which only a bug can cause."""


class FieldInvalid(Refused):
    """A field is missing or invalid."""

    code, name, status = 100001, "FIELD_VALIDATION_ERROR", 400


class FieldsInvalid(FieldInvalid):
    """Fields are missing or invalid; `fields` maps each to a sentence, the first is `field`."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        field, message = next(iter(fields.items()))
        super().__init__(message, field=field)
        self.fields = fields


class MethodNotAllowed(Refused):
    """This path does not take this HTTP method."""

    code, name, status = 100002, "METHOD_NOT_ALLOWED", 405


class VersionInvalid(Refused):
    """No such path in this version of the interface."""

    code, name, status = 100003, "INVALID_VERSION", 404


class ResourceConflict(Refused):
    """The request conflicts with the state of the resource."""

    code, name, status = 100005, "RESOURCE_CONFLICT", 409


class ResourceNotFound(Refused):
    """There is no such resource."""

    code, name, status = 100301, "RESOURCE_NOT_FOUND", 404


class KeyInvalid(Refused):
    """The API key is not valid."""

    code, name, status = 200001, "INVALID_API_KEY", 401


class RoleNotAllowed(Refused):
    """This takes the key of a reviewer."""

    code, name, status = 200202, "USER_ROLE_NOT_ALLOWED", 403


class ProfileFrozen(Refused):
    """This organisation is frozen: it can look, and move nothing."""

    code, name, status = 200204, "PROFILE_FROZEN", 403


class UserFrozen(Refused):
    """This user is frozen."""

    code, name, status = 300202, "USER_FROZEN", 403


class KeyMissing(Refused):
    """Send your API key as `Authorization: Bearer <key>`."""

    code, name, status = 200203, "UNAUTHORIZED", 401
