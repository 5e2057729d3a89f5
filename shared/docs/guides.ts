/**
 * Holds the guides of the reference page, which describe what all endpoints have in common. Limits and codes come from the
 * constants that the service uses, so they are always current.
 */
import { html } from 'hono/html';
import { plans } from '../accounts/account.ts';
import { type ErrorCode, errorCodes } from '../errors.ts';
import { commonEventTypes, eventTypes } from '../events/event.ts';
import { messagesOfCode } from '../openapi/error-messages.ts';
import type { Markup } from '../pages/markup.ts';
import { type TestCard, testCards } from '../payments/provider/test-cards.ts';
import { codeBlock, inline } from './prose.ts';
import { receiver } from './samples.ts';

export interface Guide {
  /** The fragment of the guide's URL. */
  readonly id: string;
  readonly title: string;
  readonly text: Markup;
}

/** Returns all guides in reading order, for the API at `baseUrl`. */
export function guides(baseUrl: string): readonly Guide[] {
  return [
    { id: 'start', title: 'First request', text: start(baseUrl) },
    { id: 'authentication', title: 'Authentication', text: authentication },
    { id: 'conventions', title: 'Amounts, dates, requests', text: conventions },
    { id: 'errors', title: 'Errors', text: errors },
    { id: 'idempotency', title: 'Idempotency', text: idempotency },
    { id: 'pagination', title: 'Pagination', text: pagination },
    { id: 'rate-limits', title: 'Rate limits', text: rateLimits },
    { id: 'test-cards', title: 'Test mode and test cards', text: testMode },
    { id: 'webhooks', title: 'Receiving webhooks', text: webhooks },
  ];
}

function start(baseUrl: string): Markup {
  const environment = `export REMIT_URL=${baseUrl}\nexport REMIT_API_KEY=sk_test_… # yours`;
  const request = `curl "$REMIT_URL/api/invoices?limit=1" \\\n  -H "Authorization: Bearer $REMIT_API_KEY"`;
  return html`<p>Set the URL of the API and your test key as environment variables in your terminal:</p>
${codeBlock(environment, 'Environment variables')}
<p>You can then paste the samples on this page as they are. This first request lists your newest invoice:</p>
${codeBlock(request, 'First request')}
<p>Samples that read data use your newest invoice, payment or webhook endpoint. Samples that change or pay an invoice, or
delete an endpoint, create it first. If you run the samples in the order of this page, each one finds the data that it
needs. There are two exceptions: redelivery needs an event that was sent to your endpoint, and the samples for API keys need
a key that names the permissions <code>keys:read</code> and <code>keys:write</code>. If you run the service
locally with <code>npm start</code>, an endpoint can also be a URL on your own computer, such as
<code>http://localhost:3000/webhooks</code>.</p>
<p>The TypeScript samples use the <code>remit-client</code> package, which is not in the npm registry. Run
<code>npm pack ./client</code> in a clone of the project, and install the file that it creates. Save a sample as
<code>sample.mts</code> and run it with <code>node sample.mts</code> (Node 24).</p>
<p>For code generators and other tools, this reference is also available as an
<a href="${baseUrl}/openapi.json">OpenAPI 3.1 document</a>.</p>`;
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

const errorExample = JSON.stringify(
  {
    error: {
      message: 'amount must be an integer from 1 to 999999999999, in the smallest currency unit.',
      type: 'validation_error',
      code: 'invalid_amount',
      field: 'amount',
      details: [
        {
          field: 'amount',
          code: 'invalid_amount',
          message: 'amount must be an integer from 1 to 999999999999, in the smallest currency unit.',
        },
        {
          field: 'due_date',
          code: 'unknown_parameter',
          message: 'due_date is not a known parameter. Did you mean dueDate?',
        },
      ],
      docUrl: 'https://remit.example.com/docs/errors/invalid_amount',
    },
  },
  null,
  2,
);

const errors = html`<p>An error response tells you what is wrong, where it is, and how to fix it. Base your error handling on
<code>type</code> and <code>code</code>. <code>message</code> is for people, and its wording can change. <code>field</code> names the
invalid field, parameter or header. <code>details</code> lists all of them, at most 20, and <code>docUrl</code> is the page about the
code.</p>
${codeBlock(errorExample, 'Error response')}
<p>A request that returns an error had no effect. The only exception is a 500 response: the request may have taken effect. Send it
again with the same <a href="#idempotency">idempotency key</a>.</p>
<h3>All error codes</h3>
<div class="scroll" tabindex="0" role="region" aria-label="All error codes"><table class="errors">
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Type</th><th scope="col">Message</th></tr></thead>
<tbody>${(Object.keys(errorCodes) as ErrorCode[]).map(errorRow)}</tbody></table></div>`;

function errorRow(code: ErrorCode): Markup {
  const { status, type } = errorCodes[code];
  const messages = messagesOfCode(code).map((message, index) => html`${index > 0 && html`<br>`}${message}`);
  return html`<tr id="error-${code}"><td>${status}</td><td><code>${code}</code></td><td><code>${type}</code></td><td>${messages}</td></tr>`;
}

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
<code>Idempotent-Replayed: true</code>. A key is valid for 24 hours, within your account and mode. If you use a key again for a
different request, that request is rejected with
<a href="#error-idempotency_key_reused"><code>idempotency_key_reused</code></a>. Error responses are not stored: you can correct a
rejected request and send it again with the same key. The TypeScript client creates a key for every write request.</p>`;

const pagination = html`<p>Lists are sorted newest first. <code>limit</code> (1 to 100, default 20) and <code>offset</code> (default 0) select the
page. <code>pagination.total</code> is the exact number of matching items, and <code>hasMore</code> tells you whether more items
follow. A list includes every change whose response was sent before your list request. A high offset is as fast as a low one.</p>
<p>Events and deliveries are logs that grow while you read them, so you page through them by ID. Send <code>before</code> with an ID
to get older entries. For events, you can also send <code>after</code> with an ID to get all newer events, oldest first and
without gaps. <code>after=start</code> begins with the oldest event. To get the next page, send the value of
<code>cursor.next</code>.</p>`;

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

function resultOf({ capture, refund }: TestCard): string {
  if (refund === 'fails later') return 'The payment completes. Its refunds fail.';
  if (capture === 'later') return 'The payment is `pending` at first, and completes a few seconds later.';
  return capture === 'done' ? 'The payment completes.' : `The payment fails with \`${capture}\`.`;
}

