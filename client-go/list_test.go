package remit

import (
	"iter"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"
)

var at = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

// service is a list of numbers, newest first.
type service struct {
	items   []int
	queries []url.Values
}

func entryOf(id int) entry[int] {
	each := entry[int]{item: id}
	each.head.ID = strconv.Itoa(id)
	each.head.CreatedAt = at
	return each
}

func (s *service) byOffset(query url.Values) (*page[int], error) {
	s.queries = append(s.queries, query)
	start := min(number(query, "offset", 0), len(s.items))
	end := min(start+number(query, "limit", 0), len(s.items))
	found := &page[int]{}
	for _, each := range s.items[start:end] {
		found.Data = append(found.Data, entryOf(each))
	}
	found.Pagination.HasMore, found.Pagination.Total = end < len(s.items), len(s.items)
	return found, nil
}

func (s *service) byCursor(query url.Values) (*page[int], error) {
	s.queries = append(s.queries, query)
	rest := slices.Clone(s.items)
	if query.Has("after") {
		slices.Sort(rest)
		rest = slices.DeleteFunc(rest, func(each int) bool { return each <= number(query, "after", 0) })
	} else {
		rest = slices.DeleteFunc(rest, func(each int) bool { return each >= number(query, "before", 1000) })
	}
	found := &page[int]{}
	for _, each := range rest[:min(len(rest), number(query, "limit", 0))] {
		found.Data = append(found.Data, entryOf(each))
		found.Cursor.Next = new(strconv.Itoa(each))
	}
	found.Cursor.HasMore = len(rest) > len(found.Data)
	return found, nil
}

// readAll reads a list. After two items, the list changes.
func readAll(t *testing.T, s *service, list iter.Seq2[int, error], later []int) []int {
	t.Helper()
	var read []int
	for each, err := range list {
		if err != nil {
			t.Fatal(err)
		}
		read = append(read, each)
		if len(read) == 2 && later != nil {
			s.items = later
		}
	}
	return read
}

func TestListsAreReadOnce(t *testing.T) {
	type readFunc func(reader[int], url.Values) iter.Seq2[int, error]
	five, six := []int{5, 4, 3, 2, 1}, []int{6, 5, 4, 3, 2, 1}
	for _, each := range []struct {
		name   string
		read   readFunc
		items  []int
		later  []int
		expect []int
	}{
		{"by offset", readByOffset[int], five, nil, five},
		{"held still", readHeldStill[int], five, nil, five},
		{"with a new item", readByOffset[int], five, six, five},
		{"with two items less", readByOffset[int], six, six[2:], six},
		{"held still, with two items less", readHeldStill[int], six, six[2:], six},
	} {
		s := &service{items: each.items}
		query := url.Values{"limit": {"2"}}
		if read := readAll(t, s, each.read(s.byOffset, query), each.later); !slices.Equal(read, each.expect) {
			t.Error(each.name, read)
		}
	}
}

func TestAListIsHeldStillByTime(t *testing.T) {
	s := &service{items: []int{5, 4, 3, 2, 1}}
	readAll(t, s, readHeldStill(s.byOffset, url.Values{"limit": {"2"}}), nil)
	if s.queries[0].Has("createdTo") || s.queries[1].Encode() != "createdTo=2026-03-01T10%3A02%3A00.000Z&limit=2&offset=2" {
		t.Error(s.queries)
	}
}

func TestAListByIDIsReadInBothDirections(t *testing.T) {
	s := &service{items: []int{5, 4, 3, 2, 1}}
	down := readAll(t, s, readByCursor(s.byCursor, url.Values{"limit": {"2"}}), nil)
	up := readAll(t, s, readByCursor(s.byCursor, url.Values{"limit": {"2"}, "after": {"0"}}), nil)
	if !slices.Equal(down, s.items) || !slices.Equal(up, []int{1, 2, 3, 4, 5}) {
		t.Error(down, up)
	}
}

func TestALoopCanStop(t *testing.T) {
	s := &service{items: []int{5, 4, 3, 2, 1}}
	for range readByOffset(s.byOffset, url.Values{"limit": {"2"}}) {
		break
	}
	if len(s.queries) != 1 {
		t.Error(s.queries)
	}
}
