"""Request and response models in pydantic, with the same JSON as ours."""

from decimal import Decimal
from uuid import UUID

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Shape(BaseModel):
    """camelCase on the wire."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class Source(Shape):
    """Source of a swap."""

    user_id: UUID
    chain: str
    currency: str
    amount: Decimal


class Destination(Shape):
    """Destination of a swap."""

    chain: str
    currency: str


class NewSwap(Shape):
    """Request for a swap."""

    request_id: UUID
    source: Source
    destination: Destination


class SourceReply(Shape):
    """Source of a swap; pydantic prints a JSON number from a float only."""

    currency: str
    amount: float
    chain: str
    user_id: UUID


class DestinationReply(Shape):
    """Destination of a swap."""

    currency: str
    user_id: UUID
    external_wallet_id: UUID | None
    amount: float | None
    chain: str
    wallet_address: str


class Amount(Shape):
    """Decimal string with its currency."""

    amount: str
    currency: str


class Quote(Shape):
    """Quote of a swap."""

    send_gross: Amount
    send_net: Amount
    receive_gross: Amount
    receive_net: Amount
    rate: str
    expires_at: str


class Fee(Shape):
    """Fee of a swap."""

    id: UUID
    amount: float
    currency: str
    type: str
    timing: str


class Billing(Shape):
    """Costs of a swap."""

    fees: list[Fee]


class Details(Shape):
    """Details of a swap."""

    id: UUID
    request_id: UUID
    status: str
    created_at: str
    updated_at: str
    source: SourceReply
    destination: DestinationReply
    error: str | None
    error_details: str | None
    quote_information: Quote
    billing_information: Billing


class Reply(Shape):
    """Swap as a transfer record."""

    transfer_type: str
    transfer_details: Details
