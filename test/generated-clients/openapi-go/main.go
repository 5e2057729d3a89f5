// Uses the Go client of openapi-generator: creates, lists, reads an event, and meets what a later release adds, and an error.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"example.com/generated/remit"
)

func clientWith(url, key string) *remit.APIClient {
	configuration := remit.NewConfiguration()
	configuration.Servers = remit.ServerConfigurations{{URL: url}}
	configuration.AddDefaultHeader("Authorization", "Bearer "+key)
	return remit.NewAPIClient(configuration)
}

func check(holds bool, value any) {
	if holds {
		return
	}
	fmt.Fprintf(os.Stderr, "unexpected: %+v\n", value)
	os.Exit(1)
}

func main() {
	ctx, key := context.Background(), os.Getenv("REMIT_API_KEY")
	now, later := clientWith(os.Getenv("REMIT_URL"), key), clientWith(os.Getenv("REMIT_LATER_URL"), key)

	body := remit.NewCreateInvoice("USD", "Generated")
	body.SetCustomerId("openapi-go")
	body.SetAmount(1250)
	created, _, err := now.InvoicesAPI.CreateInvoice(ctx).CreateInvoice(*body).Execute()
	check(err == nil && created.Status == "pending", err)
	listed, _, err := now.InvoicesAPI.ListInvoices(ctx).CustomerId("openapi-go").Execute()
	check(err == nil && len(listed.Data) == 1 && listed.Data[0].Id == created.Id, err)

	unknown, _, err := later.InvoicesAPI.GetInvoice(ctx, created.Id).Execute()
	check(err == nil && unknown.Status == "of_a_later_release", err)

	for found := false; !found; time.Sleep(200 * time.Millisecond) {
		events, _, err := now.EventsAPI.ListEvents(ctx).Execute()
		check(err == nil, err)
		for _, event := range events.Data {
			found = found || event.Data["id"] == created.Id
		}
	}
	events, _, err := later.EventsAPI.ListEvents(ctx).Execute()
	check(err == nil && events.Data[0].Type == "invoice.of_a_later_release", err)
	event, _, err := now.EventsAPI.GetEvent(ctx, events.Data[0].Id).Execute()
	check(err == nil && event.ApiVersion == "2026-11-23", err)

	_, response, err := clientWith(os.Getenv("REMIT_URL"), "sk_test_wrong").InvoicesAPI.ListInvoices(ctx).Execute()
	check(err != nil && response.StatusCode == 401, err)
	text, _ := io.ReadAll(response.Body)
	var refused remit.Error
	check(json.Unmarshal(text, &refused) == nil && refused.Error.Code == "invalid_api_key", string(text))
}
