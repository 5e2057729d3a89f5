"""Uses the installed Python client: through failures, with all pages of a list, with an error, and against a later release."""

from __future__ import annotations

import os
import time

import remit
from remit.models import CreateInvoice, Invoice

KEY = os.environ["REMIT_API_KEY"]


def client_of(url: str, key: str = KEY) -> remit.Remit:
    return remit.Remit(api_key=key, base_url=os.environ[url])


client = client_of("REMIT_URL")
# Two attempts of each write fail, and the first to read the list: targets.ts lists the failures.
flaky = client_of("REMIT_FLAKY_URL")
first: Invoice = flaky.invoices.create({"customerId": "python-client", "amount": 1250, "currency": "USD", "description": "One"})
body = CreateInvoice(customer_id="python-client", amount=1300, currency="USD", description="Two")
second = flaky.invoices.create(body)
listed = [each.id for each in flaky.invoices.list(customer_id="python-client", limit=1)]
assert listed == [second.id, first.id], listed

for number in range(5):
    client.invoices.create({**body.to_dict(), "customerId": "pages", "amount": 100 + number})
amounts = [each.amount for each in client.invoices.list(customer_id="pages", limit=2)]
assert amounts == [104, 103, 102, 101, 100], amounts
page = client.invoices.list(customer_id="pages", limit=2, offset=4).page()
assert (page.pagination.total, [each.amount for each in page.data]) == (5, [100]), page

try:
    client.invoices.create({**body.to_dict(), "amount": -1, "currency": "XXX"})
    raise AssertionError("The invoice was not refused.")
except remit.ValidationError as refused:
    assert refused.status == 400 and refused.request_id and refused.doc_url, vars(refused)
    assert refused.details and {each["field"] for each in refused.details} == {"amount", "currency"}, refused.details
try:
    client_of("REMIT_URL", "sk_test_wrong").account.retrieve()
    raise AssertionError("The key was not refused.")
except remit.AuthenticationError as refused:
    assert refused.code == "invalid_api_key", vars(refused)

paid = client.payments.create({"invoiceId": first.id, "method": "offline", "reference": "Receipt 17"})
assert paid.status == "completed" and client.invoices.retrieve(first.id).status == "paid"
assert client.search(q=first.id) is not None

types: list[str] = []
for _ in range(100):
    if "invoice.paid" in types:
        break
    time.sleep(0.2)
    types = [event.type_ for event in client.events.list(after="start", limit=3)]
assert types[0] == "invoice.created" and len(types) >= 8, types
assert list(client.journal.list(limit=1)), "The journal is empty."
documents: list[str] = []
for _ in range(100):
    if documents:
        break
    time.sleep(0.2)
    documents = [each.id for each in client.invoices.list_documents(second.id)]
pdf = client.documents.pdf(documents[0])
assert pdf.startswith(b"%PDF"), pdf[:10]

endpoint = client.webhooks.create({"url": "https://example.com/hooks", "events": ["*"]})
assert isinstance(endpoint.secret, str) and endpoint.secret.startswith("whsec_")
assert client.webhooks.delete(endpoint.id).id == endpoint.id

later = client_of("REMIT_LATER_URL")
assert later.invoices.retrieve(second.id).status == "of_a_later_release"
assert "invoice.of_a_later_release" in [event.type_ for event in later.events.list().page().data]
