package remit;

import remit.api.InvoicesApi;
import remit.model.CreateInvoice;
import remit.model.Error;
import remit.model.ErrorDetail;
import remit.model.Invoice;

/** Creates and lists an invoice with the generated client, and checks that a refused request has a typed error. */
public final class Main {
  public static void main(String[] arguments) throws ApiException {
    InvoicesApi invoices = new InvoicesApi(clientWith(System.getenv("REMIT_API_KEY")));
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

    try {
      new InvoicesApi(clientWith("sk_test_wrong")).listInvoices().execute();
      check(false, "the request was not refused");
    } catch (ApiException refused) {
      ErrorDetail detail = JSON.<Error>deserialize(refused.getResponseBody(), Error.class).getError();
      check(detail.getType() == ErrorDetail.TypeEnum.AUTHENTICATION_ERROR, detail);
      check(detail.getCode().equals("invalid_api_key"), detail);
    }
    System.exit(0);
  }

  private static ApiClient clientWith(String key) {
    ApiClient client = new ApiClient().setBasePath(System.getenv("REMIT_URL"));
    client.addDefaultHeader("Authorization", "Bearer " + key);
    return client;
  }

  private static void check(boolean holds, Object value) {
    if (!holds) throw new AssertionError("unexpected: " + value);
  }
}
