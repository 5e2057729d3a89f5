/**
 * Holds the guides of the reference page, which describe what all endpoints have in common. Limits and codes come from the
 * constants that the service uses, so they are always current.
 */
import type { OpenApiDocument } from '../../api/openapi/document-types.ts';
import { plans } from '../../domain/accounts/account.ts';
import { type TestCard, testCards } from '../../domain/payments/provider/test-cards.ts';
import { errorGuide } from './error-guide.ts';
import { objectsByTag } from './fields.ts';
import { headerGuide } from './header-guide.ts';
import { type Block, fenced, list, table } from './prose.ts';
import { objectSection } from './reference.ts';
import { goHelper, goHelperFile } from './sample-go.ts';
import { pythonHelper, pythonHelperFile } from './sample-python.ts';
import { headerVersionOf } from './samples.ts';
import { webhookGuide } from './webhook-guide.ts';

export interface Guide {
  /** The fragment of the guide's URL. */
  readonly id: string;
  readonly title: string;
  /** Its links to parts of the reference page are fragments. */
  readonly text: readonly Block[];
}

/** Returns all guides in reading order, for the API at `baseUrl`. */
export function guides(document: OpenApiDocument, baseUrl: string): readonly Guide[] {
  return [
    { id: 'start', title: 'First request', text: start(document, baseUrl) },
    { id: 'authentication', title: 'Authentication', text: authentication },
    { id: 'conventions', title: 'Amounts, dates, requests', text: conventions },
    { id: 'errors', title: 'Errors', text: errorGuide(document, baseUrl) },
    { id: 'idempotency', title: 'Idempotency', text: idempotency },
    { id: 'headers', title: 'Headers', text: headerGuide(document) },
    { id: 'pagination', title: 'Pagination', text: pagination(document) },
    { id: 'rate-limits', title: 'Rate limits', text: rateLimits },
    { id: 'test-cards', title: 'Test mode and test cards', text: testMode },
    { id: 'test-faults', title: 'Test your retries', text: testFaults },
    { id: 'live', title: 'Take your first live payment', text: firstLivePayment },
    { id: 'webhooks', title: 'Receiving webhooks', text: webhookGuide(document) },
  ];
}

function start(document: OpenApiDocument, baseUrl: string): readonly Block[] {
  const apiVersion = headerVersionOf(document);
  const environment = `export REMIT_URL=${baseUrl}\nexport REMIT_API_KEY=sk_test_…`;
  const pythonClient = `python3 -m venv venv\nvenv/bin/pip install openapi-python-client\nvenv/bin/openapi-python-client generate --url "$REMIT_URL/openapi.json"`;
  const request = `curl "$REMIT_URL/api/invoices?limit=1" \\\n  -H "Authorization: Bearer $REMIT_API_KEY"`;
  return [
    'Set the URL of the API and your test key as environment variables in your terminal. Put your key in the place of `sk_test_…`:',
    fenced(environment, 'sh', 'Environment variables'),
    'You can then paste the samples on this page as they are. This first request lists your newest invoice:',
    fenced(request, 'sh', 'First request'),
    'Samples that read data use your newest invoice, payment or webhook endpoint. Samples that change or pay an invoice, or delete an endpoint, create it first. If you run the samples in the order of this page, each one finds the data that it needs. There are three exceptions: redelivery needs an event that was sent to your endpoint, the samples for API keys and for changing the account need a key that names the permissions `keys:read`, `keys:write` and `account:write`, and the clock can be reset only if nothing was made or changed since it was moved. If you run the service locally with `npm start`, an endpoint can also be a URL on your own computer, such as `http://localhost:3000/webhooks`.',
    'The TypeScript samples use the `remit-client` package, which is not in the npm registry. Run `npm pack ./client` in a clone of the project, and install the file that it creates. Save a sample as `sample.mts` and run it with `node sample.mts` (Node 24).',
    'The samples in Python need the package `requests`, and this file beside them:',
    fenced(pythonHelper(apiVersion), 'python', pythonHelperFile),
    'Those in Go need this file beside them. Run a sample with `go run call.go sample.go`:',
    fenced(goHelper(apiVersion), 'go', goHelperFile),
    `For code generators and other tools, this reference is also available as an [OpenAPI 3.1 document](${baseUrl}/openapi.json). For language models, [llms.txt](${baseUrl}/llms.txt) lists the guides as Markdown.`,
    'A generator makes a client from that document. For example, this makes one in Python with [openapi-python-client](https://pypi.org/project/openapi-python-client/):',
    fenced(pythonClient, 'sh', 'Generating a client in Python'),
    'In Go, run `oapi-codegen` with `-generate types,client,skip-prune`. Without `skip-prune`, it drops the schemas of webhook messages, which its own code needs.',
  ];
}

