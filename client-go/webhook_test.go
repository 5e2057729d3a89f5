package remit

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

const (
	secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	body   = `{"test": 2432232314}`
)

func signedHeader() http.Header {
	header := http.Header{}
	header.Set("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek")
	header.Set("webhook-timestamp", "1614265330")
	header.Set("webhook-signature", "v1a,AAAA v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
	return header
}

func codeOf(t *testing.T, body string, header http.Header, secret string, options ...WebhookOption) WebhookCode {
	t.Helper()
	_, err := VerifyWebhook([]byte(body), header, secret, options...)
	var refused *WebhookError
	if err != nil && !errors.As(err, &refused) {
		t.Fatal(err)
	}
	if refused == nil {
		return ""
	}
	if key := strings.TrimPrefix(secret, "whsec_"); len(key) > 4 && strings.Contains(err.Error(), key) {
		t.Error("The message has the secret.")
	}
	return refused.Code
}

func TestTheVectorOfStandardWebhooks(t *testing.T) {
	signed := time.Unix(1614265330, 0)
	first := []WebhookOption{Versions(firstVersion), ReceivedAt(signed)}
	for _, each := range []struct {
		expect  WebhookCode
		body    string
		header  http.Header
		secret  string
		options []WebhookOption
	}{
		{"", body, signedHeader(), secret, nil},
		{"", body, signedHeader(), "whsec_AAAA", []WebhookOption{OtherSecret(secret)}},
		{WrongSecret, `{"test":2432232314}`, signedHeader(), secret, nil},
		{BodyChanged, `{ "test":2432232314}`, signedHeader(), secret, nil},
		{BodyChanged, `{"test"`, signedHeader(), secret, nil},
		{MissingHeader, body, http.Header{}, secret, nil},
		{InvalidSecret, body, signedHeader(), "whsec_", nil},
		{InvalidSecret, body, signedHeader(), "whsec_ü", nil},
		{TooOld, body, signedHeader(), secret, []WebhookOption{ReceivedAt(signed.Add(301 * time.Second))}},
		{"", body, signedHeader(), secret, []WebhookOption{ReceivedAt(signed.Add(301 * time.Second)), Tolerance(302 * time.Second)}},
		{TooNew, body, signedHeader(), secret, []WebhookOption{ReceivedAt(signed.Add(-301 * time.Second))}},
		{WrongVersion, body, signedHeader(), secret, []WebhookOption{Versions("2026-11-22", "2026-11-23")}},
	} {
		if code := codeOf(t, each.body, each.header, each.secret, append(first[:2:2], each.options...)...); code != each.expect {
			t.Errorf("%q instead of %q: %s", code, each.expect, each.body)
		}
	}
}

// WEBHOOK_VECTORS names a file with messages that the service has signed, each with the code of the error that it causes, or none.
func TestMessagesOfTheServiceHaveTheSameOutcomeAsInOtherClients(t *testing.T) {
	file := os.Getenv("WEBHOOK_VECTORS")
	if file == "" {
		t.Skip("There are no messages of a service.")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct {
		Name, Body         string
		Headers            map[string]string
		Secret, APIVersion oneOrMore
		ReceivedAt         int64
		Code               WebhookCode
	}
	if err := json.Unmarshal(text, &vectors); err != nil || len(vectors) == 0 {
		t.Fatal(err)
	}
	for _, each := range vectors {
		header := http.Header{}
		for name, value := range each.Headers {
			header.Set(name, value)
		}
		options := []WebhookOption{ReceivedAt(time.UnixMilli(each.ReceivedAt)), Versions(each.APIVersion...)}
		for _, other := range each.Secret[1:] {
			options = append(options, OtherSecret(other))
		}
		if code := codeOf(t, each.Body, header, each.Secret[0], options...); code != each.Code {
			t.Errorf("%s: %q instead of %q", each.Name, code, each.Code)
		}
	}
}

type oneOrMore []string

func (o *oneOrMore) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*o = []string{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(o))
}
