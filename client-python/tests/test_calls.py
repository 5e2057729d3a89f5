"""Tests requests, retries and errors against a server that fails on purpose."""

from __future__ import annotations

import time
import unittest
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from unittest.mock import patch

import httpx

import remit
from scripted_server import Answer, Server, error, scripted_server

PAGE = Answer(body={"data": [], "pagination": {"total": 0, "limit": 100, "offset": 0, "hasMore": False}})
DELETION = Answer(body={"id": "cus_1", "deletedAt": "2026-03-01T10:00:00Z", "deleted": True})
BUSY = error(503, "api_error", "service_unavailable")


def client_of(server: Server, **options: object) -> remit.Remit:
    return remit.Remit("sk_test_1", server.url, **options)  # type: ignore[arg-type]


def delete(client: remit.Remit, **options: object) -> object:
    return client.customers.delete("cus_1", **options)  # type: ignore[arg-type]


class WithoutWaiting(unittest.TestCase):
    """Records the waits between attempts in their place."""

    def setUp(self) -> None:
        self.waits: list[float] = []
        patcher = patch("remit._call.sleep", self.waits.append)
        patcher.start()
        self.addCleanup(patcher.stop)


class Requests(WithoutWaiting):
    def test_a_read_has_the_key_and_the_version_and_no_idempotency_key(self) -> None:
        with scripted_server(PAGE) as server:
            client_of(server).invoices.list(status=["pending", "overdue"], customer_id="a&b").page()
        [request] = server.requests
        self.assertEqual(request["headers"]["authorization"], "Bearer sk_test_1")
        self.assertRegex(request["headers"]["x-api-version"], r"^\d{4}-\d\d-\d\d$")
        self.assertNotIn("idempotency-key", request["headers"])
        self.assertEqual(request["path"], "/api/invoices?limit=20&offset=0&status=pending%2Coverdue&customerId=a%26b")

    def test_each_write_has_a_key_of_its_own_or_that_of_the_caller(self) -> None:
        with scripted_server(DELETION) as server, client_of(server) as client:
            delete(client)
            delete(client)
            delete(client, idempotency_key="order-1001")
        keys = [each["headers"]["idempotency-key"] for each in server.requests]
        self.assertEqual(len(set(keys)), 3)
        self.assertEqual(keys[2], "order-1001")

    def test_an_id_that_would_change_the_path_is_refused(self) -> None:
        client = remit.Remit("sk_test_1", "http://localhost:1")
        for each in ("", ".", ".."):
            with self.assertRaisesRegex(remit.RemitError, "Pass the ID of a resource"):
                client.invoices.retrieve(each)

    def test_an_id_is_encoded(self) -> None:
        with scripted_server(error(404, "not_found_error", "invoice_not_found")) as server:
            with self.assertRaises(remit.NotFoundError):
                client_of(server).invoices.retrieve("a/../b?c")
        self.assertEqual(server.requests[0]["path"], "/api/invoices/a%2F..%2Fb%3Fc")

    def test_invalid_options_are_refused(self) -> None:
        for key, url, message in [
            ("", "http://localhost", "api_key is not valid"),
            ("sk_test_ü", "http://localhost", "api_key is not valid"),
            ("sk_test_1\n", "http://localhost", "strip"),
            ("sk_test_1", "localhost", "base_url is not valid"),
        ]:
            with self.assertRaisesRegex(remit.RemitError, message):
                remit.Remit(key, url)

    def test_a_redirect_is_not_followed_with_the_key(self) -> None:
        with scripted_server(PAGE) as other, scripted_server(Answer(302, {}, {"Location": other.url})) as server:
            with self.assertRaisesRegex(remit.RemitError, "perhaps from a proxy"):
                client_of(server).invoices.list().page()
        self.assertEqual(other.requests, [])

    def test_a_link_to_a_large_file_is_read_without_the_key(self) -> None:
        with scripted_server(Answer(body="%PDF", headers={"Content-Type": "application/pdf"})) as store:
            with scripted_server(Answer(303, {}, {"Location": f"{store.url}/file"})) as server:
                self.assertEqual(client_of(server).documents.pdf("doc_1"), b"%PDF")
        self.assertNotIn("authorization", store.requests[0]["headers"])

    def test_the_http_client_of_the_caller_is_used_and_stays_open(self) -> None:
        with scripted_server(PAGE) as server, httpx.Client(headers={"X-Team": "billing"}) as http:
            with client_of(server, http_client=http) as client:
                client.invoices.list().page()
            self.assertFalse(http.is_closed)
        self.assertEqual(server.requests[0]["headers"]["x-team"], "billing")


