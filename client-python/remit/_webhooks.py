"""Verifies that a webhook message comes from Remit, according to Standard Webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from ._errors import RemitError
from ._generated.api_version import API_VERSION

_DEFAULT_TOLERANCE = 300
_FIRST_VERSION = "2026-11-21"
"""Its events do not name their version."""


class WebhookVerificationError(RemitError):
    """The message is not authentic, or not valid at this time. ``code`` gives the reason. Respond with status 400.

    The codes are ``body_not_raw``, ``body_changed``, ``missing_header``, ``invalid_secret``, ``wrong_secret``, ``too_old``,
    ``too_new`` and ``wrong_version``.
    """

    code: str

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message, code=code)


def verify_webhook(
    body: bytes | str,
    headers: Mapping[str, str],
    secret: str | Iterable[str],
    *,
    tolerance: float = _DEFAULT_TOLERANCE,
    received_at: datetime | None = None,
    api_version: str | Iterable[str] = API_VERSION,
) -> dict[str, Any]:
    """Verify a webhook message and return its event, as it was sent.

    Args:
        body: The raw body. A body that was parsed and serialized again does not match the signature.
        headers: The request headers. Their names are case-insensitive.
        secret: The secret of the endpoint (``whsec_…``), or several secrets, one of which must match.
        tolerance: The maximum difference between ``received_at`` and the timestamp of the message, in seconds.
        received_at: The time at which the message arrived. The default is now.
        api_version: The version of the endpoint, which determines the fields of its events. While you move an endpoint to
            another version, pass both, and compare ``event["apiVersion"]``.

    Raises:
        WebhookVerificationError: The message must not be used.
    """
    if not isinstance(body, (bytes, bytearray, memoryview, str)):
        raise WebhookVerificationError(
            "body_not_raw", "The body is already parsed. Pass the raw body, such as `request.get_data()`."
        )
    raw = body.encode() if isinstance(body, str) else bytes(body)
    message_id = _header_of(headers, "webhook-id")
    timestamp = _header_of(headers, "webhook-timestamp")
    signatures = [each.encode() for each in _header_of(headers, "webhook-signature").split(" ")]
    message = f"{message_id}.{timestamp}.".encode() + raw
    expected = [_sign(each, message) for each in _all_of(secret)]
    # Every pair is compared, and each in constant time, so the duration does not reveal where they differ.
    if not any([hmac.compare_digest(ours, theirs) for ours in expected for theirs in signatures]):
        raise _mismatch_error(raw)
    # The timestamp is checked last, so a message that is too old is known to be authentic.
    now = time.time() if received_at is None else received_at.timestamp()
    age = now - int(timestamp) if re.fullmatch(r"[0-9]{1,15}", timestamp) else float("inf")
    if abs(age) > tolerance:
        raise _timestamp_error(age)
    event: dict[str, Any] = json.loads(raw)
    version = event.get("apiVersion", _FIRST_VERSION)
    if version not in _all_of(api_version):
        raise _version_error(version)
    return event


def _all_of(value: str | Iterable[str]) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def _header_of(headers: Mapping[str, str], name: str) -> str:
    value = next((value for key, value in headers.items() if key.lower() == name), None)
    if not value:
        raise WebhookVerificationError(
            "missing_header", f"The header {name} is missing. Pass all headers of the request."
        )
    return str(value)


def _sign(secret: str, message: bytes) -> bytes:
    """Return the signature in the form of the header: ``v1,`` and the HMAC-SHA256 in base64."""
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise WebhookVerificationError(
            "invalid_secret",
            "The secret is not valid. Pass the secret of the webhook endpoint, in the form whsec_….",
        )
    return b"v1," + base64.b64encode(hmac.new(key, message, hashlib.sha256).digest())


def _mismatch_error(raw: bytes) -> WebhookVerificationError:
    """Return the error for a wrong signature. Remit sends bodies without white space: any other form was changed."""
    try:
        compact = json.dumps(json.loads(raw), separators=(",", ":"), ensure_ascii=False).encode()
    except ValueError:
        compact = b""
    if compact != raw:
        return WebhookVerificationError(
            "body_changed",
            "No signature matches because the body was parsed and serialized again. Pass the raw body.",
        )
    return WebhookVerificationError(
        "wrong_secret",
        "No signature matches. Check the secret: it can be out of date or belong to another endpoint. "
        "If it is correct, the message is forged.",
    )


def _timestamp_error(age: float) -> WebhookVerificationError:
    return WebhookVerificationError(
        "too_new" if age < 0 else "too_old",
        f"The message was signed {age:.0f} seconds ago. Check the clock. If it is correct, an old message was sent again.",
    )


def _version_error(version: str) -> WebhookVerificationError:
    return WebhookVerificationError(
        "wrong_version",
        f'The event has API version {version}. Change apiVersion of the endpoint, or pass api_version="{version}".',
    )
