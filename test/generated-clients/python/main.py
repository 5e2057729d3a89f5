"""Creates and lists an invoice with the generated client, and checks that a refused request has a typed error."""

import os

from remit import AuthenticatedClient
from remit.api.invoices import create_invoice, list_invoices
from remit.models import CreateInvoice, CreateInvoiceCurrency, Error, ErrorDetailType, Invoice, InvoiceList


def client_with(key: str) -> AuthenticatedClient:
    return AuthenticatedClient(base_url=os.environ["REMIT_URL"], token=key)


client = client_with(os.environ["REMIT_API_KEY"])
body = CreateInvoice(
    customer_id="python", amount=1250, currency=CreateInvoiceCurrency.USD, description="From a generated client"
)
created = create_invoice.sync(client=client, body=body)
assert isinstance(created, Invoice), created

listed = list_invoices.sync(client=client, customer_id="python")
assert isinstance(listed, InvoiceList), listed
assert [invoice.id for invoice in listed.data] == [created.id], listed
assert listed.data[0].due_date == created.due_date

refused = list_invoices.sync(client=client_with("sk_test_wrong"))
assert isinstance(refused, Error), refused
assert refused.error.type_ == ErrorDetailType.AUTHENTICATION_ERROR, refused
assert refused.error.code == "invalid_api_key", refused
