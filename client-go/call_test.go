package remit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"remit.example/remit/api"
)

// answer is one answer of the server. With status 0, the connection breaks without one.
type answer struct {
	status int
	body   string
	header map[string]string
	cut    bool
	wait   time.Duration
}

const deletion = `{"id":"cus_1","deletedAt":"2026-03-01T10:00:00Z"}`

var done = answer{status: 200, body: deletion}

func failure(status int, kind string) answer {
	body := fmt.Sprintf(`{"error":{"type":%q,"code":"some_code","message":"It failed.","field":"amount","docUrl":"https://remit.example.com/some_code"}}`, kind)
	return answer{status: status, body: body, header: map[string]string{"X-Request-Id": "req_1"}}
}

// serve answers in this order, and repeats the last answer. It returns the URL and the requests.
func serve(t *testing.T, answers ...answer) (string, *[]*http.Request) {
	t.Helper()
	requests := &[]*http.Request{}
	end := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		next := answers[min(len(*requests), len(answers)-1)]
		*requests = append(*requests, r)
		if next.wait > 0 {
			select {
			case <-end:
			case <-time.After(next.wait):
			}
		}
		if next.status == 0 {
			panic(http.ErrAbortHandler)
		}
		for name, value := range next.header {
			w.Header().Set(name, value)
		}
		if next.cut {
			w.Header().Set("Content-Length", fmt.Sprint(len(next.body)+1))
		}
		w.WriteHeader(next.status)
		fmt.Fprint(w, next.body)
	}))
	server.Config.ErrorLog = nil
	t.Cleanup(func() { close(end); server.Close() })
	return server.URL, requests
}

// clientOf returns a client that records its waits instead of waiting.
func clientOf(t *testing.T, url string, options ...Option) (*Client, *[]time.Duration) {
	t.Helper()
	client, err := New("sk_test_1", url, options...)
	if err != nil {
		t.Fatal(err)
	}
	waits := &[]time.Duration{}
	client.call.sleep = func(_ context.Context, wait time.Duration) error {
		*waits = append(*waits, wait)
		return nil
	}
	return client, waits
}

func remove(t *testing.T, client *Client, options ...CallOption) error {
	t.Helper()
	_, err := client.Customers.Delete(t.Context(), "cus_1", options...)
	return err
}

func TestRequests(t *testing.T) {
	url, requests := serve(t, answer{status: 200, body: `{"data":[],"pagination":{"hasMore":false,"total":0}}`})
	client, _ := clientOf(t, url+"/")
	status := []api.ListInvoicesParamsStatus{"pending", "overdue"}
	if _, err := client.Invoices.List(&api.ListInvoicesParams{Status: &status, CustomerId: new("a&b")}).Page(t.Context()); err != nil {
		t.Fatal(err)
	}
	sent := (*requests)[0]
	if sent.Header.Get("Authorization") != "Bearer sk_test_1" || sent.Header.Get("X-API-Version") != apiVersion || sent.Header.Get("Idempotency-Key") != "" {
		t.Error(sent.Header)
	}
	if sent.URL.String() != "/api/invoices?customerId=a%26b&status=pending%2Coverdue" {
		t.Error(sent.URL)
	}
}

func TestEachWriteHasAKey(t *testing.T) {
	url, requests := serve(t, done)
	client, _ := clientOf(t, url)
	for _, options := range [][]CallOption{nil, nil, {WithIdempotencyKey("order-1001")}} {
		if err := remove(t, client, options...); err != nil {
			t.Fatal(err)
		}
	}
	keys := []string{}
	for _, each := range *requests {
		keys = append(keys, each.Header.Get("Idempotency-Key"))
	}
	if keys[0] == "" || keys[0] == keys[1] || keys[2] != "order-1001" {
		t.Error(keys)
	}
}

func TestInvalidInputIsRefused(t *testing.T) {
	for _, each := range [][2]string{{"", "http://a"}, {"sk_test_ü", "http://a"}, {"sk_test_1\n", "http://a"}, {"sk_test_1", "a"}} {
		if _, err := New(each[0], each[1]); err == nil {
			t.Error(each)
		}
	}
	client, _ := clientOf(t, "http://127.0.0.1:1")
	for _, id := range []string{"", ".", ".."} {
		if _, err := client.Invoices.Retrieve(t.Context(), id); err == nil || !strings.Contains(err.Error(), "Pass the ID") {
			t.Error(id, err)
		}
	}
}

func TestTemporaryFailuresAreRetriedWithTheSameKey(t *testing.T) {
	failures := []answer{{}, failure(503, "api_error"), {status: 200, body: `{"id":`}, {status: 200, body: deletion, cut: true}}
	for _, status := range []int{429, 500, 502, 504} {
		failures = append(failures, answer{status: status, body: "<html>"})
	}
	for _, each := range failures {
		url, requests := serve(t, each, done)
		client, _ := clientOf(t, url)
		if err := remove(t, client); err != nil {
			t.Fatal(each, err)
		}
		first, second := (*requests)[0], (*requests)[1]
		if key := first.Header.Get("Idempotency-Key"); key == "" || key != second.Header.Get("Idempotency-Key") {
			t.Error(each, key)
		}
	}
}

