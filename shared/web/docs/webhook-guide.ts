/** Renders the guide to webhooks: how to register an endpoint, and how to receive and verify messages. */
import { html } from 'hono/html';
import type { OpenApiDocument, OperationObject } from '../../api/openapi/document-types.ts';
import { commonEventTypes, eventTypes } from '../../domain/events/event.ts';
import type { Markup } from '../pages/markup.ts';
import { codeBlock, prose } from './prose.ts';
import { firstExample } from './response-section.ts';
import { receiver } from './samples.ts';
import { goVerifier, pythonVerifier, testVector } from './webhook-samples.ts';

/** Renders the guide to webhooks. */
export function webhookGuide({ webhooks }: OpenApiDocument): Markup {
  return html`<p>Register an endpoint with <a href="#createWebhook"><code>POST /api/webhooks</code></a>, and store the
<code>secret</code> from the response: it is shown only once. In <code>events</code>, you list event types,
<code>*</code> or <code>all</code>. The field <code>eventTypes</code> of a response tells you what is sent.</p>
<ul><li><code>["*"]</code> stands for the ${commonEventTypes.length} common event types: ${listed(commonEventTypes)}. You can list
${listed(eventTypes.filter((type) => !commonEventTypes.some((each) => each === type)))} beside it, as in
<code>["*","refund.failed"]</code>.</li>
<li><code>["all"]</code> stands for all ${eventTypes.length} event types: ${listed(eventTypes)}. It also includes types that later
versions add.</li></ul>
<h3>Event types</h3>
<p>Select an event type to see an example of the message.</p>
${Object.entries(webhooks).map(([type, { post }]) => eventExample(type, post))}
<h3>Verify messages</h3>
<p>Messages are signed according to <a href="https://www.standardwebhooks.com" rel="noreferrer">Standard Webhooks</a>, so you can use
its libraries to verify them. Verify the raw bytes of the body. If you parse the body and serialize it again, the signature no
longer matches.</p>
<p>A receiver in TypeScript:</p>${codeBlock(receiver, 'A receiver in TypeScript')}
<p>A function in Python:</p>${codeBlock(pythonVerifier, 'Verification in Python')}
<p>A function in Go:</p>${codeBlock(goVerifier, 'Verification in Go')}
<p>To test your own receiver, use this message at the time of its timestamp:</p>${codeBlock(vectorText, 'Test vector')}
<h3>What to expect</h3>
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
}

const vectorText = [
  `secret:            ${testVector.secret}`,
  `webhook-id:        ${testVector.id}`,
  `webhook-timestamp: ${testVector.timestamp}`,
  `webhook-signature: ${testVector.signature}`,
  `body:              ${testVector.body}`,
].join('\n');

/** Renders an event type with the example of its message, which is folded at first. */
function eventExample(type: string, { description, requestBody }: OperationObject): Markup {
  const [text = ''] = description.split('\n\n');
  const example = JSON.stringify(firstExample(requestBody?.content), null, 2);
  return html`<details class="event" id="event-${type}"><summary><code>${type}</code></summary>${prose(text)}${codeBlock(example, `Example of ${type}`)}</details>`;
}

function listed(types: readonly string[]): Markup[] {
  return types.map((type, index) => {
    const between = index === 0 ? '' : index === types.length - 1 ? ' and ' : ', ';
    return html`${between}<code>${type}</code>`;
  });
}
