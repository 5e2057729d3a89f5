"""Uses the Python client of openapi-generator: creates, lists, reads an event, and meets what a later release adds, and an error."""

import os
import time

from openapi_client import ApiClient, Configuration, EventsApi, InvoicesApi
from openapi_client.exceptions import UnauthorizedException
from openapi_client.models import CreateInvoice, Error


def client_with(url: str, key: str) -> ApiClient:
    return ApiClient(Configuration(host=url, access_token=key))


key = os.environ["REMIT_API_KEY"]
now = client_with(os.environ["REMIT_URL"], key)
later = client_with(os.environ["REMIT_LATER_URL"], key)

body = CreateInvoice(customer_id="openapi-python", amount=1250, currency="USD", description="Generated", reference="op-1")
created = InvoicesApi(now).create_invoice(body)
assert created.status == "pending" and created.reference == "op-1", created
listed = InvoicesApi(now).list_invoices(customer_id="openapi-python")
assert [each.id for each in listed.data] == [created.id], listed

unknown = InvoicesApi(later).get_invoice(created.id)
assert unknown.status == "of_a_later_release", unknown

events = []
while not any(each.data["id"] == created.id for each in events):
    time.sleep(0.2)
    events = EventsApi(now).list_events().data
assert EventsApi(now).get_event(events[0].id).api_version == "2026-11-23"
assert {each.type for each in EventsApi(later).list_events().data} >= {"invoice.of_a_later_release"}

try:
    InvoicesApi(client_with(os.environ["REMIT_URL"], "sk_test_wrong")).list_invoices()
    raise AssertionError("The request was not refused.")
except UnauthorizedException as refused:
    assert Error.from_json(refused.body).error.code == "invalid_api_key", refused
