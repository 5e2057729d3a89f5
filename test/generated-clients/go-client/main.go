// Uses the Go client: through failures, with all pages of a list, with an error, and against a later release.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"remit.example/remit"
	"remit.example/remit/api"
)

var ctx = context.Background()

func check(holds bool, value any) {
	if holds {
		return
	}
	fmt.Fprintf(os.Stderr, "unexpected: %+v\n", value)
	os.Exit(1)
}

func clientOf(url, key string) *remit.Client {
	client, err := remit.New(key, os.Getenv(url))
	check(err == nil, err)
	return client
}

func bodyOf(customer string, amount int64) api.CreateInvoice {
	return api.CreateInvoice{CustomerId: &customer, Amount: &amount, Currency: "USD", Description: "Tea"}
}

func idsOf(list *remit.List[api.Invoice, api.InvoiceList]) []string {
	var ids []string
	for each, err := range list.All(ctx) {
		check(err == nil, err)
		ids = append(ids, each.Id)
	}
	return ids
}

// useThroughFailures makes two invoices, each once. Two attempts of each write fail, and the first to read the list: targets.ts
// lists the failures.
func useThroughFailures(flaky *remit.Client) (*api.Invoice, *api.Invoice) {
	first, err := flaky.Invoices.Create(ctx, bodyOf("go-client", 1250))
	check(err == nil, err)
	second, err := flaky.Invoices.Create(ctx, bodyOf("go-client", 1300))
	check(err == nil, err)
	ids := idsOf(flaky.Invoices.List(&api.ListInvoicesParams{CustomerId: new("go-client"), Limit: new(1)}))
	check(slices.Equal(ids, []string{second.Id, first.Id}), ids)
	return first, second
}

func readPages(client *remit.Client) {
	var made []string
	for number := range 5 {
		invoice, err := client.Invoices.Create(ctx, bodyOf("pages", int64(100+number)))
		check(err == nil, err)
		made = append([]string{invoice.Id}, made...)
	}
	ids := idsOf(client.Invoices.List(&api.ListInvoicesParams{CustomerId: new("pages"), Limit: new(2)}))
	check(slices.Equal(ids, made), ids)
	last := &api.ListInvoicesParams{CustomerId: new("pages"), Limit: new(2), Offset: new(4)}
	page, err := client.Invoices.List(last).Page(ctx)
	check(err == nil && page.Pagination.Total == 5 && len(page.Data) == 1, page)
}

func meetErrors(client *remit.Client) {
	var failed *remit.Error
	_, err := client.Invoices.Create(ctx, bodyOf("go-client", -1))
	check(errors.As(err, &failed) && failed.Type == remit.ValidationError && failed.Field == "amount", err)
	check(failed.Status == 400 && failed.RequestID != "" && failed.DocURL != "" && len(failed.Details) == 1, failed)
	_, err = clientOf("REMIT_URL", "sk_test_wrong").Account.Retrieve(ctx)
	check(errors.As(err, &failed) && failed.Type == remit.AuthenticationError && failed.Code == "invalid_api_key", err)
}

func pay(client *remit.Client, id string) {
	var body api.CreatePayment
	check(body.FromCreateOfflinePayment(api.CreateOfflinePayment{InvoiceId: id, Method: "offline"}) == nil, body)
	paid, err := client.Payments.Create(ctx, body, nil)
	check(err == nil && paid.Status == "completed", err)
	found, err := client.Search(ctx, &api.SearchRecordsParams{Q: id})
	check(err == nil && found != nil, err)
}

func readEvents(client *remit.Client) {
	var types []string
	for attempt := 0; attempt < 100 && !slices.Contains(types, "invoice.paid"); attempt++ {
		time.Sleep(200 * time.Millisecond)
		types = nil
		for event, err := range client.Events.List(&api.ListEventsParams{After: new("start"), Limit: new(3)}).All(ctx) {
			check(err == nil, err)
			types = append(types, event.Type)
		}
	}
	check(slices.Contains(types, "invoice.paid") && types[0] == "invoice.created", types)
	entries := 0
	for _, err := range client.Journal.List(&api.ListJournalParams{Limit: new(1)}).All(ctx) {
		check(err == nil, err)
		entries++
	}
	check(entries > 0, entries)
}

func readDocument(client *remit.Client, id string) {
	for range 100 {
		page, err := client.Invoices.ListDocuments(id, nil).Page(ctx)
		check(err == nil, err)
		if len(page.Data) == 0 {
			time.Sleep(200 * time.Millisecond)
			continue
		}
		pdf, err := client.Documents.Pdf(ctx, page.Data[0].Id, nil)
		check(err == nil && bytes.HasPrefix(pdf, []byte("%PDF")), err)
		return
	}
	check(false, "The invoice has no document.")
}

func main() {
	key := os.Getenv("REMIT_API_KEY")
	client, later := clientOf("REMIT_URL", key), clientOf("REMIT_LATER_URL", key)
	first, second := useThroughFailures(clientOf("REMIT_FLAKY_URL", key))
	readPages(client)
	meetErrors(client)
	pay(client, first.Id)
	readEvents(client)
	readDocument(client, second.Id)

	endpoint, err := client.Webhooks.Create(ctx, api.CreateWebhook{Url: new("https://example.com/hooks"), Events: []api.CreateWebhookEvents{"*"}})
	check(err == nil && strings.HasPrefix(fmt.Sprint(*endpoint.Secret), "whsec_"), err)

	unknown, err := later.Invoices.Retrieve(ctx, second.Id)
	check(err == nil && unknown.Status == "of_a_later_release", err)
	events, err := later.Events.List(nil).Page(ctx)
	check(err == nil && slices.ContainsFunc(events.Data, func(each api.Event) bool { return each.Type == "invoice.of_a_later_release" }), err)
}
