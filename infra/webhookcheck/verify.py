"""Lets the library of PyPI verify attempts. It reads them from its input (attempt in webhookcheck_test.go), and prints a verdict on each."""

import base64
import json
import sys

from standardwebhooks.webhooks import Webhook


def verdict(secret, headers, body):
    try:
        return {"says": Webhook(secret).verify(base64.b64decode(body), headers)}
    except Exception as error:  # which one is told
        return {"error": type(error).__name__, "says": str(error)}


json.dump([verdict(**attempt) for attempt in json.load(sys.stdin)], sys.stdout)
