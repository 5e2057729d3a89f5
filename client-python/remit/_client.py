"""Defines the client."""

from __future__ import annotations

from types import TracebackType

import httpx

from ._call import ApiCall
from ._generated.resources import Resources


class Remit(Resources):
    """A client of the API for one API key. Threads can share it."""

    def __init__(
        self,
        api_key: str,
        base_url: str,
        *,
        timeout: float = 30.0,
        max_retries: int = 2,
        http_client: httpx.Client | None = None,
    ) -> None:
        """Send no request.

        Args:
            api_key: The API key, ``sk_test_…`` or ``sk_live_…``. It determines the mode.
            base_url: The URL of the service without ``/api``, such as ``https://remit.example.com``.
            timeout: The timeout of each attempt in seconds.
            max_retries: The maximum number of retries after a temporary failure.
            http_client: Sends the requests, for example through a proxy. The caller closes it.

        Raises:
            RemitError: An option is invalid.
        """
        self._own_http = httpx.Client() if http_client is None else None
        super().__init__(ApiCall(api_key, base_url, timeout, max_retries, http_client or self._own_http))

    def close(self) -> None:
        """Close the connections."""
        if self._own_http is not None:
            self._own_http.close()

    def __enter__(self) -> Remit:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
