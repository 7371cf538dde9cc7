"""Verifying deliveries."""

import base64
import hashlib
import hmac
import json
import time
import unittest

from platform_under_test import MESSAGE

from tenantry import WebhookError, verify_webhook
from tenantry.webhooks import verify

# The example by which the libraries of Standard Webhooks test themselves.
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
NOW = 1614265330
BODY = b'{"test": 2432232314}'
SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
HEADERS = {"webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": str(NOW), "webhook-signature": SIGNATURE}


def base64_of(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


class Webhooks(unittest.TestCase):
    def test_what_the_specification_has_signed_is_verified(self) -> None:
        verify(SECRET, HEADERS, BODY, now=NOW)
        verify(SECRET, {name.title(): value for name, value in HEADERS.items()}, BODY, now=NOW)
        verify(SECRET, {**HEADERS, "webhook-signature": f"v1,{base64_of(b'x' * 32)} {SIGNATURE}"}, BODY, now=NOW)
        verify(SECRET, HEADERS, BODY, now=NOW + 299)

    def test_anything_else_is_refused(self) -> None:
        for what, secret, headers, body, now in [
            ("a byte more", SECRET, {}, BODY + b" ", NOW),
            ("another id", SECRET, {"webhook-id": "msg_other"}, BODY, NOW),
            ("another time", SECRET, {"webhook-timestamp": str(NOW + 1)}, BODY, NOW),
            ("an old one", SECRET, {}, BODY, NOW + 301),
            ("one of the future", SECRET, {}, BODY, NOW - 301),
            ("no time", SECRET, {"webhook-timestamp": "NaN"}, BODY, NOW),
            ("a time without end", SECRET, {"webhook-timestamp": "9" * 5000}, BODY, NOW),
            ("an id that is no text", SECRET, {"webhook-id": "\ud800"}, BODY, NOW),
            ("no signature", SECRET, {"webhook-signature": ""}, BODY, NOW),
            ("half a signature", SECRET, {"webhook-signature": SIGNATURE[:-9]}, BODY, NOW),
            ("one of another version", SECRET, {"webhook-signature": SIGNATURE.replace("v1", "v2")}, BODY, NOW),
            ("another secret", "whsec_" + base64_of(b"another secret of a webhook"), {}, BODY, NOW),
            ("an empty secret", "whsec_", {"webhook-signature": signed(b"", HEADERS["webhook-id"], NOW, BODY)}, BODY, NOW),
            ("a secret that is none", "whsec_?", {}, BODY, NOW),
        ]:
            with self.subTest(what), self.assertRaises(WebhookError):
                verify(secret, {**HEADERS, **headers}, body, now=now)

    def test_a_message_says_what_has_happened(self) -> None:
        body = json.dumps(MESSAGE).encode()
        stamp = int(time.time())
        headers = {"webhook-id": "evt_7_1", "webhook-timestamp": str(stamp), "webhook-signature": signed(b"secret", "evt_7_1", stamp, body)}
        message = verify_webhook("whsec_" + base64_of(b"secret"), headers, body)
        self.assertEqual((message.type_, message.id), ("order.completed", "evt_7_1"))


def signed(key: bytes, name: str, stamp: int, body: bytes) -> str:
    return f"v1,{base64_of(hmac.digest(key, f'{name}.{stamp}.'.encode() + body, hashlib.sha256))}"
