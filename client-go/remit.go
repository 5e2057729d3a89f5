// Package remit is the client of Remit, an invoicing and payments API.
//
// The types of what the API receives and returns are in the package api.
package remit

import (
	"net/http"
	"regexp"
	"strings"
	"time"
)

// Option is an option of a client.
type Option func(*caller)

// Timeout sets the timeout of each attempt. The default is 30 seconds.
func Timeout(timeout time.Duration) Option {
	return func(c *caller) { c.timeout = timeout }
}

// MaxRetries sets the maximum number of retries after a temporary failure. The default is 2.
func MaxRetries(count int) Option {
	return func(c *caller) { c.maxRetries = count }
}

// HTTPClient sends the requests with this client, for example through a proxy. It follows no redirects.
func HTTPClient(client *http.Client) Option {
	return func(c *caller) {
		own := *client
		own.CheckRedirect = followNoRedirect
		c.http = &own
	}
}

var (
	visibleText = regexp.MustCompile(`^[!-~]+$`)
	httpURL     = regexp.MustCompile(`^https?://`)
)

// New returns a client for an API key. Goroutines can share it. It sends no request.
//
// The key is sk_test_… or sk_live_… and determines the mode. The base URL is that of the service without /api, such as
// https://remit.example.com. The error is an [*Error] if one of them is invalid.
func New(apiKey, baseURL string, options ...Option) (*Client, error) {
	if apiKey != strings.TrimSpace(apiKey) {
		return nil, &Error{Message: "apiKey has white space or a line end at its ends. Remove it with strings.TrimSpace."}
	}
	if !visibleText.MatchString(apiKey) {
		return nil, &Error{Message: "apiKey is not valid. Pass a key of the form sk_test_… or sk_live_…."}
	}
	if !httpURL.MatchString(baseURL) {
		return nil, &Error{Message: "baseURL is not valid. Pass an http or https URL."}
	}
	c := &caller{
		apiKey:     apiKey,
		server:     strings.TrimRight(baseURL, "/") + "/",
		timeout:    30 * time.Second,
		maxRetries: 2,
		http:       &http.Client{CheckRedirect: followNoRedirect},
		sleep:      sleep,
	}
	for _, option := range options {
		option(c)
	}
	return newClient(c), nil
}

// Redirects are not followed: they could drop the body, or send the API key to another host.
func followNoRedirect(*http.Request, []*http.Request) error {
	return http.ErrUseLastResponse
}

// CallOption is an option of one call.
type CallOption func(*callOptions)

type callOptions struct {
	timeout        time.Duration
	maxRetries     int
	idempotencyKey string
	wait           bool
}

// WithTimeout sets the timeout of each attempt of this call.
func WithTimeout(timeout time.Duration) CallOption {
	return func(o *callOptions) { o.timeout = timeout }
}

// WithMaxRetries sets the maximum number of retries of this call.
func WithMaxRetries(count int) CallOption {
	return func(o *callOptions) { o.maxRetries = count }
}

// WithIdempotencyKey sets the key of a write. Requests with the same key take effect only once within 24 hours, even if
// different processes send them. By default the client creates a new key for each call, which makes its own retries safe.
func WithIdempotencyKey(key string) CallOption {
	return func(o *callOptions) { o.idempotencyKey = key }
}

// WithWait lets a call that creates an invoice wait up to a second until the invoice has its number.
func WithWait() CallOption {
	return func(o *callOptions) { o.wait = true }
}
