"""Defines all errors that the client raises: one class for each error type of the API, and classes for connection failures."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any


class RemitError(Exception):
    """The base class of all errors. It is raised directly if a response does not come from the API, but from a proxy for example.

    Attributes:
        message: What went wrong, and what to do.
        type: The category of the error. None if the API did not send one.
        code: Identifies the error, for programs.
        field: The invalid parameter, as a dotted path.
        details: All parameters that are missing, unknown or invalid, at most 20. The first one is also in ``field``, ``code``
            and ``message``.
        doc_url: The page about the error code.
        status: The HTTP status. None if there was no response.
        request_id: The ID of the request in the log of the service. None if there was no response.
        retry_after_seconds: The number of seconds to wait before the next attempt, if the service sent it.
    """

    def __init__(
        self,
        message: str,
        *,
        type: str | None = None,
        code: str | None = None,
        field: str | None = None,
        details: list[dict[str, Any]] | None = None,
        doc_url: str | None = None,
        status: int | None = None,
        request_id: str | None = None,
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.type = type
        self.code = code
        self.field = field
        self.details = details
        self.doc_url = doc_url
        self.status = status
        self.request_id = request_id
        self.retry_after_seconds = retry_after_seconds


class ValidationError(RemitError):
    """400: A parameter is missing or invalid. ``field`` names it."""


class InvalidRequestError(RemitError):
    """400: The request is valid, but the state of the resource does not allow it."""


class IdempotencyError(RemitError):
    """400: The idempotency key is invalid, or was used for a different request."""


class AuthenticationError(RemitError):
    """401: The API key is missing, invalid, expired or revoked."""


class PermissionError(RemitError):
    """403: The API key does not have the required permission."""


class NotFoundError(RemitError):
    """404: The resource does not exist."""


class RateLimitError(RemitError):
    """429: You have used all requests of this hour, or you send too many at once, or the service is in maintenance.

    Wait for ``retry_after_seconds``.
    """


class ServerError(RemitError):
    """500: An error occurred in the service, or it cannot read a stored record (code ``record_unreadable``)."""


class ConnectionError(RemitError):
    """There was no response, or only an incomplete or invalid one. ``__cause__`` is the reason."""


class TimeoutError(ConnectionError):
    """There was no complete response within the timeout."""


_classes: Mapping[str, type[RemitError]] = {
    "validation_error": ValidationError,
    "invalid_request_error": InvalidRequestError,
    "idempotency_error": IdempotencyError,
    "authentication_error": AuthenticationError,
    "permission_error": PermissionError,
    "not_found_error": NotFoundError,
    "rate_limit_error": RateLimitError,
    "api_error": ServerError,
}


def error_from_response(status: int, headers: Mapping[str, str], content: bytes) -> RemitError:
    """Return the error for a response that is not successful. Header names are case-insensitive."""
    error = _error_in(content)
    kind = error.get("type")
    message = error.get("message")
    if not isinstance(message, str):
        message = f"The response has status {status} and is not from the API, but perhaps from a proxy."
    return _classes.get(str(kind), RemitError)(
        message,
        type=kind,
        code=error.get("code"),
        field=error.get("field"),
        details=error.get("details"),
        doc_url=error.get("docUrl"),
        status=status,
        request_id=headers.get("x-request-id"),
        retry_after_seconds=_retry_after(headers.get("retry-after", "")),
    )


def _error_in(content: bytes) -> dict[str, Any]:
    try:
        body = json.loads(content)
    except ValueError:
        return {}
    error = body.get("error") if isinstance(body, dict) else None
    return error if isinstance(error, dict) else {}


def _retry_after(text: str) -> float | None:
    """Return the header ``Retry-After`` in seconds. The header is a number of seconds or a date."""
    if re.fullmatch(r"[0-9]{1,9}", text):
        return float(text)
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=timezone.utc)
    seconds = (date - datetime.now(timezone.utc)).total_seconds()
    return seconds if seconds >= 0 else None
