"""Calls the API: sends a request, retries it if that can help, and returns the result or raises an error."""

from __future__ import annotations

import json
import random
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic, sleep
from typing import Any

import httpx

from ._errors import ConnectionError, RemitError, TimeoutError, error_from_response
from ._generated.api_version import API_VERSION
from ._generated.client import Client

_RETRIED_STATUSES = (429, 500, 502, 503, 504)
_FIRST_WAIT = 0.5
_MAX_WAIT = 8.0
_MAX_RETRY_AFTER = 60
"""If the service asks for a longer wait, the caller decides whether to wait."""


@dataclass(frozen=True)
class CallOptions:
    """The options of one call. None is that of the client."""

    timeout: float | None = None
    max_retries: int | None = None
    idempotency_key: str | None = None


@dataclass(frozen=True)
class _Answer:
    content: bytes
    status: int
    is_file: bool


class _JsonBody:
    """A body that the caller wrote as a dictionary. The service checks it."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = fields

    def to_dict(self) -> Mapping[str, Any]:
        return self._fields


class ApiCall:
    """Calls operations with the options of a client."""

    def __init__(
        self, api_key: str, base_url: str, timeout: float, max_retries: int, http: httpx.Client | None
    ) -> None:
        if api_key and api_key != api_key.strip():
            raise RemitError("api_key has white space or a line end at its ends. Remove it with strip().")
        if not re.fullmatch(r"[!-~]+", api_key or ""):
            raise RemitError("api_key is not valid. Pass a key of the form sk_test_… or sk_live_….")
        if not re.match(r"https?://", base_url or ""):
            raise RemitError("base_url is not valid. Pass an http or https URL.")
        self._base_url = base_url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {api_key}", "X-API-Version": API_VERSION}
        self._timeout = timeout
        self._max_retries = max_retries
        self._http = http or httpx.Client()
        # The generated code takes it to read a response. It sends nothing.
        self._reader = Client(base_url=self._base_url)

    def __call__(self, operation: Any, options: CallOptions, *ids: str, **arguments: Any) -> Any:
        """Call the operation of a generated module.

        Args:
            operation: The module.
            options: The options of this call.
            ids: The IDs in the path.
            arguments: The body and the parameters of the query.
        """
        for each in ids:
            # With an empty ID or dots, the path would be that of a different operation.
            if re.fullmatch(r"\.*", str(each)):
                raise RemitError(f"{each!r} is not valid. Pass the ID of a resource.")
        if isinstance(arguments.get("body"), Mapping):
            arguments["body"] = _JsonBody(arguments["body"])
        answer = self._send_until_done(operation._get_kwargs(*ids, **arguments), options)
        if answer.is_file:
            return answer.content
        response = httpx.Response(answer.status, content=answer.content)
        try:
            return operation._parse_response(client=self._reader, response=response)
        except (AttributeError, KeyError, TypeError, ValueError) as cause:
            message = f"The response does not have the form that this client knows: {cause!r}"
            raise ConnectionError(message, status=answer.status) from cause

    def _send_until_done(self, parts: dict[str, Any], options: CallOptions) -> _Answer:
        method = parts["method"].upper()
        headers = {**parts.get("headers", {}), **self._headers}
        if method != "GET":
            headers["Idempotency-Key"] = options.idempotency_key or str(uuid.uuid4())
        timeout = self._timeout if options.timeout is None else options.timeout
        max_retries = self._max_retries if options.max_retries is None else options.max_retries
        request: dict[str, Any] = {
            "method": method,
            "url": self._base_url + parts["url"],
            "headers": headers,
            "timeout": timeout,
            "params": {name: _text_of(value) for name, value in parts.get("params", {}).items()},
            **({"json": parts["json"]} if "json" in parts else {}),
        }
        retries = 0
        while True:
            try:
                return self._send_once(request, timeout)
            except RemitError as error:
                wait = _retry_delay(error, retries)
                if wait is None or retries >= max_retries:
                    raise
            sleep(wait)
            retries += 1

    def _send_once(self, request: dict[str, Any], timeout: float) -> _Answer:
        """Make one attempt. Raise the error of the response, or a ``ConnectionError``."""
        deadline = monotonic() + timeout
        response: httpx.Response | None = None
        try:
            response = self._open(request)
            if request["method"] == "GET" and response.status_code == 303 and "location" in response.headers:
                # A file that is too large for a response is read from the link to it, which needs no API key.
                link = response.headers["location"]
                response.close()
                response = self._open({"method": "GET", "url": link, "timeout": timeout})
            content = _read_until(deadline, response)
            is_file = response.headers.get("content-type") == "application/pdf"
            if response.is_success and not is_file:
                json.loads(content)
        except httpx.TimeoutException as cause:
            raise TimeoutError(f"No response within {timeout} s.", **_details(response)) from cause
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, ValueError) as cause:
            raise ConnectionError(f"No valid response: {cause or cause!r}", **_details(response)) from cause
        finally:
            if response is not None:
                response.close()
        if response.is_success:
            return _Answer(content, response.status_code, is_file)
        raise error_from_response(response.status_code, response.headers, content)

    def _open(self, parts: dict[str, Any]) -> httpx.Response:
        # Redirects are not followed: they could drop the body, or send the API key to another host.
        return self._http.send(self._http.build_request(**parts), stream=True, follow_redirects=False)


def _text_of(value: Any) -> Any:
    """Return a list as the API has it in a query: its items with commas between them."""
    return ",".join(value) if isinstance(value, list) else value


def _read_until(deadline: float, response: httpx.Response) -> bytes:
    """Return the body. The timeouts of httpx are those of each read, so the time of the whole is checked here."""
    parts = []
    for part in response.iter_bytes():
        parts.append(part)
        if monotonic() > deadline:
            raise httpx.ReadTimeout("The response was not complete in time.")
    return b"".join(parts)


def _details(response: httpx.Response | None) -> dict[str, Any]:
    if response is None:
        return {}
    return {"status": response.status_code, "request_id": response.headers.get("x-request-id")}


def _retry_delay(error: RemitError, retries: int) -> float | None:
    """Return the wait before the next attempt in seconds, or None if a retry cannot help.

    The random part prevents many clients from retrying at the same moment.
    """
    retry_after = error.retry_after_seconds or 0
    is_temporary = isinstance(error, ConnectionError) or error.status in _RETRIED_STATUSES
    if not is_temporary or retry_after > _MAX_RETRY_AFTER:
        return None
    backoff: float = min(_FIRST_WAIT * 2**retries, _MAX_WAIT)
    return retry_after + backoff * (0.5 + random.random() / 2)
