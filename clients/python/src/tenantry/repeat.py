"""Sends requests again that were refused for the moment, or whose answers were lost."""

import random
import time
from collections.abc import Callable

import httpx

Send = Callable[[httpx.Request], httpx.Response]

BUSY = frozenset({502, 503, 504})
LONGEST_WAIT = 10.0  # seconds; whoever is told to wait longer is told so, and decides


def repeat(send: Send, request: httpx.Request, tries: int, safe: bool) -> httpx.Response:
    """Sends a request, at most `tries` times in all.

    `safe` says that the request may be carried out more than once: without it only what the platform hasn't begun is sent again.
    """
    for turn in range(tries):
        last = turn == tries - 1
        pause = 0.2 * 2**turn * random.uniform(0.5, 1.5)
        try:
            response = send(request)
            response.read()  # an answer that breaks off is a lost one
        except httpx.TransportError:
            if last or not safe:
                raise
        else:
            after = seconds(response.headers.get("Retry-After"))
            # 409 with Retry-After is the first of two requests with one key, which is still under way.
            begun = response.status_code == 409 and (after or 0) > 0
            again = response.status_code == 429 or safe and (response.status_code in BUSY or begun)
            if last or not again or (after or 0) > LONGEST_WAIT:
                return response
            response.close()
            pause = pause if after is None else after
        time.sleep(pause)
    raise ValueError("tries is at least 1")


def seconds(text: str | None) -> float | None:
    """What Retry-After says; None where it says nothing that is understood, such as a date."""
    return float(text) if text is not None and text.isascii() and text.isdigit() else None
