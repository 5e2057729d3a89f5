/** Renders the guide to webhooks: how to register an endpoint, and how to receive and verify messages. */
import { html } from 'hono/html';
import { commonEventTypes, eventTypes } from '../events/event.ts';
import type { Markup } from '../pages/markup.ts';
import { codeBlock } from './prose.ts';
import { receiver } from './samples.ts';

/** The guide to webhooks. */
export const webhookGuide = html`<p>Register an endpoint with <a href="#createWebhook"><code>POST /api/webhooks</code></a>, and store the
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
