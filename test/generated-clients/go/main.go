// Creates and lists an invoice with the generated client, and checks that a refused request has a typed error.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"
)

func clientWith(url, key string) *ClientWithResponses {
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+key)
		return nil
	}
	client, err := NewClientWithResponses(os.Getenv(url), WithRequestEditorFn(authorize))
	check(err == nil, err)
	return client
}

func check(holds bool, value any) {
	if holds {
		return
	}
	fmt.Fprintf(os.Stderr, "unexpected: %+v\n", value)
	os.Exit(1)
}

func main() {
	ctx := context.Background()
	client := clientWith("REMIT_URL", os.Getenv("REMIT_API_KEY"))
	customer, amount := "go", int64(1250)
	body := CreateInvoice{CustomerId: &customer, Amount: &amount, Currency: "USD", Description: "From a generated client"}
	created, err := client.CreateInvoiceWithResponse(ctx, &CreateInvoiceParams{}, body)
	check(err == nil && created.JSON201 != nil, err)

	listed, err := client.ListInvoicesWithResponse(ctx, &ListInvoicesParams{CustomerId: &customer})
	check(err == nil && listed.JSON200 != nil, err)
	check(len(listed.JSON200.Data) == 1 && listed.JSON200.Data[0].Id == created.JSON201.Id, listed.JSON200)
	check(listed.JSON200.Data[0].DueDate.Equal(created.JSON201.DueDate), listed.JSON200)

	later := clientWith("REMIT_LATER_URL", os.Getenv("REMIT_API_KEY"))
	unknown, err := later.GetInvoiceWithResponse(ctx, created.JSON201.Id, &GetInvoiceParams{})
	check(err == nil && unknown.JSON200.Status == "of_a_later_release", err)
	for {
		events, err := later.ListEventsWithResponse(ctx, &ListEventsParams{})
		check(err == nil && events.JSON200 != nil, err)
		if len(events.JSON200.Data) > 0 {
			check(events.JSON200.Data[0].Type == "invoice.of_a_later_release", events.JSON200)
			break
		}
		time.Sleep(200 * time.Millisecond)
	}

	refused, err := clientWith("REMIT_URL", "sk_test_wrong").ListInvoicesWithResponse(ctx, &ListInvoicesParams{})
	check(err == nil && refused.JSON401 != nil, err)
	detail := refused.JSON401.Error
	check(detail.Type == "authentication_error" && detail.Code == "invalid_api_key", detail)
}
