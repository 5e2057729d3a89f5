/**
 * Holds the guides of the reference page, which describe what all endpoints have in common. Limits and codes come from the
 * constants that the service uses, so they are always current.
 */
import { html } from 'hono/html';
import type { OpenApiDocument } from '../../api/openapi/document-types.ts';
import { plans } from '../../domain/accounts/account.ts';
import { type TestCard, testCards } from '../../domain/payments/provider/test-cards.ts';
import type { Markup } from '../pages/markup.ts';
import { errorGuide } from './error-guide.ts';
import { objectsByTag } from './fields.ts';
import { headerGuide } from './header-guide.ts';
import { codeBlock, inline } from './prose.ts';
import { objectSection } from './reference.ts';
import { webhookGuide } from './webhook-guide.ts';

export interface Guide {
  /** The fragment of the guide's URL. */
  readonly id: string;
  readonly title: string;
  readonly text: Markup;
}

/** Returns all guides in reading order, for the API at `baseUrl`. */
export function guides(document: OpenApiDocument, baseUrl: string): readonly Guide[] {
  return [
    { id: 'start', title: 'First request', text: start(baseUrl) },
    { id: 'authentication', title: 'Authentication', text: authentication },
    { id: 'conventions', title: 'Amounts, dates, requests', text: conventions },
    { id: 'errors', title: 'Errors', text: errorGuide(document, baseUrl) },
    { id: 'idempotency', title: 'Idempotency', text: idempotency },
    { id: 'headers', title: 'Headers', text: headerGuide(document) },
    { id: 'pagination', title: 'Pagination', text: pagination(document) },
    { id: 'rate-limits', title: 'Rate limits', text: rateLimits },
    { id: 'test-cards', title: 'Test mode and test cards', text: testMode },
    { id: 'test-faults', title: 'Test your retries', text: testFaults },
    { id: 'webhooks', title: 'Receiving webhooks', text: webhookGuide(document) },
  ];
}

function start(baseUrl: string): Markup {
  const environment = `export REMIT_URL=${baseUrl}\nexport REMIT_API_KEY=sk_test_…`;
  const pythonClient = `python3 -m venv venv\nvenv/bin/pip install openapi-python-client\nvenv/bin/openapi-python-client generate --url "$REMIT_URL/openapi.json"`;
  const request = `curl "$REMIT_URL/api/invoices?limit=1" \\\n  -H "Authorization: Bearer $REMIT_API_KEY"`;
  return html`<p>Set the URL of the API and your test key as environment variables in your terminal. Put your key in the place of
<code>sk_test_…</code>:</p>
${codeBlock(environment, 'Environment variables')}
<p>You can then paste the samples on this page as they are. This first request lists your newest invoice:</p>
${codeBlock(request, 'First request')}
<p>Samples that read data use your newest invoice, payment or webhook endpoint. Samples that change or pay an invoice, or
delete an endpoint, create it first. If you run the samples in the order of this page, each one finds the data that it
needs. There are three exceptions: redelivery needs an event that was sent to your endpoint, the samples for API keys need a key
that names the permissions <code>keys:read</code> and <code>keys:write</code>, and the clock can be reset only if nothing was made
or changed since it was moved. If you run the service
locally with <code>npm start</code>, an endpoint can also be a URL on your own computer, such as
<code>http://localhost:3000/webhooks</code>.</p>
<p>The TypeScript samples use the <code>remit-client</code> package, which is not in the npm registry. Run
<code>npm pack ./client</code> in a clone of the project, and install the file that it creates. Save a sample as
<code>sample.mts</code> and run it with <code>node sample.mts</code> (Node 24).</p>
<p>For code generators and other tools, this reference is also available as an
<a href="${baseUrl}/openapi.json">OpenAPI 3.1 document</a>. For language models, <a href="${baseUrl}/llms.txt">llms.txt</a> lists the
guides as Markdown.</p>
<p>A generator makes a client from that document. For example, this makes one in Python with
<a href="https://pypi.org/project/openapi-python-client/" rel="noreferrer">openapi-python-client</a>:</p>
${codeBlock(pythonClient, 'Generating a client in Python')}`;
}