const authentication = [
  "Put your API key into the `Authorization` header of every request: `Authorization: Bearer sk_test_…`. Without an API key, a request is refused. The key determines the account and the mode. Test keys (`sk_test_`) and live keys (`sk_live_`) cannot access each other's data.",
  'The operator of this deployment creates API keys. On request, a key has an expiry date, fewer permissions, or up to 8 ranges of addresses from which it may be used, such as `203.0.113.0/24`. A key is shown only once. Put it on your server: do not put it in a web page, an app or a repository. A revoked key is rejected from the next request on.',
  'A program can create and replace keys at [`POST /api/keys`](#createApiKey), if its own key names the permission `keys:write`. To replace a key without a gap, [roll it over](#rollOverApiKey): the old key still works for some hours.',
  'A request without a valid key returns 401. A request that the key is not allowed to make returns 403. Each endpoint in this reference names the permission that it requires. If the error code is `address_not_allowed`, the request came from an address outside the ranges of the key. Such a request does not count against the rate limit of the account.',
];

const conventions = [
  'Request bodies are JSON objects of at most 64 KiB (320 KiB for `PATCH /api/account`), sent with `Content-Type: application/json`. Unknown fields in a body and unknown query parameters of a list are rejected, so a misspelled name is never ignored.',
  'Amounts are integers in the smallest currency unit, such as cents or paisa: `250000` with `BTN` is Nu. 2,500.00, and `29900` with `USD` is $299.00. Multiply an amount in dollars by 100, and divide an amount of a response by 100 before you show it. The supported currencies are `BTN`, `USD` and `INR`.',
  'Dates and times are in ISO 8601 format. A time without a time zone is in UTC. A `dueDate` without a time means the end of that day in UTC. If you do not set a `dueDate`, the invoice is due in 30 days.',
  'New versions of the service can add fields to responses and events, values of `status`, error codes and event types. Ignore those that your code does not know.',
  'Every response has an `X-Request-Id` header. Include its value when you ask the operator for help.',
];

const idempotentRequest = `curl "$REMIT_URL/api/invoices" \\
  -H "Authorization: Bearer $REMIT_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -H 'Idempotency-Key: order-2002' \\
  -d '{"customerId":"dorji@example.bt","amount":250000,"currency":"BTN","description":"Order 2002"}'`;

const idempotency = [
  'If a response is lost, you cannot know whether the request took effect. Therefore, send every request that changes data with an `Idempotency-Key` header of your choice (1 to 255 printable ASCII characters). If you do not get a response, send the request again with the same key. The request takes effect only once.',
  fenced(idempotentRequest, 'sh', 'Request with an idempotency key'),
  'A repeated request returns the status and the exact body of the first response, with the header `Idempotent-Replayed: true`. If it asks for another version of the API, it has the fields of that version. A key is valid for 24 hours, within your account and mode. If you use a key again for a different request, that request is rejected with [`idempotency_key_reused`](#error-idempotency_key_reused). Error responses are not stored: you can correct a rejected request and send it again with the same key. The TypeScript client creates a key for every write request.',
];

const pagination = ({ components: { schemas } }: OpenApiDocument): readonly Block[] => [
  'Lists are sorted newest first. Records whose requests ran at the same time can have any order. `limit` (1 to 100, default 20) and `offset` (default 0) select the page. `pagination.total` is the exact number of matching items, and `hasMore` tells you whether more items follow. A list includes every change whose response was sent before your list request. A high offset is as fast as a low one.',
  'Events and deliveries are logs that grow while you read them, so you page through them by ID. Send `before` with an ID to get older entries. For events, you can also send `after` with an ID to get all newer events, oldest first and without gaps. `after=start` begins with the oldest event. To get the next page, send the value of `cursor.next`.',
  '## Read a whole list',
  'While you read a list page by page, offsets drift. A new record moves all others by one, so a page repeats a record of the page before. A record that leaves the list, such as a paid invoice in a list of pending ones, moves the others back, so you skip one.',
  list([
    'To keep new records out, send the time at which you begin as `createdTo` with each page (from version 2026-11-23 on). In test mode with a [clock](#getTestClock) that is ahead, send the time of that clock.',
    'To keep records in the list, do not filter by `status`. Compare the status in your own code.',
    'The TypeScript client does all this for you: `for await` over a list returns each record once. From the second page on, it sends `createdTo` for invoices, payments and refunds. In lists of a status and in all other lists, it finds the records that moved.',
  ]),
  ...(objectsByTag.pagination ?? []).map((name) => objectSection(schemas, name)),
];

const planLimits = Object.entries(plans).map(
  ([plan, requests]) => `${requests} requests on the ${plan} plan`,
);

const rateLimits = [
  `In each clock hour, an account can send ${planLimits.join(' and ')}. The requests of all keys of an account count together, separately for each mode. Every response to a request with a valid key has these headers:`,
  list([
    '`X-RateLimit-Limit`: the number of requests per hour',
    '`X-RateLimit-Remaining`: the number of requests that remain',
    '`X-RateLimit-Reset`: the time at which the next hour begins, in Unix seconds',
  ]),
  'If you exceed the limit, the response is 429 with a `Retry-After` header in seconds. You can also get 429 if you send thousands of requests at once. Requests without a valid key are counted by their source IP address.',
  'During maintenance, requests that change something also return 429, with the code `maintenance`. Send them again after the number of seconds in `Retry-After`.',
];