class Retries(WithoutWaiting):
    def test_every_temporary_failure_is_retried_with_the_same_key(self) -> None:
        lost = None
        malformed = Answer(body='{"id":')
        cut = Answer(body=DELETION.body, cut=True)
        for failure in (lost, BUSY, malformed, cut, *(Answer(status, "<html>") for status in (429, 500, 502, 504))):
            with self.subTest(failure), scripted_server(failure, DELETION) as server, client_of(server) as client:
                delete(client)
                first, second = (each["headers"]["idempotency-key"] for each in server.requests)
                self.assertEqual(first, second)

    def test_the_waits_grow_and_have_a_random_part(self) -> None:
        with scripted_server(BUSY) as server, self.assertRaises(remit.ServerError):
            delete(client_of(server, max_retries=6))
        self.assertEqual(len(server.requests), 7)
        for wait, most in zip(self.waits, (0.5, 1, 2, 4, 8, 8), strict=True):
            self.assertTrue(most / 2 <= wait <= most, self.waits)

    def test_a_call_can_have_its_own_number_of_retries(self) -> None:
        with scripted_server(None) as server, client_of(server, max_retries=5) as client:
            with self.assertRaises(remit.ConnectionError):
                delete(client, max_retries=0)
        self.assertEqual(len(server.requests), 1)

    def test_retry_after_is_waited_for_in_seconds_and_as_a_date(self) -> None:
        date = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=30), usegmt=True)
        for text, least in (("7", 7), (date, 28)):
            self.waits.clear()
            with scripted_server(error(429, "rate_limit_error", "rate_limit_exceeded", retry_after=text), DELETION) as server:
                delete(client_of(server))
            self.assertTrue(least <= self.waits[0] <= least + 3, self.waits)

    def test_a_wait_of_more_than_a_minute_is_left_to_the_caller(self) -> None:
        with scripted_server(error(429, "rate_limit_error", "rate_limit_exceeded", retry_after="61")) as server:
            with self.assertRaises(remit.RateLimitError) as caught:
                delete(client_of(server))
        self.assertEqual(caught.exception.retry_after_seconds, 61)
        self.assertEqual(len(server.requests), 1)

    def test_what_a_retry_cannot_help_is_not_retried(self) -> None:
        for status in (400, 401, 403, 404, 409, 501):
            with scripted_server(Answer(status, {})) as server, self.assertRaises(remit.RemitError):
                delete(client_of(server))
            self.assertEqual(len(server.requests), 1)


class Errors(WithoutWaiting):
    def test_each_type_has_a_class(self) -> None:
        for status, kind, expected in [
            (400, "validation_error", remit.ValidationError),
            (400, "invalid_request_error", remit.InvalidRequestError),
            (400, "idempotency_error", remit.IdempotencyError),
            (401, "authentication_error", remit.AuthenticationError),
            (403, "permission_error", remit.PermissionError),
            (404, "not_found_error", remit.NotFoundError),
            (429, "rate_limit_error", remit.RateLimitError),
            (500, "api_error", remit.ServerError),
            (418, "of_a_later_release", remit.RemitError),
        ]:
            with scripted_server(error(status, kind, "some_code")) as server, self.assertRaises(remit.RemitError) as caught:
                delete(client_of(server, max_retries=0))
            raised = caught.exception
            self.assertIs(type(raised), expected)
            self.assertEqual((raised.type, raised.code, raised.status, raised.request_id), (kind, "some_code", status, "req_1"))
            self.assertEqual((str(raised), raised.doc_url), ("This is some_code.", "https://remit.example.com/some_code"))

    def test_an_answer_of_a_proxy_has_no_type(self) -> None:
        for body in ("<html>", [], {"error": "no"}, None):
            with scripted_server(Answer(404, body)) as server, self.assertRaises(remit.RemitError) as caught:
                delete(client_of(server))
            self.assertIn("perhaps from a proxy", str(caught.exception))
            self.assertIsNone(caught.exception.type)

    def test_an_answer_in_another_form_is_a_connection_error(self) -> None:
        for body in ([], {}, "null", "1"):
            with scripted_server(Answer(body=body)) as server, self.assertRaises(remit.ConnectionError) as caught:
                client_of(server, max_retries=0).invoices.retrieve("inv_1")
            self.assertEqual(caught.exception.status, 200)

    def test_a_missing_response_has_its_cause(self) -> None:
        with self.assertRaises(remit.ConnectionError) as caught:
            remit.Remit("sk_test_1", "http://127.0.0.1:1", max_retries=0).account.retrieve()
        self.assertIsInstance(caught.exception.__cause__, httpx.ConnectError)
        self.assertIsNone(caught.exception.status)

    def test_a_late_response_is_a_timeout(self) -> None:
        with scripted_server(Answer(wait=30)) as server, self.assertRaises(remit.TimeoutError) as caught:
            client_of(server, max_retries=0).account.retrieve(timeout=0.2)
        self.assertIn("0.2 s", str(caught.exception))

    def test_a_response_that_comes_in_drops_is_a_timeout(self) -> None:
        class Drops(httpx.BaseTransport):
            def handle_request(self, request: httpx.Request) -> httpx.Response:
                return httpx.Response(200, stream=DropStream())

        with httpx.Client(transport=Drops()) as http, self.assertRaises(remit.TimeoutError):
            remit.Remit("sk_test_1", "http://localhost", http_client=http, max_retries=0).account.retrieve(timeout=0.1)


class DropStream(httpx.SyncByteStream):
    def __iter__(self) -> Iterator[bytes]:
        for _ in range(1000):
            time.sleep(0.05)
            yield b" "


if __name__ == "__main__":
    unittest.main()