const authentication = html`<p>Send your API key with every request: <code>Authorization: Bearer sk_test_…</code>. The key determines
the account and the mode. Test keys (<code>sk_test_</code>) and live keys (<code>sk_live_</code>) cannot access each other's
data.</p>
<p>The operator of this deployment creates API keys. On request, a key has an expiry date, fewer permissions, or up to 8 ranges of
addresses from which it may be used, such as <code>203.0.113.0/24</code>. A key is shown
only once. Keep it on your server: do not put it in a web page, an app or a repository. A revoked key is rejected from the
next request on.</p>
<p>A program can create and replace keys at <a href="#createApiKey"><code>POST /api/keys</code></a>, if its own key names the
permission <code>keys:write</code>. To replace a key without a gap, <a href="#rollOverApiKey">roll it over</a>: the old key still works
for some hours.</p>
<p>A request without a valid key returns 401. A request that the key is not allowed to make returns 403. Each endpoint in this
reference names the permission that it requires. If the error code is <code>address_not_allowed</code>, the request came from an
address outside the ranges of the key. Such a request does not count against the rate limit of the account.</p>`;

const conventions = html`<p>Request bodies are JSON objects of at most 64 KiB, sent with <code>Content-Type: application/json</code>.
Unknown fields in a body and unknown query parameters of a list are rejected, so a misspelled name is never ignored.</p>
<p>Amounts are integers in the smallest currency unit: <code>250000</code> with <code>BTN</code> is
Nu. 2,500.00. The supported currencies are <code>BTN</code>, <code>USD</code> and <code>INR</code>.</p>
<p>Dates and times are in ISO 8601 format. A time without a time zone is in UTC. A <code>dueDate</code> without a time means the
end of that day in UTC. If you do not set a <code>dueDate</code>, the invoice is due in 30 days.</p>
<p>New versions of the service can add fields to responses and events, values of <code>status</code>, error codes and event types.
Ignore those that your code does not know.</p>
<p>Every response has an <code>X-Request-Id</code> header. Include its value when you ask the operator for help.</p>`;

const idempotentRequest = `curl "$REMIT_URL/api/invoices" \\
  -H "Authorization: Bearer $REMIT_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -H 'Idempotency-Key: order-2002' \\
  -d '{"customerId":"dorji@example.bt","amount":250000,"currency":"BTN","description":"Order 2002"}'`;

const idempotency = html`<p>If a response is lost, you cannot know whether the request took effect. Therefore, send every request that
changes data with an <code>Idempotency-Key</code> header of your choice (1 to 255 printable ASCII characters). If you do not get a
response, send the request again with the same key. The request takes effect only once.</p>
${codeBlock(idempotentRequest, 'Request with an idempotency key')}
<p>A repeated request returns the status and the exact body of the first response, with the header
<code>Idempotent-Replayed: true</code>. If it asks for another version of the API, it has the fields of that version. A key is valid for 24 hours, within your account and mode. If you use a key again for a
different request, that request is rejected with
<a href="#error-idempotency_key_reused"><code>idempotency_key_reused</code></a>. Error responses are not stored: you can correct a
rejected request and send it again with the same key. The TypeScript client creates a key for every write request.</p>`;

const pagination = ({
  components: { schemas },
}: OpenApiDocument) => html`<p>Lists are sorted newest first. Records whose requests ran at the same time can have any order.
<code>limit</code> (1 to 100, default 20) and <code>offset</code> (default 0) select the
page. <code>pagination.total</code> is the exact number of matching items, and <code>hasMore</code> tells you whether more items
follow. A list includes every change whose response was sent before your list request. A high offset is as fast as a low one.</p>
<p>Events and deliveries are logs that grow while you read them, so you page through them by ID. Send <code>before</code> with an ID
to get older entries. For events, you can also send <code>after</code> with an ID to get all newer events, oldest first and
without gaps. <code>after=start</code> begins with the oldest event. To get the next page, send the value of
<code>cursor.next</code>.</p>
${(objectsByTag.pagination ?? []).map((name) => objectSection(schemas, name))}`;

