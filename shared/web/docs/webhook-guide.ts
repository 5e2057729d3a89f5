/** Holds the guide to webhooks: how to register an endpoint, and how to receive and verify messages. */
import type { OpenApiDocument, OperationObject } from '../../api/openapi/document-types.ts';
import { commonEventTypes, eventTypes } from '../../domain/events/event.ts';
import { type Block, fenced, folded, inLanguage, list } from './prose.ts';
import { firstExample } from './response-section.ts';
import { receiver } from './samples.ts';
import { goVerifier, pythonVerifier, testVector } from './webhook-samples.ts';

/** Returns the guide to webhooks. */
export function webhookGuide({ webhooks }: OpenApiDocument): readonly Block[] {
  const rareTypes = eventTypes.filter((type) => !commonEventTypes.some((each) => each === type));
  return [
    'Register an endpoint with [`POST /api/webhooks`](#createWebhook), and store the `secret` from the response: it is shown only once. In `events`, you list event types, `*` or `all`. The field `eventTypes` of a response tells you what is sent.',
    list([
      `\`["*"]\` stands for the ${commonEventTypes.length} common event types: ${listed(commonEventTypes)}. You can list ${listed(rareTypes)} beside it, as in \`["*","refund.failed"]\`.`,
      `\`["all"]\` stands for all ${eventTypes.length} event types: ${listed(eventTypes)}. It also includes types that later versions add.`,
    ]),
    '## Event types',
    'Select an event type to see an example of the message.',
    ...Object.entries(webhooks).map(([type, { post }]) => eventExample(type, post)),
    '## Verify messages',
    'Messages are signed according to [Standard Webhooks](https://www.standardwebhooks.com), so you can use its libraries to verify them. Verify the raw bytes of the body. If you parse the body and serialize it again, the signature no longer matches.',
    inLanguage('receiver', ['A receiver in TypeScript:', fenced(receiver, 'ts', 'A receiver in TypeScript')]),
    inLanguage('python', [
      'A function in Python:',
      fenced(pythonVerifier, 'python', 'Verification in Python'),
    ]),
    inLanguage('go', ['A function in Go:', fenced(goVerifier, 'go', 'Verification in Go')]),
    'To test your own receiver, use this message at the time of its timestamp:',
    fenced(vectorText, 'text', 'Test vector'),
    'If the signature does not match the expected one, check three things: the bytes of the body are the raw ones, the secret is that of this endpoint and this mode, and the clock of your server is right.',
    '## Targets in AWS',
    'If the service runs in your AWS account, events can go to an SQS queue, an EventBridge bus or a Lambda function, without a public URL. Send `type` (`sqs`, `eventbridge` or `lambda`) and the ARN as `target` instead of `url`, from version 2026-11-23 of the API on. The target must be one that the service is deployed with. Deliveries, attempts, filters and recovery are the same.',
    list([
      'The body has the bytes that a URL would get. Nothing is signed, because the role of the service sends it. So there is no `secret`.',
      'A message in SQS has the attributes `type`, `mode`, `account` and `id`. In a FIFO queue, the events of an object stay in one group, and `id` removes duplicates for five minutes.',
      'An event in EventBridge has the source `remit.` and the name of the stage, the type as `detail-type`, the body as `detail`, and the account in `resources`. EventBridge reports no error if the bus does not exist.',
      'A function is invoked asynchronously with the body.',
      'A body of more than 255 KiB is sent by reference: it has only `id` in `data`, and `reference`, the path at which the API returns the event.',
    ]),
    '## Receive webhooks on your own computer',
    'Your computer needs no public address and no tunnel. `npx remit listen --forward-to http://localhost:3000/webhooks` reads the events of your account, and posts them to your local server, signed with the secret that it prints. If you run the service itself with `npm start`, you can also register the local URL as an endpoint.',
    '## What to expect',
    list([
      'Respond with any 2xx status within 15 seconds. Process the event after that.',
      'Every event arrives at least once, so your server can get called twice with the same event, and events can arrive in any order. Use `id` to detect duplicates. Of two versions of a resource, the one with the higher `objectVersion` is newer.',
      'Respond with 2xx to event types that your code does not know, too. New versions of the service can add types.',
    ]),
    '## How retries work',
    list([
      'If your endpoint does not respond with a 2xx status, Remit retries after 5 seconds, 5 minutes, 30 minutes, and 2, 5, 10, 14, 20 and 24 hours. Each interval varies by up to 20%. So a downtime of your server of up to three days loses no webhook.',
      'Remit honors `Retry-After` on 429 and 503 responses, and does not follow redirects.',
      'Remit disables an endpoint that responds with `410 Gone`, or that has had no successful delivery for five days. To resume, enable it with [`PATCH`](#updateWebhook), and [recover](#startRecovery) the missed deliveries.',
      'The [list of deliveries](#listDeliveries) shows each attempt and its response. If TLS failed, `cause` says why, such as an expired certificate. You can also [redeliver](#redeliver) a single event.',
    ]),
  ];
}

const vectorText = [
  `secret:            ${testVector.secret}`,
  `webhook-id:        ${testVector.id}`,
  `webhook-timestamp: ${testVector.timestamp}`,
  `webhook-signature: ${testVector.signature}`,
  `body:              ${testVector.body}`,
].join('\n');

/** Describes an event type, with an example of its message. */
function eventExample(type: string, { description, requestBody }: OperationObject): Block {
  const [text = ''] = description.split('\n\n');
  const example = JSON.stringify(firstExample(requestBody?.content), null, 2);
  return folded(`\`${type}\``, [text, fenced(example, 'json', `Example of ${type}`)], `event-${type}`);
}

const listed = (types: readonly string[]): string =>
  new Intl.ListFormat('en-GB').format(types.map((type) => `\`${type}\``));
