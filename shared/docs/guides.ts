/** The guides of the reference page: what holds for all endpoints. Figures and codes come from where they are decided. */
import { html } from 'hono/html';
import { plans } from '../accounts/account.ts';
import { type ErrorCode, errorCodes } from '../errors.ts';
import { commonEventTypes, eventTypes } from '../events/event.ts';
import type { Markup } from '../pages/markup.ts';
import { type TestCard, testCards } from '../payments/test-cards.ts';
import { codeBlock, inline } from './prose.ts';
import { receiver } from './samples.ts';

export interface Guide {
  /** The fragment of its address. */
  readonly id: string;
  readonly title: string;
  readonly text: Markup;
}

/** All guides in reading order, for the API at `baseUrl`. */
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
  return html`<p>Put the address and your test key into the environment, once for each terminal:</p>
${codeBlock(environment, 'The environment')}
<p>Then the samples on this page work as they are pasted. The first one lists your newest invoice:</p>
${codeBlock(request, 'A first request')}
<p>Samples take the newest invoice, payment or endpoint that you have; those that update, pay, cancel or delete make one of their own.
So pasted in the page's order all find what they need; only for a redelivery something must have happened. With <code>npm start</code> an endpoint can also be on your own machine, such as
<code>http://localhost:3000/webhooks</code>.</p>
<p>The TypeScript samples use the client <code>remit-client</code>, which is made in a clone of the project by
<code>npm pack ./client</code> and installed from that file; the registry has none of that name. Save a sample as
<code>sample.mts</code> and run it with <code>node sample.mts</code> (Node 24).</p>
<p>Generators and other tools read the same description as <a href="${baseUrl}/openapi.json">OpenAPI 3.1</a>.</p>`;
}

const authentication = html`<p>Every request carries an API key: <code>Authorization: Bearer sk_test_…</code>. The key alone decides whose data is
meant and in which mode. Test keys (<code>sk_test_</code>) and live keys (<code>sk_live_</code>) see nothing of each other.</p>
<p>Whoever operates this deployment makes keys, with an expiry and with fewer permissions if you ask for that. A key is shown
once. Keep it on your server: never in a page, an app or a repository. A revoked key is refused from the next request
on.</p>
<p>A request without a usable key is answered with 401, and one that its key may not make with 403. Each endpoint below names
the permission that it needs.</p>`;

const conventions = html`<p>Bodies are JSON objects, sent with <code>Content-Type: application/json</code>, of at most 64 KiB. Fields and query
parameters that an endpoint does not know are refused, so that a misspelt one is never ignored.</p>
<p>Amounts are integers in the smallest unit of their currency: <code>250000</code> with <code>BTN</code> is
Nu. 2,500.00. Currencies are <code>BTN</code>, <code>USD</code> and <code>INR</code>.</p>
<p>Times are ISO 8601. A plain date as <code>dueDate</code> is the end of that day, and one without a zone is UTC. Without a
<code>dueDate</code> an invoice is due in 30 days.</p>
<p>Every answer carries <code>X-Request-Id</code>; quote it when you ask the operator for help.</p>`;

const errorExample = JSON.stringify(
  {
    error: {
      message: 'amount must be an integer from 1 to 999999999999, in the smallest currency unit.',
      type: 'validation_error',
      code: 'invalid_amount',
      field: 'amount',
    },
  },
  null,
  2,
);

const errors = html`<p>An error says what is wrong, where, and what would be right. Decide by <code>type</code> and <code>code</code>;
<code>message</code> is for people and may change. <code>field</code> names the field or parameter.</p>
${codeBlock(errorExample, 'An error')}
<p>A request that is answered with an error has had no effect, but for 500: it may have had, and can be sent again under the same
<a href="#idempotency">idempotency key</a>.</p>
<h3>All error codes</h3>
<div class="scroll" tabindex="0" role="region" aria-label="All error codes"><table class="errors">
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Type</th><th scope="col">What it says</th></tr></thead>
<tbody>${(Object.keys(errorCodes) as ErrorCode[]).map(errorRow)}</tbody></table></div>`;

function errorRow(code: ErrorCode): Markup {
  const { status, type, message } = errorCodes[code];
  return html`<tr id="error-${code}"><td>${status}</td><td><code>${code}</code></td><td><code>${type}</code></td><td>${message}</td></tr>`;
}

const idempotentRequest = `curl "$REMIT_URL/api/invoices" \\
  -H "Authorization: Bearer $REMIT_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -H 'Idempotency-Key: order-2002' \\
  -d '{"customerId":"dorji@example.bt","amount":250000,"currency":"BTN","description":"Order 2002"}'`;

