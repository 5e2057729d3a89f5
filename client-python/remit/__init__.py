"""The client of Remit, an invoicing and payments API."""

from ._client import Remit
from ._errors import (
    AuthenticationError,
    ConnectionError,
    IdempotencyError,
    InvalidRequestError,
    NotFoundError,
    PermissionError,
    RateLimitError,
    RemitError,
    ServerError,
    TimeoutError,
    ValidationError,
)
from ._lists import List
from ._webhooks import WebhookVerificationError, verify_webhook

__all__ = [
    "AuthenticationError",
    "ConnectionError",
    "IdempotencyError",
    "InvalidRequestError",
    "List",
    "NotFoundError",
    "PermissionError",
    "RateLimitError",
    "Remit",
    "RemitError",
    "ServerError",
    "TimeoutError",
    "ValidationError",
    "WebhookVerificationError",
    "verify_webhook",
]
