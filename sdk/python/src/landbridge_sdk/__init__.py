"""Client library of Landbridge, the self-hosted stablecoin payments platform."""

from landbridge_sdk._clients import AsyncLandbridge, Landbridge
from landbridge_sdk._errors import (
    ApiError,
    Conflict,
    InvalidRequest,
    LandbridgeError,
    NotAllowed,
    NotAuthenticated,
    NotFound,
    NotReached,
    RateLimited,
    ServerError,
)
from landbridge_sdk._version import VERSION

__all__ = [
    "ApiError",
    "AsyncLandbridge",
    "Conflict",
    "InvalidRequest",
    "Landbridge",
    "LandbridgeError",
    "NotAllowed",
    "NotAuthenticated",
    "NotFound",
    "NotReached",
    "RateLimited",
    "ServerError",
    "__version__",
]
__version__ = VERSION
