"""Tests that lists are read whole, also while they change."""

from __future__ import annotations

import unittest
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

from remit import List
from remit._lists import read_by_cursor, read_by_offset, read_held_still

AT = datetime(2026, 3, 1, 10, tzinfo=timezone.utc)


@dataclass(frozen=True)
class Item:
    id: int
    created_at: datetime = AT


@dataclass(frozen=True)
class Pagination:
    has_more: bool
    total: int


@dataclass(frozen=True)
class Cursor:
    has_more: bool
    next_: int | None


@dataclass(frozen=True)
class Page:
    data: list[Item]
    pagination: Pagination = Pagination(False, 0)
    cursor: Cursor = Cursor(False, None)


@dataclass
class Service:
    """A list of items, newest first."""

    items: list[Item]
    queries: list[dict[str, Any]] = field(default_factory=list)

    def by_offset(self, query: dict[str, Any]) -> Page:
        self.queries.append(query)
        start, end = query["offset"], query["offset"] + query["limit"]
        return Page(self.items[start:end], Pagination(end < len(self.items), len(self.items)))

    def by_cursor(self, query: dict[str, Any]) -> Page:
        self.queries.append(query)
        rest = [each for each in self.items if each.id < query.get("before", 1000)]
        if "after" in query:
            rest = sorted((each for each in self.items if each.id > int(query["after"])), key=lambda each: each.id)
        data = rest[: query["limit"]]
        return Page(data, cursor=Cursor(len(rest) > len(data), data[-1].id if data else None))


def items(*ids: int) -> list[Item]:
    return [Item(each) for each in ids]


class Lists(unittest.TestCase):
    def test_all_pages_are_read_once(self) -> None:
        for reader in (read_by_offset, read_held_still):
            service = Service(items(*range(250)))
            self.assertEqual([each.id for each in reader(service.by_offset, {})], list(range(250)))
            self.assertEqual(service.queries[0], {"limit": 100, "offset": 0})

    def test_new_items_repeat_none(self) -> None:
        service = Service(items(5, 4, 3, 2, 1))
        read = []
        for each in read_by_offset(service.by_offset, {"limit": 2}):
            read.append(each.id)
            if len(read) == 2:
                service.items = items(6, 5, 4, 3, 2, 1)
        self.assertEqual(read, [5, 4, 3, 2, 1])

    def test_items_that_leave_hide_none(self) -> None:
        service = Service(items(6, 5, 4, 3, 2, 1))
        read = []
        for each in read_by_offset(service.by_offset, {"limit": 2}):
            read.append(each.id)
            if len(read) == 2:
                service.items = items(4, 3, 2, 1)
        self.assertEqual(read, [6, 5, 4, 3, 2, 1])

    def test_a_list_is_held_still_by_time(self) -> None:
        service = Service(items(*range(5)))
        self.assertEqual(len(list(read_held_still(service.by_offset, {"limit": 2}))), 5)
        self.assertEqual(
            service.queries[1], {"limit": 2, "offset": 2, "created_to": "2026-03-01T10:02:00Z"}
        )

    def test_a_list_that_is_held_and_shrinks_is_read_with_overlap(self) -> None:
        service = Service(items(*range(6)))
        read = []
        for each in read_held_still(service.by_offset, {"limit": 2}):
            read.append(each.id)
            if len(read) == 2:
                service.items = items(2, 3, 4, 5)
        self.assertEqual(read, list(range(6)))

    def test_a_list_by_id_is_read_in_both_directions(self) -> None:
        service = Service(items(5, 4, 3, 2, 1))
        self.assertEqual([each.id for each in read_by_cursor(service.by_cursor, {"limit": 2})], [5, 4, 3, 2, 1])
        self.assertEqual([each.id for each in read_by_cursor(service.by_cursor, {"after": "0", "limit": 2})], [1, 2, 3, 4, 5])

    def test_a_list_sends_nothing_until_it_is_read_and_a_page_once(self) -> None:
        service = Service(items(1))
        found: List[Item, Page] = List(service.by_offset, {"limit": 5, "offset": 0, "status": None}, read_by_offset)
        self.assertEqual(service.queries, [])
        self.assertIs(found.page(), found.page())
        self.assertEqual(service.queries, [{"limit": 5, "offset": 0}])


if __name__ == "__main__":
    unittest.main()
