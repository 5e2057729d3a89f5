package remit

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// The types of errors of the API. [Error.Type] has one of them.
const (
	ValidationError     = "validation_error"      // 400: A parameter is missing or invalid. Field names it.
	InvalidRequestError = "invalid_request_error" // 400: The state of the resource does not allow the request.
	IdempotencyError    = "idempotency_error"     // 400: The idempotency key is invalid, or was used for a different request.
	AuthenticationError = "authentication_error"  // 401: The API key is missing, invalid, expired or revoked.
	PermissionError     = "permission_error"      // 403: The API key does not have the required permission.
	NotFoundError       = "not_found_error"       // 404: The resource does not exist.
	RateLimitError      = "rate_limit_error"      // 429: Too many requests, or the service is in maintenance. Wait for RetryAfter.
	ServerError         = "api_error"             // 500: An error occurred in the service, or it cannot read a stored record.
)

var (
	// ErrConnection is in the chain of an [*Error] if there was no response, or only an incomplete or invalid one.
	ErrConnection = errors.New("remit: no valid response")
	// ErrTimeout is there, too, if there was no complete response within the timeout.
	ErrTimeout = fmt.Errorf("%w in time", ErrConnection)
)

// FieldError is a parameter that is missing, unknown or invalid.
type FieldError struct {
	Field   string `json:"field"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Error is the error of every call, unless its context has ended.
type Error struct {
	Message string
	// Type is the category of the error. It is empty if the API did not send one: the response is from a proxy for example.
	Type string
	// Code identifies the error, for programs.
	Code string
	// Field is the invalid parameter, as a dotted path.
	Field string
	// Details are all parameters that are missing, unknown or invalid, at most 20. The first one is also in Field and Code.
	Details []FieldError
	// DocURL is the page about the error code.
	DocURL string
	// Status is the HTTP status. It is 0 if there was no response.
	Status int
	// RequestID is the ID of the request in the log of the service.
	RequestID string
	// RetryAfter is the time to wait before the next attempt, if the service sent it.
	RetryAfter time.Duration

	causes []error
}

// Error returns the message.
func (e *Error) Error() string {
	return "remit: " + e.Message
}

// Unwrap returns the causes: [ErrConnection] or [ErrTimeout], and the error of the connection or of the JSON parser.
func (e *Error) Unwrap() []error {
	return e.causes
}

func connectionError(kind error, message string, cause error, response *http.Response) *Error {
	e := &Error{Message: message, causes: []error{kind, cause}}
	if response != nil {
		e.Status = response.StatusCode
		e.RequestID = response.Header.Get("X-Request-Id")
	}
	return e
}

func errorFromResponse(response *http.Response, body []byte) *Error {
	var envelope struct {
		Error struct {
			Message string
			Type    string
			Code    string
			Field   string
			Details []FieldError
			DocURL  string `json:"docUrl"`
		}
	}
	// What is not from the API has no error in this form.
	_ = json.Unmarshal(body, &envelope)
	detail := envelope.Error
	if detail.Message == "" {
		detail.Message = fmt.Sprintf("The response has status %d and is not from the API, but perhaps from a proxy.", response.StatusCode)
	}
	return &Error{
		Message:    detail.Message,
		Type:       detail.Type,
		Code:       detail.Code,
		Field:      detail.Field,
		Details:    detail.Details,
		DocURL:     detail.DocURL,
		Status:     response.StatusCode,
		RequestID:  response.Header.Get("X-Request-Id"),
		RetryAfter: retryAfter(response.Header.Get("Retry-After")),
	}
}

// retryAfter reads the header, which is a number of seconds or a date.
func retryAfter(text string) time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 32); err == nil {
		return time.Duration(seconds) * time.Second
	}
	date, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return max(0, time.Until(date))
}
