"""What isn't a success."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import httpx


@dataclasses.dataclass(frozen=True)
class FieldProblem:
    """What is wrong with a field: `pointer` leads to it in the body that was sent."""

    pointer: str
    code: str
    detail: str
    params: Mapping[str, Any]


class TenantryError(Exception):
    """Any answer but a success. Codes are those of tenantry_client.models.ErrorCode, and of platforms that know more of them."""

    status: int
    """The status of HTTP."""
    code: str | None
    """The name by which programs tell an error apart; None if the answer isn't the API's own, but that of something on the way."""
    errors: Sequence[FieldProblem]
    """What is wrong with fields."""
    params: Mapping[str, Any]
    """The values in the message."""
    request_id: str | None
    """Names the request in the logs of the platform."""
    problem: Mapping[str, Any]
    """The answer as it came, with what belongs to some codes, such as `conflicts` to `overlap`."""

    def __init__(self, response: httpx.Response) -> None:
        problem: Any = None
        try:
            problem = response.json()
        except (ValueError, RecursionError):
            pass  # it isn't the API's own
        self.problem = problem if isinstance(problem, dict) else {}
        super().__init__(self.problem.get("detail") or f"{response.status_code} {response.reason_phrase}".strip())
        self.status = response.status_code
        code = self.problem.get("code")
        self.code = code if isinstance(code, str) else None
        own = self.problem if self.code is not None else {}  # what others call so may be anything
        self.errors = [
            FieldProblem(one.get("pointer", ""), one.get("code", ""), one.get("detail", ""), one.get("params", {}))
            for one in own.get("errors", [])
            if isinstance(one, dict)
        ]
        self.params = own.get("params", {})
        self.request_id = response.headers.get("X-Request-Id")