func TestABodyIsSentWithEachAttempt(t *testing.T) {
	var bodies []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(body))
		w.WriteHeader(503)
	}))
	defer server.Close()
	client, _ := clientOf(t, server.URL)
	_, err := client.Invoices.Send(t.Context(), "inv_1", nil)
	if err == nil || len(bodies) != 3 || bodies[0] != "{}" || bodies[2] != "{}" {
		t.Error(err, bodies)
	}
}

func TestWaits(t *testing.T) {
	url, requests := serve(t, failure(503, "api_error"))
	client, waits := clientOf(t, url, MaxRetries(6))
	if err := remove(t, client); err == nil || len(*requests) != 7 {
		t.Fatal(err, len(*requests))
	}
	for at, most := range []time.Duration{500, 1000, 2000, 4000, 8000, 8000} {
		if wait := (*waits)[at]; wait < most*time.Millisecond/2 || wait > most*time.Millisecond {
			t.Error(at, wait)
		}
	}
	limited := failure(429, RateLimitError)
	for text, least := range map[string]time.Duration{"7": 7 * time.Second, time.Now().Add(30 * time.Second).UTC().Format(http.TimeFormat): 28 * time.Second} {
		limited.header = map[string]string{"Retry-After": text}
		url, _ := serve(t, limited, done)
		client, waits := clientOf(t, url)
		if err := remove(t, client); err != nil || (*waits)[0] < least || (*waits)[0] > least+3*time.Second {
			t.Error(text, err, *waits)
		}
	}
	limited.header = map[string]string{"Retry-After": "61"}
	url, requests = serve(t, limited)
	client, _ = clientOf(t, url)
	var failed *Error
	if err := remove(t, client); !errors.As(err, &failed) || failed.RetryAfter != 61*time.Second || len(*requests) != 1 {
		t.Error(err)
	}
}

func TestWhatARetryCannotHelpIsNotRetried(t *testing.T) {
	for _, status := range []int{302, 400, 401, 403, 404, 409, 501} {
		url, requests := serve(t, answer{status: status, body: "{}", header: map[string]string{"Location": "http://127.0.0.1:1"}})
		client, _ := clientOf(t, url, HTTPClient(&http.Client{}))
		if err := remove(t, client); err == nil || len(*requests) != 1 {
			t.Error(status, err)
		}
	}
	url, requests := serve(t, answer{})
	client, _ := clientOf(t, url, MaxRetries(5))
	if err := remove(t, client, WithMaxRetries(0)); !errors.Is(err, ErrConnection) || errors.Is(err, ErrTimeout) || len(*requests) != 1 {
		t.Error(err)
	}
}

func TestErrorsOfTheAPI(t *testing.T) {
	url, _ := serve(t, failure(400, ValidationError))
	client, _ := clientOf(t, url)
	var failed *Error
	if !errors.As(remove(t, client), &failed) {
		t.Fatal("no error")
	}
	if failed.Type != ValidationError || failed.Code != "some_code" || failed.Field != "amount" || failed.Status != 400 || failed.RequestID != "req_1" || failed.DocURL == "" {
		t.Errorf("%+v", failed)
	}
	for _, body := range []string{"<html>", "[]", `{"error":"no"}`, ""} {
		url, _ := serve(t, answer{status: 404, body: body})
		client, _ := clientOf(t, url)
		if err := remove(t, client); err == nil || !strings.Contains(err.Error(), "perhaps from a proxy") {
			t.Error(body, err)
		}
	}
}

func TestTimeoutsAndTheContext(t *testing.T) {
	url, requests := serve(t, answer{status: 200, body: deletion, wait: time.Minute})
	client, _ := clientOf(t, url, MaxRetries(0))
	if err := remove(t, client, WithTimeout(50*time.Millisecond)); !errors.Is(err, ErrTimeout) || !errors.Is(err, ErrConnection) {
		t.Error(err)
	}
	reason := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(50*time.Millisecond, func() { cancel(reason) })
	if _, err := client.Customers.Delete(ctx, "cus_1", WithMaxRetries(9)); err != reason {
		t.Error(err)
	}
	before := len(*requests)
	if _, err := client.Customers.Delete(ctx, "cus_1"); err != reason || len(*requests) != before {
		t.Error(err)
	}
	if err := sleep(ctx, time.Hour); err != reason {
		t.Error(err)
	}
}

func TestALargeFileIsReadFromItsLinkWithoutTheKey(t *testing.T) {
	store, files := serve(t, answer{status: 200, body: "%PDF"})
	url, _ := serve(t, answer{status: 303, header: map[string]string{"Location": store}})
	client, _ := clientOf(t, url)
	file, err := client.Documents.Pdf(t.Context(), "doc_1", nil)
	if err != nil || string(file) != "%PDF" || (*files)[0].Header.Get("Authorization") != "" {
		t.Error(err, string(file))
	}
}

func TestAListEndsWithItsError(t *testing.T) {
	first := `{"data":[{"id":"cus_1","createdAt":"2026-03-01T10:00:00Z"}],"pagination":{"hasMore":true,"total":2}}`
	url, _ := serve(t, answer{status: 200, body: first}, failure(403, PermissionError))
	client, _ := clientOf(t, url)
	var ids []string
	var failed *Error
	for each, err := range client.Customers.List(nil).All(t.Context()) {
		if err != nil {
			errors.As(err, &failed)
			continue
		}
		ids = append(ids, each.Id)
	}
	if !slices.Equal(ids, []string{"cus_1"}) || failed == nil || failed.Type != PermissionError {
		t.Error(ids, failed)
	}
}
