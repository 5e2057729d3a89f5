/** Holds the description of the API as a whole. The reference page shows its first paragraph. */

export const introduction = [
  'With the Remit API, you can create invoices, collect and refund payments, and receive webhooks when something changes.',

  'Request and response bodies are JSON. Amounts are integers in the smallest currency unit: 250000 in `BTN` is Nu. 2,500.00. Timestamps in responses are in UTC, with milliseconds and `Z`.',

  'Authenticate every request with an API key. A `sk_test_…` key works in test mode: no real money moves, and only test cards are accepted. A `sk_live_…` key works in live mode. Each account and mode has its own separate data.',

  'Errors have the form `{ "error": { "message", "type", "code", "field", "details", "docUrl" } }`. `type` is the category of the error and `code` identifies the error. `field` names the part of the request that is invalid, if there is one, and `details` lists all invalid parts. `docUrl` is the page about the error code. `message` is for people. Unknown paths and methods return 404 `route_not_found`.',

  'New versions of the service can add fields to responses and events, values of `status`, error codes and event types. Ignore those that your code does not know.',

  'Rate limits apply per account and mode, and per clock hour: 1000 requests on the standard plan, 5000 on the enterprise plan. Every response tells you how many requests remain.',

  'Send an `Idempotency-Key` header with a request that changes data. You can then safely send the request again: it takes effect only once.',

  'Lists are sorted newest first and paged with `limit` and `offset`. Deliveries and events are paged by ID instead, because these lists grow while you read them.',
].join('\n\n');
