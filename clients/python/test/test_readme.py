"""The programs of README.md, as they stand."""

import base64
import hashlib
import hmac
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import threading
import time
import unittest

import httpx
from platform_under_test import BASE, MESSAGE

TEXT = (pathlib.Path(__file__).parent / "../README.md").read_text(encoding="utf-8")
ORDER, FAILURE, RECEIVER = re.findall(r"^```python\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


class Readme(unittest.TestCase):
    def test_the_order_is_made(self) -> None:
        done = subprocess.run(
            [sys.executable, "-c", ORDER + "\n" + FAILURE], env={**os.environ, "TENANTRY_URL": BASE}, capture_output=True, text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        for line, pattern in zip(lines, [
            r".+ is booked: order \d+, \d+\.\d\d", r".+ item \d+", r"\d+ clients", r"passport\.txt has 1 file", r"/name blank: .+",
            r"/phone invalid_phone: .+",
        ], strict=True):
            self.assertRegex(line, f"^{pattern}$")

    def test_the_receiver_takes_what_is_signed_and_nothing_else(self) -> None:
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
        key = b"a secret of a webhook"
        environment = {**os.environ, "PORT": str(port), "WEBHOOK_SECRET": "whsec_" + base64.b64encode(key).decode()}
        body = json.dumps(MESSAGE)
        stamp = str(int(time.time()))
        mac = hmac.digest(key, f"evt_7_1.{stamp}.{body}".encode(), hashlib.sha256)
        headers = {"webhook-id": "evt_7_1", "webhook-timestamp": stamp, "webhook-signature": "v1," + base64.b64encode(mac).decode()}

        def post(text: str) -> int:
            return httpx.post(f"http://127.0.0.1:{port}/", headers=headers, content=text.encode(), timeout=60).status_code

        with subprocess.Popen(
            [sys.executable, "-c", RECEIVER], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as receiver:
            late = threading.Timer(60, receiver.kill)  # the line that is waited for ends with what prints it
            try:
                for left in reversed(range(600)):  # a minute, for a machine that does much else
                    try:
                        self.assertEqual(post(body + " "), 401)
                        break
                    except httpx.ConnectError:
                        if left == 0:
                            raise
                        time.sleep(0.1)
                self.assertEqual(post(body), 204)
                assert receiver.stdout
                late.start()
                self.assertEqual(receiver.stdout.readline(), "order.completed order:7\n")
            finally:
                late.cancel()
                receiver.kill()
