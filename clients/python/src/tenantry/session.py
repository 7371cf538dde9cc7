"""Who asks."""

import threading
from collections.abc import Callable

import httpx

from tenantry_client.models import Tokens

from .repeat import Send

__all__ = ["Session", "Tokens"]


class Session:
    """A user, whose tokens are renewed when they are refused, or a program with a key."""

    def __init__(
        self, key: str | None, tokens: Tokens | None, renew: Callable[[str], Tokens | None], changed: Callable[[Tokens | None], None]
    ) -> None:
        """`renew` asks for new tokens, and answers None if the sign-in is over; `changed` is told of each change."""
        self._key, self._tokens, self._renew, self._changed = key, tokens, renew, changed
        self._renewing = threading.Lock()

    @property
    def tokens(self) -> Tokens | None:
        """The tokens of the sign-in; None if there is none."""
        return self._tokens

    @tokens.setter
    def tokens(self, tokens: Tokens | None) -> None:
        self._tokens = tokens
        self._changed(tokens)

    def send(self, send: Send, request: httpx.Request) -> httpx.Response:
        """Sends a request with the token, and once more with a new one if it was refused."""
        used = self._tokens
        response = send(authorised(request, used.access if used else self._key))
        if response.status_code != 401 or used is None:
            return response
        new = self._renewed(used)
        return send(authorised(request, new.access)) if new else response

    def _renewed(self, used: Tokens) -> Tokens | None:
        """Renews tokens, once for all who wait: a refresh token that is used twice ends the sign-in."""
        with self._renewing:
            if self._tokens is used:
                new = self._renew(used.refresh)
                if self._tokens is used:  # else somebody has signed in or out meanwhile
                    self.tokens = new
            return self._tokens


def authorised(request: httpx.Request, token: str | None) -> httpx.Request:
    """A request that a token authorises, where there is one."""
    if token:
        request.headers["Authorization"] = f"Bearer {token}"
    return request
