"""Reads lists of the API: one page, or all items page by page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any, Generic, TypeVar

from ._generated.types import Unset

Item = TypeVar("Item")
Page = TypeVar("Page")
ReadPage = Callable[[dict[str, Any]], Any]
"""Requests one page with these parameters."""

_PAGE_SIZE = 100
"""The largest page size that the API allows."""

_MAX_DISORDER = timedelta(seconds=120)
"""By how much an item can be newer than an item before it in a list that is sorted newest first.

The service allows for requests of 30 seconds, and for clocks that differ.
"""


class List(Generic[Item, Page]):
    """A list of items.

    ``page()`` returns one page. Iterate over the list to get all items from that page on: it requests pages of ``limit`` items
    when it needs them. Creating a list sends no request.
    """

    def __init__(
        self,
        read_page: ReadPage,
        query: dict[str, Any],
        read_items: Callable[[ReadPage, dict[str, Any]], Iterator[Any]],
    ) -> None:
        self._read_page = read_page
        self._query = {name: value for name, value in query.items() if not _is_absent(value)}
        self._read_items = read_items
        self._page: Page | None = None

    def page(self) -> Page:
        """Return the requested page, with its items and its position in the list."""
        if self._page is None:
            self._page = self._read_page(self._query)
        assert self._page is not None
        return self._page

    def __iter__(self) -> Iterator[Item]:
        """Return every item once."""
        return self._read_items(self._read_page, self._query)


def _is_absent(value: Any) -> bool:
    return value is None or isinstance(value, Unset)


def read_by_offset(read_page: ReadPage, query: dict[str, Any], seen: set[str] | None = None) -> Iterator[Any]:
    """Read all items of a list that is paged by offset. Such a list can shift between two requests.

    - New items move other items to the next page. The ``seen`` IDs prevent that an item is returned twice.
    - If an item leaves the list, such as a pending invoice that is cancelled, other items move to a page that was already
      read. Each page therefore overlaps with the items read so far. If it does not, items were skipped, and the previous page
      is requested again.
    """
    seen = set() if seen is None else seen
    start = query.get("offset", 0)
    limit = max(query.get("limit", _PAGE_SIZE), 2)
    offset = start + max(len(seen) - 1, 0)
    while True:
        page = read_page({**query, "limit": limit, "offset": offset})
        unseen = [item for item in page.data if item.id not in seen]
        if offset > start and len(unseen) == len(page.data):
            offset = max(start, offset - limit)
            continue
        for item in unseen:
            seen.add(item.id)
            yield item
        if not page.pagination.has_more:
            return
        offset += len(page.data) - 1


def read_held_still(read_page: ReadPage, query: dict[str, Any]) -> Iterator[Any]:
    """Read all items of a list that has the filter ``created_to``. From the second page on, this filter keeps new items out.

    - The filter ends ``_MAX_DISORDER`` after the newest item of the first page. So it includes every item that follows that
      page. Items that are created meanwhile within this time move others to the next page, and are not returned.
    - A smaller total says that the filter leaves out older items, or that items left the list. ``read_by_offset`` then reads
      the rest. Older items can have later times if the clock of test mode is ahead, because payment pages have the real time.
    - Items can leave a list of a ``status`` at any time, and a caller that sets ``created_to`` or an offset has chosen a
      range. ``read_by_offset`` reads these lists.
    """
    if query.get("offset") or "created_to" in query or "status" in query:
        yield from read_by_offset(read_page, query)
        return
    limit = query.get("limit", _PAGE_SIZE)
    seen: set[str] = set()
    held: dict[str, Any] = {}
    total = 0
    offset = 0
    while True:
        page = read_page({**query, "limit": limit, "offset": offset, **held})
        if page.pagination.total < total:
            yield from read_by_offset(read_page, query, seen)
            return
        for item in page.data:
            if item.id not in seen:
                seen.add(item.id)
                yield item
        if not page.pagination.has_more:
            return
        if offset == 0:
            total = page.pagination.total
            # None of the items may be readable, and the page is empty then.
            newest = max((item.created_at for item in page.data), default=None)
            held = {} if newest is None else {"created_to": (newest + _MAX_DISORDER).isoformat().replace("+00:00", "Z")}
        offset += limit


def read_by_cursor(read_page: ReadPage, query: dict[str, Any]) -> Iterator[Any]:
    """Read all items of a list that is paged by ID. Such a list does not shift."""
    direction = "after" if "after" in query else "before"
    position: dict[str, Any] = {}
    while True:
        page = read_page({"limit": _PAGE_SIZE, **query, **position})
        yield from page.data
        if not page.cursor.has_more:
            return
        position = {direction: page.cursor.next_}
