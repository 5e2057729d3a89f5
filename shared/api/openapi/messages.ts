/** Builds the `webhooks` part of the document: the messages that Remit sends to webhook endpoints, one per event type. */
import type { OperationObject, ResponseObject } from './document-types.ts';
import { eventExamples } from './event-examples.ts';
import { testEventExample } from './examples.ts';
import { messageHeaders } from './headers.ts';
import { eventTexts } from './schema-texts.ts';
import { eventNameOf, refTo } from './schemas.ts';
import { messagesTag } from './tags.ts';

const responses: Readonly<Record<string, ResponseObject>> = {
  '2XX': {
    description:
      'The message was received. Respond within 15 seconds, before you process the event. The response body is ignored.',
  },
  '410': {
    description: 'The endpoint no longer exists. Remit disables it and stops sending messages to it.',
  },
  '429': {
    description:
      'Too many messages. The next attempt honors the `Retry-After` header of 429 and 503 responses.',
  },
  default: { description: 'The message was not received. Remit tries again until no attempts remain.' },
};

const verification =
  'Remit sends this message to your webhook endpoint as a POST request, signed according to Standard Webhooks. Verify the signature with the secret of the endpoint, over the raw body, before you parse the body.';

/** Returns the path item of each message, by event type. */
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
    tags: [messagesTag.name],
    summary: title.charAt(0).toUpperCase() + title.slice(1),
    description: `${text}\n\n${verification}`,
    security: [],
    parameters: messageHeaders,
    requestBody: { required: true, content: { 'application/json': { schema: refTo(name), example } } },
    responses,
  };
}
