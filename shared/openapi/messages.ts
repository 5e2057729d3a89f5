/** `webhooks`: the messages that are posted to webhook endpoints, one for each kind of event. */
import type { OperationObject, ResponseObject } from './document-types.ts';
import { eventExamples, testEventExample } from './examples.ts';
import { parameterRef } from './headers.ts';
import { eventTexts } from './schema-texts.ts';
import { eventNameOf, refTo } from './schemas.ts';

const responses: Readonly<Record<string, ResponseObject>> = {
  '2XX': {
    description:
      'Received. Answer so within 15 seconds, before you work on it; the body of the answer is of no account.',
  },
  '410': { description: 'The endpoint is given up: it is disabled, and nothing is sent to it any more.' },
  '429': { description: 'Too much at present. The next attempt heeds `Retry-After`; so it does with 503.' },
  default: { description: 'Not received: there will be another attempt, as long as there are any left.' },
};

const verification =
  'Posted to your webhook endpoint, signed by Standard Webhooks: verify the signature over the raw body, before it is parsed, with the secret of the endpoint.';

/** By kind of event. */
export function messages(): Record<string, { post: OperationObject }> {
  const examples: Readonly<Record<string, unknown>> = { ...eventExamples, 'webhook.test': testEventExample };
  return Object.fromEntries(
    Object.entries(eventTexts).map(([type, text]) => [type, { post: message(type, text, examples[type]) }]),
  );
}

function message(type: string, text: string, example: unknown): OperationObject {
  const name = eventNameOf(type);
  const title = type.replace('.', ' ');
  return {
    operationId: `receive${name}`,
    tags: ['Events'],
    summary: title.charAt(0).toUpperCase() + title.slice(1),
    description: `${text}\n\n${verification}`,
    security: [],
    parameters: [
      parameterRef('WebhookId'),
      parameterRef('WebhookTimestamp'),
      parameterRef('WebhookSignature'),
    ],
    requestBody: { required: true, content: { 'application/json': { schema: refTo(name), example } } },
    responses,
  };
}
