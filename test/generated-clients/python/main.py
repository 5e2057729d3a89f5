"""Uses the generated client for an invoice with metadata, a filter and a customer, and checks that a refused request has a typed error."""

import os
import time

from remit import AuthenticatedClient
from remit.api.customers import create_customer, delete_customer, get_customer, list_customers, update_customer
from remit.api.events import get_event, list_events
from remit.api.invoices import create_invoice, get_invoice, list_invoices, update_invoice
from remit.models import (
    CreateCustomer,
    CreateInvoice,
    CreateInvoiceCurrency,
    Customer,
    CustomerDeletion,
    CustomerList,
    Error,
    Event,
    EventList,
    Invoice,
    InvoiceList,
    ListInvoicesCurrency,
    ListInvoicesStatusItem,
    UpdateCustomer,
    UpdateInvoice,
)


def client_with(key: str, url: str = "REMIT_URL", **headers: str) -> AuthenticatedClient:
    return AuthenticatedClient(base_url=os.environ[url], token=key, headers=headers)


client = client_with(os.environ["REMIT_API_KEY"], **{"X-API-Version": "2026-11-23"})
body = CreateInvoice.from_dict(
    {
        "customerId": "python",
        "amount": 1250,
        "currency": "USD",
        "description": "From a generated client",
        "reference": "python-1",
        "metadata": {"orderId": "1047", "draft": "yes"},
    }
)
assert body.currency == CreateInvoiceCurrency.USD
created = create_invoice.sync(client=client, body=body)
assert isinstance(created, Invoice), created
assert created.reference == "python-1", created
assert created.metadata.to_dict() == {"orderId": "1047", "draft": "yes"}, created

change = UpdateInvoice.from_dict({"metadata": {"orderId": "1048", "draft": None}})
updated = update_invoice.sync(created.id, client=client, body=change)
assert isinstance(updated, Invoice), updated
assert updated.metadata.to_dict() == {"orderId": "1048"}, updated

listed = list_invoices.sync(client=client, customer_id="python")
assert isinstance(listed, InvoiceList), listed
assert [invoice.id for invoice in listed.data] == [created.id], listed
assert listed.data[0].due_date == created.due_date


def ids_of(**filters: object) -> list[str]:
    found = list_invoices.sync(client=client, **filters)
    assert isinstance(found, InvoiceList), found
    return [invoice.id for invoice in found.data]


pending = [ListInvoicesStatusItem.PENDING]
assert ids_of(reference="python-1") == [created.id]
assert ids_of(status=pending, currency=ListInvoicesCurrency.USD, created_from="2020-01-01") == [created.id]
assert ids_of(status=pending, currency=ListInvoicesCurrency.INR) == []

customer = create_customer.sync(
    client=client, body=CreateCustomer.from_dict({"name": "Pema Lhamo", "metadata": {"segment": "retail"}})
)
assert isinstance(customer, Customer), customer
renamed = update_customer.sync(customer.id, client=client, body=UpdateCustomer.from_dict({"email": "pema@example.bt"}))
assert isinstance(renamed, Customer), renamed
assert (renamed.name, renamed.email) == ("Pema Lhamo", "pema@example.bt"), renamed
customers = list_customers.sync(client=client, email="pema@example.bt")
assert isinstance(customers, CustomerList), customers
assert [each.id for each in customers.data] == [customer.id], customers
assert get_customer.sync(customer.id, client=client) == renamed
assert isinstance(delete_customer.sync(customer.id, client=client), CustomerDeletion)
assert isinstance(get_customer.sync(customer.id, client=client), Error)

later = client_with(os.environ["REMIT_API_KEY"], "REMIT_LATER_URL")
unknown = get_invoice.sync(created.id, client=later)
assert isinstance(unknown, Invoice) and unknown.status == "of_a_later_release", unknown
events = EventList(data=[], cursor=None)
while not events.data:
    time.sleep(0.2)
    events = list_events.sync(client=later)
    assert isinstance(events, EventList), events
assert any(each.type_ == "invoice.of_a_later_release" for each in events.data), events
assert isinstance(get_event.sync(events.data[0].id, client=later), Event)

refused = list_invoices.sync(client=client_with("sk_test_wrong"))
assert isinstance(refused, Error), refused
assert refused.error.type_ == "authentication_error", refused
assert refused.error.code == "invalid_api_key", refused
