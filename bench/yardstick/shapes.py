"""What comes in and goes out, as pydantic models: the same JSON as ours."""

from decimal import Decimal
from uuid import UUID

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Shape(BaseModel):
    """camelCase on the wire."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class Source(Shape):
    """What is sold."""

    user_id: UUID
    chain: str
    currency: str
    amount: Decimal


class Destination(Shape):
    """What is bought."""

    chain: str
    currency: str


class NewSwap(Shape):
    """A swap that is asked for."""

    request_id: UUID
    source: Source
    destination: Destination


class SourceReply(Shape):
    """What is sold; pydantic prints a JSON number from a float only."""

    currency: str
    amount: float
    chain: str
    user_id: UUID


class DestinationReply(Shape):
    """What is bought."""

    currency: str
    user_id: UUID
    external_wallet_id: UUID | None
    amount: float | None
    chain: str
    wallet_address: str


class Amount(Shape):
    """A decimal string with its currency."""

    amount: str
    currency: str


class Quote(Shape):
    """The quote."""

    send_gross: Amount
    send_net: Amount
    receive_gross: Amount
    receive_net: Amount
    rate: str
    expires_at: str


class Fee(Shape):
    """The fee."""

    id: UUID
    amount: float
    currency: str
    type: str
    timing: str


class Billing(Shape):
    """What the swap costs."""

    fees: list[Fee]


class Details(Shape):
    """The swap itself."""

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
    """A swap as a transfer record."""

    transfer_type: str
    transfer_details: Details
