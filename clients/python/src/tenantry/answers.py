"""What operations answer. Each answers one of several types, of which all but one are those of errors, and these are raised before."""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

from tenantry_client.models import Conflict, Detail, FieldErrors, RevisionError, ServerError, TokenError

T = TypeVar("T")
P = TypeVar("P", bound="Page[object]")
R = TypeVar("R", covariant=True)


class Page(Protocol[R]):
    """A page of a list."""

    @property
    def results(self) -> Sequence[R]:
        """The records on it."""

    @property
    def next_(self) -> str | None:
        """The address of the next page."""


def result(answer: T | Conflict | Detail | FieldErrors | RevisionError | ServerError | TokenError | None) -> T:
    """What an operation answers, by its type alone: `result(clients_read.sync(7, client=tenantry)).name`."""
    if answer is None or isinstance(answer, (Conflict, Detail, FieldErrors, RevisionError, ServerError, TokenError)):
        raise TypeError(f"{answer!r} is no result")  # unless errors are raised before, as Tenantry does
    return answer


def pages(read: Callable[[int], P | Detail | FieldErrors | ServerError | TokenError | None]) -> Iterator[P]:
    """The pages of a list, one after the other, each read when it is needed.

    Such as `pages(lambda number: clients_list.sync(client=tenantry, page=number))`.
    """
    number = 1
    while True:
        page: P = result(read(number))
        yield page
        if page.next_ is None:
            return
        number += 1


def records(read: Callable[[int], Page[T] | Detail | FieldErrors | ServerError | TokenError | None]) -> Iterator[T]:
    """The records of a list, from all of its pages."""
    for page in pages(read):
        yield from page.results
