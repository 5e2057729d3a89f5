package remit;

import remit.api.EventsApi;
import remit.api.InvoicesApi;
import remit.model.CreateInvoice;
import remit.model.Error;
import remit.model.ErrorDetail;
import remit.model.Invoice;

/** Creates and lists an invoice with the generated client, and checks that a refused request has a typed error. */
public final class Main {
  public static void main(String[] arguments) throws ApiException, InterruptedException {
    InvoicesApi invoices = new InvoicesApi(clientWith("REMIT_URL", System.getenv("REMIT_API_KEY")));
    CreateInvoice body =
        new CreateInvoice()
            .customerId("java")
            .amount(1250L)
            .currency(CreateInvoice.CurrencyEnum.USD)
            .description("From a generated client");
    Invoice created = invoices.createInvoice(body).execute();

    var listed = invoices.listInvoices().customerId("java").execute().getData();
    check(listed.size() == 1 && listed.get(0).getId().equals(created.getId()), listed);
    check(listed.get(0).getDueDate().equals(created.getDueDate()), listed);

    InvoicesApi later = new InvoicesApi(clientWith("REMIT_LATER_URL", System.getenv("REMIT_API_KEY")));
    Invoice unknown = later.getInvoice(created.getId()).execute();
    check(unknown.getStatus().equals("of_a_later_release"), unknown);
    var events = new EventsApi(clientWith("REMIT_LATER_URL", System.getenv("REMIT_API_KEY")));
    while (events.listEvents().execute().getData().isEmpty()) Thread.sleep(200);
    var event = events.getEvent(events.listEvents().execute().getData().get(0).getId()).execute();
    check(event.getType().equals("invoice.of_a_later_release"), event);

    try {
      new InvoicesApi(clientWith("REMIT_URL", "sk_test_wrong")).listInvoices().execute();
      check(false, "the request was not refused");
    } catch (ApiException refused) {
      ErrorDetail detail = JSON.<Error>deserialize(refused.getResponseBody(), Error.class).getError();
      check(detail.getType().equals("authentication_error"), detail);
      check(detail.getCode().equals("invalid_api_key"), detail);
    }
    System.exit(0);
  }

  private static ApiClient clientWith(String url, String key) {
    ApiClient client = new ApiClient().setBasePath(System.getenv(url));
    client.addDefaultHeader("Authorization", "Bearer " + key);
    return client;
  }

  private static void check(boolean holds, Object value) {
    if (!holds) throw new AssertionError("unexpected: " + value);
  }
}
