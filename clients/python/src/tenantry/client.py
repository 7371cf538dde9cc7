"""The API of a platform, to one user or program."""

import pathlib
import re
import uuid
from collections.abc import Callable, Iterator
from typing import NoReturn

import httpx

from tenantry_client import AuthenticatedClient
from tenantry_client.api.documents import documents_upload
from tenantry_client.api.events import events_list
from tenantry_client.api.identity import auth_login, auth_logout, auth_refresh
from tenantry_client.models import AuthLoginRequest, AuthLogoutRequest, AuthRefreshRequest, DocumentsUploadRequest, LogEvent
from tenantry_client.types import UNSET

from .answers import result
from .errors import TenantryError
from .idempotent import IDEMPOTENT
from .repeat import repeat
from .session import Session, Tokens

# Requests without a token.
NOBODY = frozenset({"/v1/auth/login/", "/v1/auth/refresh/", "/v1/auth/logout/"})
# POSTs without an Idempotency-Key that may happen twice. A refresh token whose answer was lost is taken again for some seconds.
REPEATABLE = re.compile(r"/v1/auth/(login|refresh|logout)/|/v1/crm/requests/(\d+/)?quote/|/v2/documents/(uploads|verify)/")


class Tenantry(AuthenticatedClient):
    """A client for the operations of tenantry_client.api. Whatever isn't a success is raised as a TenantryError."""

    company: int | None
    """The company that is meant from now on, as X-Tenant-Id says it. Who is in one company alone needs none."""
    language: str | None
    """The language of messages from now on, as Accept-Language says it: en, ru, kk."""

    def __init__(
        self,
        base_url: str,
        *,
        company: int | None = None,
        language: str | None = None,
        key: str | None = None,
        tokens: Tokens | None = None,
        on_tokens: Callable[[Tokens | None], None] = lambda tokens: None,
        tries: int = 4,
        timeout: float = 30,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """A client of the platform at an address.

        `key` is one for programs, tnt_key_…, instead of a sign-in; `tokens` are those of an earlier sign-in, as `on_tokens` got them,
        which is told of each change: keep them, and use no older ones. None says that the sign-in is over. `tries` is how often a
        request is sent at most. `transport` sends requests, for tests and proxies.
        """
        if tries < 1:
            raise ValueError("tries is at least 1")
        super().__init__(base_url=base_url, token="")
        self.company, self.language = company, language
        self._root = httpx.URL(base_url).path.rstrip("/")
        self._tries, self._network = tries, transport or httpx.HTTPTransport()
        self._session = Session(key, tokens, self._renew, on_tokens)
        self.set_httpx_client(httpx.Client(base_url=base_url, timeout=timeout, transport=_Transport(self)))

    def get_async_httpx_client(self) -> httpx.AsyncClient:
        """There is none: asyncio calls operations by asyncio.to_thread."""
        raise TypeError("a Tenantry calls operations by sync and sync_detailed alone: await asyncio.to_thread(…)")

    # The inherited ones copy a client, and of copies only one could renew the tokens of a sign-in.

    def with_headers(self, headers: dict[str, str]) -> NoReturn:
        """There is none: a copy would renew the same tokens."""
        raise TypeError("a Tenantry has no copy with other headers: get_httpx_client().headers has those of each request")

    def with_cookies(self, cookies: dict[str, str]) -> NoReturn:
        """There is none: a copy would renew the same tokens."""
        raise TypeError("a Tenantry has no copy with other cookies: get_httpx_client().cookies has those of each request")

    def with_timeout(self, timeout: httpx.Timeout) -> NoReturn:
        """There is none: a copy would renew the same tokens."""
        raise TypeError("a Tenantry has no copy with another timeout: Tenantry(…, timeout=…) sets it")

    @property
    def tokens(self) -> Tokens | None:
        """The tokens of the sign-in; None if there is none."""
        return self._session.tokens

    def sign_in(self, username: str, password: str) -> None:
        """Signs a user in."""
        self._session.tokens = result(auth_login.sync(client=self, body=AuthLoginRequest(username=username, password=password)))

    def sign_out(self) -> None:
        """Ends the sign-in, here and on the platform."""
        tokens, self._session.tokens = self._session.tokens, None
        if tokens:
            auth_logout.sync_detailed(client=self, body=AuthLogoutRequest(refresh=tokens.refresh))

    def events(self, after: str | None = None, types: list[str] | None = None) -> Iterator[LogEvent]:
        """The events after a cursor, the oldest first, until none is new. The id of the last one is the cursor to go on from."""
        while True:
            page = result(events_list.sync(client=self, after=UNSET if after is None else after, types=types or UNSET))
            yield from page.results
            if page.next_cursor == after:
                return
            after = page.next_cursor

    def upload(self, file: bytes | pathlib.Path, name: str | None = None, content_type: str = "application/octet-stream") -> str:
        """Stores a file's bytes, and returns what a document, an import or an image then takes as its `file`."""
        if isinstance(file, pathlib.Path):
            name, file = name or file.name, file.read_bytes()
        begun = result(
            documents_upload.sync(client=self, body=DocumentsUploadRequest(name=name or "file", content_type=content_type, size=len(file)))
        )
        request = httpx.Request(begun.method, begun.url, headers=begun.headers.additional_properties, content=file)
        request.extensions = {"timeout": self.get_httpx_client().timeout.as_dict()}
        response = repeat(self._network.handle_request, request, self._tries, safe=True)
        if not response.is_success:
            raise TenantryError(response)
        return begun.file

    def _renew(self, refresh: str) -> Tokens | None:
        try:
            return result(auth_refresh.sync(client=self, body=AuthRefreshRequest(refresh=refresh)))
        except TenantryError as error:
            if error.status == 401:
                return None
            raise

    def _send(self, request: httpx.Request) -> httpx.Response:
        """Sends a request of an operation, with what each one has."""
        request.read()  # so that it can be sent again
        path, headers = request.url.path.removeprefix(self._root), request.headers
        json = headers.get("Accept") == "*/*"  # as httpx sends it for whoever asks for nothing else
        if json:
            headers["Accept"] = "application/problem+json, application/json;q=0.9, */*;q=0.8"
        if self.language:
            headers.setdefault("Accept-Language", self.language)
        if self.company is not None:
            headers.setdefault("X-Tenant-Id", str(self.company))
        keyed = request.method == "POST" and IDEMPOTENT.fullmatch(path) is not None
        if keyed:
            headers.setdefault("Idempotency-Key", str(uuid.uuid4()))
        # Sent again after a lost answer, a change of one revision would be refused, though it has happened.
        safe = keyed or REPEATABLE.fullmatch(path) is not None if request.method == "POST" else "If-Match" not in headers

        def send(one: httpx.Request) -> httpx.Response:
            return repeat(self._network.handle_request, one, self._tries, safe)

        response = send(request) if path in NOBODY else self._session.send(send, request)
        # Who asks for a file itself, not for its address as JSON, is led to it.
        if not (response.is_success or response.status_code == 304 or response.status_code == 302 and not json):
            raise TenantryError(response)
        return response


class _Transport(httpx.BaseTransport):
    """Lets a Tenantry send the requests of operations."""

    def __init__(self, owner: Tenantry) -> None:
        self._owner = owner

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return self._owner._send(request)

    def close(self) -> None:
        self._owner._network.close()
