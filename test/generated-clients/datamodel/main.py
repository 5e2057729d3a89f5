"""Reads what the service sends, and what a later release adds, with the models of datamodel-codegen."""

import os
import urllib.error
import urllib.request

from remit import CreateInvoice, Error, EventList, Invoice, InvoiceList


def call(url: str, path: str, body: str | None = None, key: str = os.environ["REMIT_API_KEY"]) -> str:
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    data = body and body.encode()
    with urllib.request.urlopen(urllib.request.Request(os.environ[url] + path, data, headers)) as answer:
        return answer.read().decode()


body = CreateInvoice(customerId="datamodel", amount=1250, currency="USD", description="Generated")
created = Invoice.model_validate_json(call("REMIT_URL", "/api/invoices", body.model_dump_json(exclude_none=True)))
listed = InvoiceList.model_validate_json(call("REMIT_URL", "/api/invoices?customerId=datamodel"))
assert [each.id for each in listed.data] == [created.id], listed
unknown = Invoice.model_validate_json(call("REMIT_LATER_URL", f"/api/invoices/{created.id}"))
assert unknown.status == "of_a_later_release", unknown
EventList.model_validate_json(call("REMIT_LATER_URL", "/api/events"))
try:
    call("REMIT_URL", "/api/invoices", key="sk_test_wrong")
    raise AssertionError("The request was not refused.")
except urllib.error.HTTPError as refused:
    assert Error.model_validate_json(refused.read()).error.code == "invalid_api_key"
