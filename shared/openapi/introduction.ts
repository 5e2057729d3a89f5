/** What the document says about the API as a whole. */

export const introduction = [
  'Create invoices, have them paid, refund payments, and learn of all that happens by webhooks.',

  'Bodies are JSON. Amounts are integers in the smallest unit of the currency: 250000 in `BTN` is Nu. 2,500.00. Times in answers are in UTC, with milliseconds and `Z`.',

  'Every request carries an API key. `sk_test_…` works in test mode, where no real money moves and only test cards are accepted; `sk_live_…` works in live mode. All data is separate per account and mode.',

  'An error is answered as `{ "error": { "message", "type", "code", "field" } }`: `type` is the class of the error, `code` the error itself, and `field` names what is wrong with the request, if that is what it is. `message` is for people. A path or method that there is not is answered with 404 `route_not_found`.',

  'Requests are counted for each account and mode in hours of the clock: 1000 on standard plans, 5000 on enterprise plans. Every answer says how many are left.',

  'A request that changes something can carry an `Idempotency-Key`, and then be sent again without taking effect twice.',

  'Lists are paged by `limit` and `offset`, newest first; deliveries and events by ids, as their lists grow while they are read.',
].join('\n\n');