const webhooks = html`<p>Register an endpoint with <a href="#createWebhook"><code>POST /api/webhooks</code></a>, and store the
<code>secret</code> from the response: it is shown only once. In <code>events</code>, <code>*</code> stands for ${listed(commonEventTypes)}.
You can list ${listed(eventTypes.filter((type) => !commonEventTypes.some((each) => each === type)))} beside it.
<code>["all"]</code> stands for all event types, also those that later versions add. The field <code>eventTypes</code> of a response
tells you what is sent.</p>
<p>Messages are signed according to <a href="https://www.standardwebhooks.com" rel="noreferrer">Standard Webhooks</a>, so you can use
its libraries to verify them. Verify the raw bytes of the body. If you parse the body and serialize it again, the signature no
longer matches.</p>
${codeBlock(receiver, 'A receiver in TypeScript')}
<ul><li>Respond with any 2xx status within 15 seconds. Process the event after that.</li>
<li>Every event arrives at least once, and events can arrive in any order. Use <code>id</code> to detect duplicates. Of two versions
of a resource, the one with the higher <code>objectVersion</code> is newer.</li>
<li>Respond with 2xx to event types that your code does not know, too. New versions of the service can add types.</li>
<li>If your endpoint does not respond with a 2xx status, Remit tries again after 5 seconds, 5 minutes, 30 minutes, and 2, 5, 10,
14, 20 and 24 hours. Each interval varies by up to 20%. Remit honors <code>Retry-After</code> on 429 and 503 responses, and does
not follow redirects.</li>
<li>Remit disables an endpoint that responds with <code>410 Gone</code>, or that has had no successful delivery for five days. To
resume, enable it with <a href="#updateWebhook"><code>PATCH</code></a>, and <a href="#startRecovery">recover</a> the missed
deliveries.</li>
<li>The <a href="#listDeliveries">list of deliveries</a> shows each attempt and its response. You can also
<a href="#redeliver">redeliver</a> a single event.</li></ul>`;

function listed(types: readonly string[]): Markup[] {
  return types.map((type, index) => {
    const between = index === 0 ? '' : index === types.length - 1 ? ' and ' : ', ';
    return html`${between}<code>${type}</code>`;
  });
}
