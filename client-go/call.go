package remit

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"time"
)

const (
	firstWait = 500 * time.Millisecond
	maxWait   = 8 * time.Second
	// If the service asks for a longer wait, the caller decides whether to wait.
	maxRetryAfter = time.Minute
)

var retriedStatuses = []int{429, 500, 502, 503, 504}

// caller calls the API with the options of a client.
type caller struct {
	apiKey     string
	server     string
	timeout    time.Duration
	maxRetries int
	http       *http.Client
	sleep      func(context.Context, time.Duration) error
}

type build func(server string) (*http.Request, error)

var onlyDots = regexp.MustCompile(`^\.*$`)

// checkIDs refuses an ID that is empty or consists of dots: the path would then be that of a different operation.
func checkIDs(ids ...string) error {
	for _, id := range ids {
		if onlyDots.MatchString(id) {
			return &Error{Message: fmt.Sprintf("%q is not valid. Pass the ID of a resource.", id)}
		}
	}
	return nil
}

// send calls an operation and decodes its result.
func send[Result any](ctx context.Context, c *caller, options []CallOption, newRequest build) (*Result, error) {
	var result *Result
	err := c.do(ctx, options, newRequest, func(body []byte) error {
		result = new(Result)
		return json.Unmarshal(body, result)
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// sendForFile calls an operation whose result is a file.
func sendForFile(ctx context.Context, c *caller, options []CallOption, newRequest build) ([]byte, error) {
	var file []byte
	err := c.do(ctx, options, newRequest, func(body []byte) error {
		file = body
		return nil
	})
	return file, err
}

// do sends a request until it succeeds or a retry cannot help. Each attempt has the same idempotency key.
func (c *caller) do(ctx context.Context, options []CallOption, newRequest build, decode func([]byte) error) error {
	own := callOptions{timeout: c.timeout, maxRetries: c.maxRetries}
	for _, option := range options {
		option(&own)
	}
	request, err := newRequest(c.server)
	if err != nil {
		return &Error{Message: "The request is not valid: " + err.Error(), causes: []error{err}}
	}
	request.Header.Set("Authorization", "Bearer "+c.apiKey)
	request.Header.Set("X-API-Version", apiVersion)
	if own.idempotencyKey != "" {
		request.Header.Set("Idempotency-Key", own.idempotencyKey)
	} else if request.Method != http.MethodGet && request.Header.Get("Idempotency-Key") == "" {
		request.Header.Set("Idempotency-Key", rand.Text())
	}
	if own.wait {
		request.Header.Set("Prefer", "wait")
	}
	for retries := 0; ; retries++ {
		err := c.sendOnce(ctx, request, own.timeout, decode)
		if err == nil {
			return nil
		}
		wait, helps := retryDelay(err, retries)
		if !helps || retries >= own.maxRetries {
			return err
		}
		if err := c.sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// sendOnce makes one attempt. Its error is an [*Error], or that of the context.
func (c *caller) sendOnce(ctx context.Context, request *http.Request, timeout time.Duration, decode func([]byte) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	attempt, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	response, body, err := c.exchange(attempt, request)
	isSuccess := response != nil && response.StatusCode >= 200 && response.StatusCode < 300
	if err == nil && isSuccess {
		err = decode(body)
	}
	switch {
	case err == nil && isSuccess:
		return nil
	case err == nil:
		return errorFromResponse(response, body)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(attempt.Err(), context.DeadlineExceeded):
		return connectionError(ErrTimeout, fmt.Sprintf("No response within %s.", timeout), err, response)
	default:
		return connectionError(ErrConnection, "No valid response: "+err.Error(), err, response)
	}
}

// exchange sends the request and reads the response. A file that is too large for a response is read from the link to it,
// which needs no API key.
func (c *caller) exchange(ctx context.Context, request *http.Request) (*http.Response, []byte, error) {
	attempt := request.Clone(ctx)
	if request.GetBody != nil {
		body, err := request.GetBody()
		if err != nil {
			return nil, nil, err
		}
		attempt.Body = body
	}
	response, body, err := c.read(attempt)
	if err != nil || request.Method != http.MethodGet || response.StatusCode != http.StatusSeeOther {
		return response, body, err
	}
	link, err := response.Location()
	if err != nil {
		return response, body, nil
	}
	next, err := http.NewRequestWithContext(ctx, http.MethodGet, link.String(), nil)
	if err != nil {
		return response, body, err
	}
	return c.read(next)
}

func (c *caller) read(request *http.Request) (*http.Response, []byte, error) {
	response, err := c.http.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response, body, err
}

// retryDelay returns the wait before the next attempt, and whether a retry can help. The random part prevents many clients from
// retrying at the same moment.
func retryDelay(err error, retries int) (time.Duration, bool) {
	var failure *Error
	if !errors.As(err, &failure) {
		return 0, false
	}
	isTemporary := errors.Is(err, ErrConnection) || slices.Contains(retriedStatuses, failure.Status)
	if !isTemporary || failure.RetryAfter > maxRetryAfter {
		return 0, false
	}
	backoff := min(firstWait<<min(retries, 10), maxWait)
	return failure.RetryAfter + backoff/2 + mathrand.N(backoff/2), true
}

// sleep waits. It returns the cause of the context as soon as the context ends.
func sleep(ctx context.Context, duration time.Duration) error {
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