const testMode = [
  'In test mode, no real money moves. The payment page, and `POST /api/payments` with the method `card`, accept only the following card numbers. Use any expiry date in the future and any security code.',
  table(
    ['Number', 'Result'],
    testCards.map((card) => [`\`${card.number}\``, resultOf(card)]),
  ),
  'If a card is declined, the request still succeeds: the payment is created with the `status` `failed` and a `failureCode`. In live mode, the API does not accept card data: send your customer to the `paymentUrl` of the invoice.',
];

const lostAnswer = `for attempt in 1 2; do curl "$REMIT_URL/api/invoices" \\
  -H "Authorization: Bearer $REMIT_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -H 'Idempotency-Key: order-2003' \\
  -H 'X-Test-Fault: after-commit' \\
  -d '{"customerId":"dorji@example.bt","amount":250000,"currency":"BTN","description":"Order 2003"}'; done`;

const testFaults = [
  'With a test key, the header `X-Test-Fault` asks for a fault of one request. A live key with this header gets 400.',
  list([
    '`before-commit`: nothing happens, and the response is 500',
    '`after-commit`: the request takes effect, and the response is 500',
    '`slow=2000`: the request takes effect, and the response waits for this number of milliseconds',
    '`rate-limited`: nothing happens, and the response is 429 with `Retry-After`',
  ]),
  'The first of these two requests loses its response. The second gets the stored response, although it has the same headers. Without an `Idempotency-Key`, they make two invoices.',
  fenced(lostAnswer, 'sh', 'A lost response and its retry'),
  'Other faults disturb the webhooks of the events that the request causes, also those of the refund or card payment that it begins:',
  list([
    '`drop`: the first attempt is not sent and counts as failed, and the retries follow',
    '`twice`: each event arrives twice, with the same `webhook-id`',
    '`reorder`: the events wait for 30 seconds, and the last event of the request arrives first',
    '`delay=60`: the first attempt waits for this number of seconds',
  ]),
  'Each request counts against the rate limit. A request with `slow` counts as one more request for each 250 milliseconds.',
];

const liveInvoice = `curl -i "$REMIT_URL/api/invoices" \\
  -H "Authorization: Bearer $REMIT_LIVE_KEY" \\
  -H 'Content-Type: application/json' \\
  -H 'Idempotency-Key: first-live-invoice' \\
  -d '{"customerId":"dorji@example.bt","amount":100,"currency":"INR","description":"First live payment"}'`;

const firstLivePayment = [
  'Live mode has its own keys, webhook endpoints, payment settings and data. Nothing that you made in test mode is in live mode.',
  '## Prepare live mode',
  [
    '1. In the dashboard, switch to live mode. In *Settings*, enter the name and the payment instructions that payers see.',
    '2. To take cards or UPI, connect an account at a provider in *Settings, Payment providers*. The page lists what to set up there. Without a provider, payers follow your payment instructions.',
    '3. Create a live key in *Settings, API keys*. It begins with `sk_live_`, and is shown only once.',
    '4. [Register a webhook endpoint](#createWebhook) with the live key, and store its secret. Live endpoints have other secrets than test endpoints.',
  ].join('\n'),
  '## Pay a small invoice',
  'Create an invoice over a small amount, in a currency that your provider takes. Change nothing but the key, and the header `Idempotency-Key` for each further invoice:',
  fenced(liveInvoice, 'sh', 'First live invoice'),
  'If the response has the header `Remit-Warning: no_payment_method`, the payment page offers no way to pay: go back to the first two steps. Otherwise, open the `paymentUrl` of the response and pay. This moves real money.',
  'If the payer uses your payment instructions, open the invoice in the dashboard after the money has arrived, and mark it as paid.',
  '## Check it and give it back',
  [
    '1. Your endpoint gets `payment.completed` and `invoice.paid`. [Verify](#webhooks-verify-messages) both, and [read the invoice](#getInvoice): its `status` is `paid`.',
    '2. [Create a refund](#createRefund) of the payment. Remit asks the provider to return the money, and `refund.processed` arrives. Remit does not move money that arrived in another way: return it yourself.',
    '3. Set up your server with the live key, and delete the key that you used here if it is another one.',
  ].join('\n'),
];

function resultOf({ capture, refund, isDisputed }: TestCard): string {
  if (isDisputed)
    return 'The payment completes. A few seconds later, the payer disputes it: `payment.disputed`. Such a payment cannot be refunded.';
  if (refund === 'fails later') return 'The payment completes. Its refunds fail.';
  if (capture === 'later') return 'The payment is `pending` at first, and completes a few seconds later.';
  return capture === 'done' ? 'The payment completes.' : `The payment fails with \`${capture}\`.`;
}