const rateLimits = html`<p>In each clock hour, an account can send ${Object.entries(plans).map(([plan, requests], index) => html`${index > 0 && ' and '}${requests} requests on the ${plan} plan`)}.
The requests of all keys of an account count together, separately for each mode. Every response to a request with a valid key
has these headers:</p>
<ul><li><code>X-RateLimit-Limit</code>: the number of requests per hour</li>
<li><code>X-RateLimit-Remaining</code>: the number of requests that remain</li>
<li><code>X-RateLimit-Reset</code>: the time at which the next hour begins, in Unix seconds</li></ul>
<p>If you exceed the limit, the response is 429 with a <code>Retry-After</code> header in seconds. You can also get 429 if you send
thousands of requests at once. Requests without a valid key are counted by their source IP address.</p>
<p>During maintenance, requests that change something also return 429, with the code <code>maintenance</code>. Send them again
after the number of seconds in <code>Retry-After</code>.</p>`;

const testMode = html`<p>In test mode, no real money moves. The payment page, and <code>POST /api/payments</code> with the method
<code>card</code>, accept only the following card numbers. Use any expiry date in the future and any security code.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Test cards"><table>
<thead><tr><th scope="col">Number</th><th scope="col">Result</th></tr></thead>
<tbody>${testCards.map((card) => html`<tr><td><code>${card.number}</code></td><td>${inline(resultOf(card))}</td></tr>`)}</tbody></table></div>
<p>If a card is declined, the request still succeeds: the payment is created with the <code>status</code> <code>failed</code> and a
<code>failureCode</code>. In live mode, the API does not accept card data: send your customer to the <code>paymentUrl</code> of the
invoice.</p>`;

const lostAnswer = `for attempt in 1 2; do curl "$REMIT_URL/api/invoices" \\
  -H "Authorization: Bearer $REMIT_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -H 'Idempotency-Key: order-2003' \\
  -H 'X-Test-Fault: after-commit' \\
  -d '{"customerId":"dorji@example.bt","amount":250000,"currency":"BTN","description":"Order 2003"}'; done`;

const testFaults = html`<p>With a test key, the header <code>X-Test-Fault</code> asks for a fault of one request. A live key with this
header gets 400.</p>
<ul><li><code>before-commit</code>: nothing happens, and the response is 500</li>
<li><code>after-commit</code>: the request takes effect, and the response is 500</li>
<li><code>slow=2000</code>: the request takes effect, and the response waits for this number of milliseconds</li>
<li><code>rate-limited</code>: nothing happens, and the response is 429 with <code>Retry-After</code></li></ul>
<p>The first of these two requests loses its response. The second gets the stored response, although it has the same headers.
Without an <code>Idempotency-Key</code>, they make two invoices.</p>
${codeBlock(lostAnswer, 'A lost response and its retry')}
<p>Other faults disturb the webhooks of the events that the request causes, also those of the refund or card payment that it
begins:</p>
<ul><li><code>drop</code>: the first attempt is not sent and counts as failed, and the retries follow</li>
<li><code>twice</code>: each event arrives twice, with the same <code>webhook-id</code></li>
<li><code>reorder</code>: the events wait for 30 seconds, and the last event of the request arrives first</li>
<li><code>delay=60</code>: the first attempt waits for this number of seconds</li></ul>
<p>Each request counts against the rate limit. A request with <code>slow</code> counts as one more request for each 250
milliseconds.</p>`;

function resultOf({ capture, refund }: TestCard): string {
  if (refund === 'fails later') return 'The payment completes. Its refunds fail.';
  if (capture === 'later') return 'The payment is `pending` at first, and completes a few seconds later.';
  return capture === 'done' ? 'The payment completes.' : `The payment fails with \`${capture}\`.`;
}
