"""The platform that is running, as infra/clientcheck says, and what stands between it and a client."""

import os
from collections.abc import Callable, Iterator

import httpx

from tenantry import Tenantry

BASE = os.environ["TENANTRY_URL"]
DEMO = httpx.get(f"{BASE}/_local/demo/").raise_for_status().json()

# What a webhook brings.
MESSAGE = {
    "id": "evt_7_1", "type": "order.completed", "timestamp": "2026-01-02T03:04:05Z",
    "data": {
        "company": 7,
        "event": {
            "id": 1, "type": "order.completed", "object": "order:7", "created_at": "2026-01-02T03:04:05Z", "concerns": [], "data": {},
            "feed": None, "key": None, "user": 1, "request_id": "r", "revision": 2,
        },
    },
}


def signed_in(transport: httpx.BaseTransport | None = None) -> Tenantry:
    """A client that is signed in as the demo user."""
    tenantry = Tenantry(BASE, transport=transport)
    tenantry.sign_in(DEMO["username"], DEMO["password"])
    return tenantry


class Cut(httpx.SyncByteStream):
    """A body that breaks off."""

    def __iter__(self) -> Iterator[bytes]:
        yield b"{"
        raise httpx.ReadError("the connection broke")


class Unreliable(httpx.BaseTransport):
    """Brings requests to the platform, and decides what becomes of each: "pass", "lose" its answer, "cut" it off, or 503."""

    def __init__(self) -> None:
        self.seen: list[httpx.Request] = []
        self.fate: Callable[[httpx.Request], str] = lambda request: "pass"
        self._network = httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.seen.append(httpx.Request(request.method, request.url, headers=request.headers.copy()))
        fate = self.fate(request)
        if fate == "503":
            return httpx.Response(503, headers={"Retry-After": "0"}, content=b"")
        response = self._network.handle_request(request)
        response.read()
        if fate == "lose":
            raise httpx.ReadError("the answer was lost")
        return httpx.Response(response.status_code, headers=response.headers, stream=Cut()) if fate == "cut" else response

    def fates(self, method: str, *list_of: str) -> int:
        """Lets fates come to pass one after the other; whatever comes later passes. Returns how much was seen before."""
        left = list(list_of)
        self.fate = lambda request: left.pop(0) if left and request.method == method else "pass"
        return len(self.seen)

    def sent(self, method: str, since: int) -> tuple[int, set[str | None]]:
        """How often requests of a method came since, and with which keys."""
        of = [one for one in self.seen[since:] if one.method == method]
        return len(of), {one.headers.get("Idempotency-Key") for one in of}