const idempotency = html`<p>When an answer is lost, you cannot know whether the request took effect. Send a write with an
<code>Idempotency-Key</code> of your choice (1 to 255 printable ASCII characters), and send it again under the same key until
you have an answer: it takes effect once.</p>
${codeBlock(idempotentRequest, 'A request with an idempotency key')}
<p>A repetition gets the status and the bytes of the first answer, with <code>Idempotent-Replayed: true</code>. A key holds for 24
hours, for your account and mode. The same key with another request is refused with
<a href="#error-idempotency_key_reused"><code>idempotency_key_reused</code></a>. Errors are not kept, so a refused request can be
corrected and sent under the same key. The TypeScript client makes a key for every write by itself.</p>`;

const pagination = html`<p>Lists are newest first. <code>limit</code> (1 to 100, default 20) and <code>offset</code> (default 0) choose the page;
<code>pagination.total</code> counts exactly what matches, <code>hasMore</code> says whether more follow. A list holds every change
that was answered before it was asked for, and a high offset costs no more than a low one.</p>
<p>Events and deliveries are logs that grow while you read, so they are read by place: <code>before</code> an event's id for older
ones, <code>after</code> it for all since, oldest first and without gaps. <code>after=start</code> begins with the oldest one;
go on with <code>cursor.next</code>.</p>`;

const rateLimits = html`<p>An account may send ${Object.entries(plans).map(([plan, requests], index) => html`${index > 0 && ' and '}${requests} requests in a clock hour on the ${plan} plan`)},
counted over all of its keys for each mode by itself. Every answer to a request with a key tells where you stand:</p>
<ul><li><code>X-RateLimit-Limit</code>: requests in an hour</li><li><code>X-RateLimit-Remaining</code>: those that are left</li>
<li><code>X-RateLimit-Reset</code>: when the next hour begins, in Unix seconds</li></ul>
<p>Beyond that the answer is 429, with <code>Retry-After</code> in seconds. Requests without a valid key are counted by the address
that they come from.</p>`;

const testMode = html`<p>With a test key no money moves. The payment page, and <code>POST /api/payments</code> with the method <code>card</code>, take
these numbers and no others, with any expiry to come and any security code:</p>
<div class="scroll" tabindex="0" role="region" aria-label="Test cards"><table>
<thead><tr><th scope="col">Number</th><th scope="col">What happens</th></tr></thead>
<tbody>${testCards.map((card) => html`<tr><td><code>${card.number}</code></td><td>${inline(fateOf(card))}</td></tr>`)}</tbody></table></div>
<p>A declined card is an outcome, not an error: the payment is created, with <code>status</code> <code>failed</code> and a
<code>failureCode</code>. In live mode the API takes no card data: send your customer to the invoice's
<code>paymentUrl</code>.</p>`;

function fateOf({ capture, refund }: TestCard): string {
  if (refund === 'fails later') return 'The payment completes; its refunds fail.';
  if (capture === 'later') return 'The payment is `pending` at first, and completes a moment later.';
  return capture === 'done' ? 'The payment completes.' : `The payment fails with \`${capture}\`.`;
}

const webhooks = html`<p>Register an endpoint with <a href="#createWebhook"><code>POST /api/webhooks</code></a>, and keep the <code>secret</code> that the answer shows this
one time. <code>*</code> stands for ${listed(commonEventTypes)}; ${listed(eventTypes.filter((type) => !commonEventTypes.some((each) => each === type)))} go to
endpoints that name them.</p>
<p>Messages are signed as <a href="https://www.standardwebhooks.com" rel="noreferrer">Standard Webhooks</a> says, so its libraries verify them in any language.
Verify the raw bytes of the body: parsed and written again, they do not fit the signature.</p>
${codeBlock(receiver, 'A receiver in TypeScript')}
<ul><li>Answer with any 2xx within 15 seconds, and do the work after that.</li>
<li>Every event comes at least once, in any order: remember <code>id</code>, and let the higher <code>objectVersion</code> of a resource
win.</li>
<li>What was not answered with 2xx comes again after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 hours, each longer or
shorter by up to a fifth. <code>Retry-After</code> with 429 and 503 is honoured, and redirects are not followed.</li>
<li>An endpoint that answers <code>410 Gone</code>, or has had no success for five days, is disabled. Enable it again with
<a href="#updateWebhook"><code>PATCH</code></a>, and fetch what it has missed with <a href="#startRecovery"><code>recover</code></a>.</li>
<li><a href="#listDeliveries">Deliveries</a> show each attempt and its answer; <a href="#redeliver">redeliver</a> sends one again.</li></ul>`;

function listed(types: readonly string[]): Markup[] {
  return types.map((type, index) => {
    const between = index === 0 ? '' : index === types.length - 1 ? ' and ' : ', ';
    return html`${between}<code>${type}</code>`;
  });
}
