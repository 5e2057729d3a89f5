package remit

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	defaultTolerance = 5 * time.Minute
	// Its events do not name their version.
	firstVersion = "2026-11-21"
)

// WebhookCode is the reason why a message must not be used.
type WebhookCode string

// The reasons.
const (
	BodyChanged   WebhookCode = "body_changed"   // The body was parsed and serialized again.
	MissingHeader WebhookCode = "missing_header" // The header webhook-id, webhook-timestamp or webhook-signature is missing.
	InvalidSecret WebhookCode = "invalid_secret" // The secret does not have the form whsec_….
	WrongSecret   WebhookCode = "wrong_secret"   // The secret is out of date or of another endpoint, or the message is forged.
	TooOld        WebhookCode = "too_old"        // The message is old, or a clock is wrong.
	TooNew        WebhookCode = "too_new"        // A clock is wrong.
	WrongVersion  WebhookCode = "wrong_version"  // The endpoint gets events in another API version.
)

// WebhookError says that a message is not authentic, or not valid at this time. Respond with status 400.
type WebhookError struct {
	Code    WebhookCode
	Message string
}

// Error returns the message.
func (e *WebhookError) Error() string {
	return "remit: " + e.Message
}

// WebhookEvent is the event of a message.
type WebhookEvent struct {
	// ID is the same in every delivery. Use it to detect duplicates.
	ID   string `json:"id"`
	Type string `json:"type"`
	Mode string `json:"mode"`
	// Timestamp is the time at which the event occurred.
	Timestamp time.Time `json:"timestamp"`
	// ObjectVersion increases by one with each change of the resource. The highest version is the latest state.
	ObjectVersion int64 `json:"objectVersion"`
	// APIVersion is empty in the first version.
	APIVersion string `json:"apiVersion"`
	// Data is the resource. Decode it into the type of the package api.
	Data json.RawMessage `json:"data"`
}

// WebhookOption is an option of [VerifyWebhook].
type WebhookOption func(*webhookOptions)

type webhookOptions struct {
	secrets    []string
	tolerance  time.Duration
	receivedAt time.Time
	versions   []string
}

// OtherSecret accepts another secret, too, while you rotate the secret of an endpoint.
func OtherSecret(secret string) WebhookOption {
	return func(o *webhookOptions) { o.secrets = append(o.secrets, secret) }
}

// Tolerance sets the maximum difference between the time of arrival and the timestamp of the message. The default is 5 minutes.
func Tolerance(tolerance time.Duration) WebhookOption {
	return func(o *webhookOptions) { o.tolerance = tolerance }
}

// ReceivedAt sets the time at which the message arrived. The default is now.
func ReceivedAt(at time.Time) WebhookOption {
	return func(o *webhookOptions) { o.receivedAt = at }
}

// Versions sets the API versions of the endpoint, which determine the fields of its events. The default is the newest version that
// this client knows. While you move an endpoint to another version, pass both.
func Versions(versions ...string) WebhookOption {
	return func(o *webhookOptions) { o.versions = versions }
}

// VerifyWebhook verifies a webhook message according to Standard Webhooks, and returns its event. The body is the raw body of the
// request, and the secret that of the endpoint (whsec_…). The error is a [*WebhookError].
func VerifyWebhook(body []byte, header http.Header, secret string, options ...WebhookOption) (*WebhookEvent, error) {
	own := webhookOptions{
		secrets:    []string{secret},
		tolerance:  defaultTolerance,
		receivedAt: time.Now(),
		versions:   []string{apiVersion},
	}
	for _, option := range options {
		option(&own)
	}
	id, timestamp, signatures := header.Get("webhook-id"), header.Get("webhook-timestamp"), header.Get("webhook-signature")
	for name, value := range map[string]string{"id": id, "timestamp": timestamp, "signature": signatures} {
		if value == "" {
			return nil, webhookError(MissingHeader, "The header webhook-%s is missing. Pass all headers of the request.", name)
		}
	}
	message := append([]byte(id+"."+timestamp+"."), body...)
	if err := checkSignatures(own.secrets, message, signatures, body); err != nil {
		return nil, err
	}
	// The timestamp is checked last, so a message that is too old is known to be authentic.
	if err := checkTime(timestamp, own); err != nil {
		return nil, err
	}
	event := &WebhookEvent{}
	if err := json.Unmarshal(body, event); err != nil {
		return nil, webhookError(BodyChanged, "The body is not an event: %v.", err)
	}
	version := event.APIVersion
	if version == "" {
		version = firstVersion
	}
	if !slices.Contains(own.versions, version) {
		return nil, webhookError(WrongVersion, "The event has API version %s. Change apiVersion of the endpoint, or pass remit.Versions(%[1]q).", version)
	}
	return event, nil
}

func webhookError(code WebhookCode, format string, values ...any) *WebhookError {
	return &WebhookError{Code: code, Message: fmt.Sprintf(format, values...)}
}

func checkSignatures(secrets []string, message []byte, signatures string, body []byte) error {
	isAuthentic := false
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || len(key) == 0 {
			return webhookError(InvalidSecret, "The secret is not valid. Pass the secret of the webhook endpoint, in the form whsec_….")
		}
		mac := hmac.New(sha256.New, key)
		mac.Write(message)
		expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
		for signature := range strings.SplitSeq(signatures, " ") {
			// It takes the same time wherever they differ.
			isAuthentic = hmac.Equal(expected, []byte(signature)) || isAuthentic
		}
	}
	if isAuthentic {
		return nil
	}
	// Remit sends bodies without white space: any other form was changed.
	var compact bytes.Buffer
	if err := json.Compact(&compact, body); err != nil || !bytes.Equal(compact.Bytes(), body) {
		return webhookError(BodyChanged, "No signature matches because the body was parsed and serialized again. Pass the raw body.")
	}
	return webhookError(WrongSecret, "No signature matches. Check the secret: it can be out of date or belong to another endpoint. If it is correct, the message is forged.")
}

func checkTime(timestamp string, options webhookOptions) error {
	age := math.Inf(1)
	if seconds, err := strconv.ParseUint(timestamp, 10, 63); err == nil {
		age = float64(options.receivedAt.UnixMilli())/1000 - float64(seconds)
	}
	if math.Abs(age) <= options.tolerance.Seconds() {
		return nil
	}
	code := TooOld
	if age < 0 {
		code = TooNew
	}
	return webhookError(code, "The message was signed %.0f seconds ago. Check the clock. If it is correct, an old message was sent again.", age)
}
