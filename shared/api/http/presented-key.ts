/**
 * Reads the API key that a request presents. If there is none, or if the value cannot be a key, the error says what was
 * sent instead. It never repeats the value.
 */
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ApiError } from '../../base/errors.ts';
import { headerValue, headerValues, queryOf } from './api-handler.ts';

/** What an `Authorization` header without the form `Bearer <API_KEY>` has instead. The first match counts. */
const otherForms: readonly (readonly [RegExp, string])[] = [
  [/^basic\b/i, 'uses the scheme Basic'],
  [/^(bearer\s*[:=]|bearer\S)/i, 'needs a space between Bearer and the API key'],
  [/^(bearer\s+){2}/i, 'has the scheme Bearer twice'],
  [/^["'“‘`]?(sk|pk|rk)_/, 'lacks the scheme Bearer'],
  [/^bearer\s/i, 'has white space in the API key'],
];

/** What a value that is not a key is instead. The first match counts. */
const otherValues: readonly (readonly [RegExp, string])[] = [
  [/^["'“”‘’`]|["'“”‘’`]$/, 'is in quotes. Remove them'],
  [/^(undefined|null|none|nil|\[object)/i, 'is not set in your program. Check the variable with the key'],
  [/[<>{}$*…]|\.\.\.|your|_x+$|^(api_?)?key$/i, 'is a placeholder. Replace it with your key'],
  [/^whsec_/, 'is the secret of a webhook endpoint. It only verifies webhooks'],
  [
    /^(inv|pay|ref|evt|wh|dlv|key|acct|co|aud)_/,
    'is an ID. Send the value that was shown when the key was created',
  ],
  [/^sk_(test|live)_/, 'is incomplete or altered. Copy the whole value'],
  [/^/, 'is not one of this service. Its keys begin with sk_test_ or sk_live_'],
];

const remedy = 'Send the header Authorization: Bearer <API_KEY>.';

/** Returns the API key of `Authorization: Bearer <API_KEY>`, or the error. The case of the scheme does not matter. */
export function presentedKey(event: APIGatewayProxyEvent): { apiKey: string } | { fault: ApiError } {
  const values = new Set(headerValues(event, 'authorization').map((value) => value.trim()));
  const [value = ''] = values;
  if (/^(bearer)?$/i.test(value)) return { fault: missingKey(event, value) };
  const [, apiKey] = /^bearer +(\S+)$/i.exec(value) ?? [];
  if (apiKey && values.size === 1) return { apiKey };
  const form = otherForms.find(([pattern]) => pattern.test(value))?.[1] ?? 'has another form';
  return {
    fault: invalidKey(
      `The Authorization header ${values.size > 1 ? 'was sent twice with different values' : form}`,
    ),
  };
}

/** Returns the error for a value that is not an API key. The value itself is not part of it. */
export function notAKey(value: string): ApiError {
  return invalidKey(`The API key ${otherValues.find(([pattern]) => pattern.test(value))?.[1]}`);
}

const invalidKey = (message: string) => new ApiError('invalid_api_key', { message: `${message}. ${remedy}` });

/** Names another place in which the request has a key. A key in a URL is in logs, so it must be replaced. */
function missingKey(event: APIGatewayProxyEvent, scheme: string): ApiError {
  const isKey = (value: unknown) => typeof value === 'string' && /^(Bearer )?sk_(test|live)_/.test(value);
  const body: unknown = event.body;
  const header = ['x-api-key', 'api-key', 'x-auth-token'].find((name) => isKey(headerValue(event, name)));
  const places = [
    [
      Object.values(queryOf(event)).flat().some(isKey),
      'in the query, and logs can contain it. Replace the key',
    ],
    [header, `in the header ${header}`],
    [typeof body === 'object' && Object.values(body ?? {}).some(isKey), 'in the body'],
  ] as const;
  const place = places.find(([isThere]) => isThere)?.[1];
  if (place) return new ApiError('missing_api_key', { message: `The API key was sent ${place}. ${remedy}` });
  if (scheme)
    return new ApiError('missing_api_key', { message: `There is no API key after Bearer. ${remedy}` });
  return new ApiError('missing_api_key');
}
