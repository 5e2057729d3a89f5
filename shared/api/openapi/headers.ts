/** Describes the headers of requests, responses and webhook messages. */
import { type ApiVersion, apiVersions, newestApiVersion } from '../../domain/versions/versions.ts';
import type { HeaderObject, ParameterObject, Reference } from './document-types.ts';

const integer = { type: 'integer', format: 'int64', minimum: 0 };

/** `components.headers`. */
export const responseHeaderObjects: Readonly<Record<string, HeaderObject>> = {
  'X-Request-Id': {
    required: true,
    description: 'The ID of this request. Include it when you ask for help.',
    schema: { type: 'string', pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' },
    example: '8f14e45f-ceea-467f-a0e6-c7f24b1d3a52',
  },
  'X-API-Version': {
    required: true,
    description: 'The version of the API in which the request was answered, which is a date.',
    schema: { type: 'string', format: 'date' },
    example: newestApiVersion,
  },
  'X-Remit-Version': {
    required: false,
    description:
      'The release of the service that sent this response, with a hash of its code. Absent if the gateway rejected the request.',
    schema: { type: 'string' },
    example: '1.4.0+3f9a0c21b7de',
  },
  'X-RateLimit-Limit': {
    required: true,
    description: 'The number of requests that you can send per hour.',
    schema: integer,
    example: 1000,
  },
  'X-RateLimit-Remaining': {
    required: true,
    description: 'The number of requests that remain in this hour.',
    schema: integer,
    example: 999,
  },
  'X-RateLimit-Reset': {
    required: true,
    description: 'The time at which the hour ends and the limit resets, as a Unix timestamp in seconds.',
    schema: integer,
    example: 1_795_255_200,
  },
  'Remit-Warning': {
    required: false,
    description:
      'Present if the request had an effect that you probably do not want. `no_payment_method`: the payment page of this live invoice offers no way to pay it. Connect a payment provider that takes its currency, or set payment instructions. `amount_not_accepted`: the amount of this live invoice is below or above the limits of your payment provider, so payers cannot pay it there. Change the amount, or record the payment when you receive it. `malformed_records`, followed by IDs: the service cannot read these records, so the list does not show them. `total` and `offset` still count them. Tell the operator of the service, or request the records later. `missing_characters`, followed by code points: no font has these characters, so the document shows their code points instead. `missing_logo`: the file of the logo is lost, so the document lacks it. New values can be added.',
    schema: { type: 'string' },
    example: 'no_payment_method',
  },
  'Content-Disposition': {
    required: true,
    description: 'Contains the name under which to save the file.',
    schema: { type: 'string' },
    example: 'attachment; filename="INV-2026-0042.pdf"',
  },
  Location: {
    required: true,
    description: 'The path of the new resource.',
    schema: { type: 'string', format: 'uri-reference' },
    example: '/api/invoices/inv_7k2m9qv4xw0hzt3c8ejb5rnd1a',
  },
  'Retry-After': {
    required: true,
    description: 'The number of seconds to wait before you send the next request.',
    schema: { type: 'integer', format: 'int64', minimum: 1 },
    example: 1260,
  },
  'Preference-Applied': {
    required: false,
    description: 'Present if Remit has waited, because you sent `Prefer: wait`.',
    schema: { type: 'string', const: 'wait' },
    example: 'wait',
  },
  'Idempotent-Replayed': {
    required: false,
    description:
      'Present if this is the stored response to an earlier request with the same idempotency key.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
};

/** The header of an answer that leads to a file. */
export const fileLinkHeader: HeaderObject = {
  required: true,
  description: 'A link to the file.',
  schema: { type: 'string', format: 'uri' },
  example: 'https://files.example.com/pdfs/acct_4w9c2k7m/5f1d.pdf?X-Amz-Expires=300',
};

const commonHeaders = Object.keys(responseHeaderObjects).filter((name) => /^X-/.test(name));

/** Returns references to the headers that every response has, and to those named in `more`. */
export function headersOf(...more: readonly string[]): Readonly<Record<string, Reference>> {
  const names = [...commonHeaders, ...more];
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

const idempotencyKey: Omit<ParameterObject, 'example'> = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A key that makes it safe to send the request again. Use 1 to 255 printable ASCII characters, such as a UUID, and a new key for each operation. For 24 hours, the same request with the same key returns the first response and takes effect only once. If a request had no effect, you can correct it and send it again with the same key.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
};

/** The parameter `Prefer` of the operations that create an invoice. */
export const preferParameter: ParameterObject = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description:
    'Send `wait` to get the response when the invoice has its `number`, after a second at the latest (RFC 7240). Other preferences are ignored.',
  schema: { type: 'string' },
  example: 'wait',
};

/** Returns the parameter `X-API-Version` of all operations, with the version of the document as its example. */
export const apiVersionParameter = (version: ApiVersion): ParameterObject => ({
  name: 'X-API-Version',
  in: 'header',
  required: false,
  description:
    'The version of the API in which the request is judged and answered. Without it, the version of your API key applies.',
  schema: { type: 'string', enum: apiVersions },
  example: version,
});

/**
 * Returns the parameter `Idempotency-Key` of an operation. Each example of a request has a key of its own, so a client can
 * send all examples.
 * @param bodies the names of the examples of the body, if the operation has several
 */
export function idempotencyKeyParameter(operationId: string, bodies: readonly string[]): ParameterObject {
  const key = (name: string) => `${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}-1047`;
  if (bodies.length === 0) return { ...idempotencyKey, example: key(operationId) };
  const examples = bodies.map((name) => [name, { value: key(`${operationId}-${name}`) }]);
  return { ...idempotencyKey, examples: Object.fromEntries(examples) };
}

/** The headers of messages to webhook endpoints. */
export const messageHeaders: readonly ParameterObject[] = [
  messageHeader(
    'webhook-id',
    'The ID of the event. It is the same in every attempt. Use it to detect duplicates.',
    'evt_9t3b6zc1v7k0xq5nwd8hm2rj4e',
  ),
  messageHeader(
    'webhook-timestamp',
    'The time at which this attempt was signed, as a Unix timestamp in seconds. Reject messages whose timestamp differs from the current time by more than five minutes.',
    '1795155128',
  ),
  messageHeader(
    'webhook-signature',
    'One or more signatures, separated by spaces. Each one is `v1,` followed by the base64-encoded HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. Accept the message if one signature matches. While a secret is being rotated, there is one signature for each valid secret.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];
