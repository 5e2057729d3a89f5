"""Tests the verification of webhooks with messages that the service has signed.

``WEBHOOK_VECTORS`` names a file with messages, each with the code of the error that it causes, or none.
"""

from __future__ import annotations

import json
import os
import unittest
from datetime import datetime, timezone
from pathlib import Path

from remit import RemitError, WebhookVerificationError, verify_webhook

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
BODY = '{"test": 2432232314}'
AT = datetime.fromtimestamp(1614265330, timezone.utc)
HEADERS = {
    "Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "Webhook-Timestamp": "1614265330",
    "Webhook-Signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
}
FIRST = {"received_at": AT, "api_version": "2026-11-21"}


def code_of(**changes: object) -> str | None:
    arguments = {"body": BODY, "headers": HEADERS, "secret": SECRET, **FIRST, **changes}
    try:
        verify_webhook(**arguments)  # type: ignore[arg-type]
    except WebhookVerificationError as refused:
        assert isinstance(refused, RemitError) and SECRET[6:] not in str(refused)
        return refused.code
    return None


class Webhooks(unittest.TestCase):
    def test_the_vector_of_standard_webhooks_is_accepted_as_text_and_bytes(self) -> None:
        for body in (BODY, BODY.encode(), bytearray(BODY.encode())):
            self.assertEqual(verify_webhook(body, HEADERS, SECRET, **FIRST), {"test": 2432232314})  # type: ignore[arg-type]

    def test_one_secret_of_several_is_enough_and_one_signature(self) -> None:
        signatures = f"v1a,AAAA v2 v1,ü {HEADERS['Webhook-Signature']}"
        self.assertIsNone(code_of(secret=["whsec_AAAA", SECRET]))
        self.assertIsNone(code_of(headers={**HEADERS, "Webhook-Signature": signatures}))

    def test_each_reason_has_a_code(self) -> None:
        late, early = datetime.fromtimestamp(1614265631, timezone.utc), datetime.fromtimestamp(1614265029, timezone.utc)
        for code, changes in [
            ("body_not_raw", {"body": {"test": 1}}),
            ("body_changed", {"body": '{ "test":2432232314}'}),
            ("body_changed", {"body": b"\xff"}),
            ("wrong_secret", {"body": '{"test":2432232315}'}),
            ("wrong_secret", {"body": '{"test":2432232314}', "secret": "whsec_AAAA"}),
            ("missing_header", {"headers": {}}),
            ("missing_header", {"headers": {**HEADERS, "Webhook-Signature": ""}}),
            ("invalid_secret", {"secret": "whsec_"}),
            ("invalid_secret", {"secret": "whsec_ü"}),
            ("too_old", {"received_at": late}),
            ("too_old", {"received_at": None}),
            ("too_new", {"received_at": early}),
            ("wrong_version", {"api_version": ["2026-11-22", "2026-11-23"]}),
        ]:
            with self.subTest(code, **changes):
                self.assertEqual(code_of(**changes), code)
        self.assertIsNone(code_of(received_at=late, tolerance=301))

    @unittest.skipUnless("WEBHOOK_VECTORS" in os.environ, "There are no messages of a service.")
    def test_messages_of_the_service_have_the_same_outcome_as_in_other_clients(self) -> None:
        for each in json.loads(Path(os.environ["WEBHOOK_VECTORS"]).read_text()):
            at = datetime.fromtimestamp(each["receivedAt"] / 1000, timezone.utc)
            given = {name: each[name] for name in ("body", "headers", "secret")}
            with self.subTest(each["name"]):
                self.assertEqual(code_of(**given, received_at=at, api_version=each["apiVersion"]), each["code"])


if __name__ == "__main__":
    unittest.main()
