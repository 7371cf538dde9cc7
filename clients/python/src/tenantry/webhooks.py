"""Verifying deliveries of webhooks."""

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping

from tenantry_client.models import WebhookMessage


class WebhookError(Exception):
    """A delivery that wasn't signed by the secret, or not within the last minutes."""


def verify_webhook(
    secret: str, headers: Mapping[str, str], body: bytes, *, tolerance: float = 300, now: float | None = None
) -> WebhookMessage:
    """Verifies a delivery of a webhook, and returns what it says; raises a WebhookError unless the secret signed it, within the tolerance.

    The body is its bytes as they came: JSON that was parsed and written anew may have another signature. `tolerance` is for how many
    seconds a signature holds, before and after its time; `now` is what time it is, for tests.
    """
    verify(secret, headers, body, tolerance=tolerance, now=now)
    return WebhookMessage.from_dict(json.loads(body))


def verify(secret: str, headers: Mapping[str, str], body: bytes, *, tolerance: float = 300, now: float | None = None) -> None:
    """Does so for a body of any form."""
    key = decoded(secret.removeprefix("whsec_"))
    if not key:
        raise WebhookError("the secret isn't one of a webhook: whsec_…")
    given = {name.lower(): value for name, value in headers.items()}
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        if not given.get(name):
            raise WebhookError(f"{name} is missing")
    stamp = given["webhook-timestamp"]
    if not (re.fullmatch("[0-9]{1,12}", stamp) and abs((time.time() if now is None else now) - int(stamp)) <= tolerance):
        raise WebhookError("webhook-timestamp is too far from now")
    mac = hmac.digest(key, f"{given['webhook-id']}.{stamp}.".encode(errors="replace") + body, hashlib.sha256)
    if not any(
        version == "v1" and hmac.compare_digest(mac, decoded(signature))
        for version, _, signature in (one.partition(",") for one in given["webhook-signature"].split(" "))  # two after a rotation
    ):
        raise WebhookError("no signature is right")


def decoded(text: str) -> bytes:
    """What base64 stands for; nothing where it isn't base64."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
