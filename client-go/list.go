package remit

import (
	"context"
	"encoding/json"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

const (
	// The largest page size that the API allows.
	pageSize = 100
	// By how much an item can be newer than an item before it in a list that is sorted newest first. The service allows for
	// requests of 30 seconds, and for clocks that differ.
	maxDisorder = 2 * time.Minute
)

// List is a list of items. Creating it sends no request.
type List[Item, Page any] struct {
	call    *caller
	options []CallOption
	build   build
	// Parameters that the client sets if the caller does not.
	defaults url.Values
	read     func(reader[Item], url.Values) iter.Seq2[Item, error]
}

// Page returns the requested page, with its items and its position in the list.
func (l *List[Item, Page]) Page(ctx context.Context) (*Page, error) {
	return send[Page](ctx, l.call, l.options, l.with(nil))
}

// All returns every item from the requested page on, once, also if the list changes meanwhile. It requests pages of Limit items when
// it needs them. After an error, the loop ends.
func (l *List[Item, Page]) All(ctx context.Context) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		request, err := l.with(nil)(l.call.server)
		if err != nil {
			var none Item
			yield(none, &Error{Message: "The request is not valid: " + err.Error(), causes: []error{err}})
			return
		}
		read := func(query url.Values) (*page[Item], error) {
			return send[page[Item]](ctx, l.call, l.options, l.with(query))
		}
		l.read(read, request.URL.Query())(yield)
	}
}

// with returns the request with these parameters instead of its own.
func (l *List[Item, Page]) with(query url.Values) build {
	return func(server string) (*http.Request, error) {
		request, err := l.build(server)
		if err != nil {
			return nil, err
		}
		own := maps.Clone(l.defaults)
		if own == nil {
			own = url.Values{}
		}
		maps.Copy(own, request.URL.Query())
		maps.Copy(own, query)
		request.URL.RawQuery = own.Encode()
		return request, nil
	}
}

type reader[Item any] func(url.Values) (*page[Item], error)

// page is a page of any list.
type page[Item any] struct {
	Data       []entry[Item]
	Pagination struct {
		HasMore bool
		Total   int
	}
	Cursor struct {
		HasMore bool
		Next    *string
	}
}

// entry is an item with what the client needs of it.
type entry[Item any] struct {
	item Item
	head struct {
		ID        string
		CreatedAt time.Time
	}
}

// UnmarshalJSON decodes the item.
func (e *entry[Item]) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, &e.item); err != nil {
		return err
	}
	return json.Unmarshal(text, &e.head)
}

func number(query url.Values, name string, otherwise int) int {
	value, err := strconv.Atoi(query.Get(name))
	if err != nil {
		return otherwise
	}
	return value
}

func changed(query url.Values, pairs ...string) url.Values {
	own := maps.Clone(query)
	for at := 0; at < len(pairs); at += 2 {
		own.Set(pairs[at], pairs[at+1])
	}
	return own
}

// readByOffset reads all items of a list that is paged by offset. Such a list can shift between two requests:
//   - New items move other items to the next page. The IDs seen prevent that an item is returned twice.
//   - If an item leaves the list, such as a pending invoice that is cancelled, other items move to a page that was already read.
//     Each page therefore overlaps with the items read so far. If it does not, items were skipped, and the previous page is
//     requested again.
func readByOffset[Item any](read reader[Item], query url.Values) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		readFrom(read, query, map[string]bool{}, yield)
	}
}

func readFrom[Item any](read reader[Item], query url.Values, seen map[string]bool, yield func(Item, error) bool) {
	start := number(query, "offset", 0)
	limit := max(number(query, "limit", pageSize), 2)
	offset := start + max(len(seen)-1, 0)
	for {
		found, err := read(changed(query, "limit", strconv.Itoa(limit), "offset", strconv.Itoa(offset)))
		if err != nil {
			var none Item
			yield(none, err)
			return
		}
		overlaps := false
		for _, each := range found.Data {
			overlaps = overlaps || seen[each.head.ID]
		}
		if offset > start && !overlaps {
			offset = max(start, offset-limit)
			continue
		}
		if !yieldUnseen(found.Data, seen, yield) || !found.Pagination.HasMore {
			return
		}
		offset += len(found.Data) - 1
	}
}

// yieldUnseen returns whether the caller wants more.
func yieldUnseen[Item any](entries []entry[Item], seen map[string]bool, yield func(Item, error) bool) bool {
	for _, each := range entries {
		if seen[each.head.ID] {
			continue
		}
		seen[each.head.ID] = true
		if !yield(each.item, nil) {
			return false
		}
	}
	return true
}

// readHeldStill reads all items of a list that has the filter createdTo. From the second page on, this filter keeps new items out.
//   - The filter ends maxDisorder after the newest item of the first page. So it includes every item that follows that page.
//     Items that are created meanwhile within this time move others to the next page, and are not returned.
//   - A smaller total says that the filter leaves out older items, or that items left the list. readByOffset then reads the rest.
//     Older items can have later times if the clock of test mode is ahead, because payment pages have the real time.
//   - Items can leave a list of a status at any time, and a caller that sets createdTo or an offset has chosen a range.
//     readByOffset reads these lists.
func readHeldStill[Item any](read reader[Item], query url.Values) iter.Seq2[Item, error] {
	if number(query, "offset", 0) > 0 || query.Has("createdTo") || query.Has("status") {
		return readByOffset(read, query)
	}
	return func(yield func(Item, error) bool) {
		limit := number(query, "limit", pageSize)
		seen := map[string]bool{}
		held, total := query, 0
		for offset := 0; ; offset += limit {
			found, err := read(changed(held, "limit", strconv.Itoa(limit), "offset", strconv.Itoa(offset)))
			if err != nil {
				var none Item
				yield(none, err)
				return
			}
			if found.Pagination.Total < total {
				readFrom(read, query, seen, yield)
				return
			}
			if !yieldUnseen(found.Data, seen, yield) || !found.Pagination.HasMore {
				return
			}
			if offset == 0 {
				held, total = upTo(query, found.Data), found.Pagination.Total
			}
		}
	}
}

// upTo returns the filter for a list with these first items. Without items, because none of them is readable, it has no end.
func upTo[Item any](query url.Values, entries []entry[Item]) url.Values {
	var newest time.Time
	for _, each := range entries {
		if each.head.CreatedAt.After(newest) {
			newest = each.head.CreatedAt
		}
	}
	if newest.IsZero() {
		return query
	}
	return changed(query, "createdTo", newest.Add(maxDisorder).UTC().Format("2006-01-02T15:04:05.000Z"))
}

// readByCursor reads all items of a list that is paged by ID. Such a list does not shift.
func readByCursor[Item any](read reader[Item], query url.Values) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		direction := "before"
		if query.Has("after") {
			direction = "after"
		}
		if !query.Has("limit") {
			query = changed(query, "limit", strconv.Itoa(pageSize))
		}
		for {
			found, err := read(query)
			if err != nil {
				var none Item
				yield(none, err)
				return
			}
			for _, each := range found.Data {
				if !yield(each.item, nil) {
					return
				}
			}
			if !found.Cursor.HasMore || found.Cursor.Next == nil {
				return
			}
			query = changed(query, direction, *found.Cursor.Next)
		}
	}
}
