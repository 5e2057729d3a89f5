/** The headers of requests and responses, and what each is for. */
import { apiVersion } from '../api-version.ts';
import type { HeaderObject, ParameterObject, Reference } from './document-types.ts';

const integer = { type: 'integer', minimum: 0 };

/** `components.headers`. */
export const responseHeaders: Readonly<Record<string, HeaderObject>> = {
  'X-Request-Id': {
    required: true,
    description: 'Names this request. Quote it when you ask for help; the log of the service has it.',
    schema: { type: 'string' },
    example: '8f14e45f-ceea-467f-a0e6-c7f24b1d3a52',
  },
  'X-API-Version': {
    required: true,
    description: 'The version of the API that answered, a date.',
    schema: { type: 'string', format: 'date' },
    example: apiVersion,
  },
  'X-RateLimit-Limit': {
    required: true,
    description: 'How many requests you may send in an hour.',
    schema: integer,
    example: 1000,
  },
  'X-RateLimit-Remaining': {
    required: true,
    description: 'How many of them are left after this request.',
    schema: integer,
    example: 999,
  },
  'X-RateLimit-Reset': {
    required: true,
    description: 'When the hour ends and all are there again, in seconds since 1970.',
    schema: integer,
    example: 1_795_255_200,
  },
  'Retry-After': {
    required: true,
    description: 'How many seconds to wait before the next request.',
    schema: { type: 'integer', minimum: 1 },
    example: 1260,
  },
  'Idempotent-Replayed': {
    required: false,
    description: 'Present if this is the answer to an earlier request under the same idempotency key.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
};

const everywhere = Object.keys(responseHeaders).filter((name) => /^X-/.test(name));

/** Those of every response, and `more`. */
export function headersOf(...more: readonly string[]): Readonly<Record<string, Reference>> {
  const names = [...everywhere, ...more];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const messageHeader = (name: string, description: string, example: string): ParameterObject => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
});

const idempotencyKey: ParameterObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes it safe to send the request again: 1 to 255 printable ASCII characters of your choice, a UUID for example, and a new one for each thing to be done. For 24 hours the same request under the same key is answered with the first answer, and takes effect only once. A request that had no effect may be sent again under its key.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
  example: 'order-1047',
};

/** `components.parameters`. */
export const requestHeaders = {
  IdempotencyKey: idempotencyKey,
  WebhookId: messageHeader(
    'webhook-id',
    'The id of the event, the same in every attempt: by it you recognise what you have already.',
    'evt_9t3b6zc1v7k0xq5nwd8hm2rj4e',
  ),
  WebhookTimestamp: messageHeader(
    'webhook-timestamp',
    'When this attempt was signed, in seconds since 1970. Refuse what is older than five minutes, or as much newer.',
    '1795155128',
  ),
  WebhookSignature: messageHeader(
    'webhook-signature',
    'One or more signatures with a space between them, each `v1,` and the base64 of an HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. One that matches is enough; while a secret is rotated there is one by each.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
} as const satisfies Record<string, ParameterObject>;

/** Where such a header stands. */
export const parameterRef = (name: keyof typeof requestHeaders): Reference => ({
  $ref: `#/components/parameters/${name}`,
});
