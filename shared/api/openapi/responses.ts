/** Builds the responses of operations: success, and for each error status the codes that it can have. */
import { docUrlOf, type ErrorCode, errorCodes } from '../../base/errors.ts';
import { validate } from '../http/validate.ts';
import type { Route } from '../routes.ts';
import type { Examples, Reference, ResponseObject } from './document-types.ts';
import { messagesOfCode } from './error-messages.ts';
import { responseExamples, schemaExamples } from './examples.ts';
import { fileLinkHeader, headersOf } from './headers.ts';
import { schemaNameOf } from './named-schemas.ts';
import { errorCodesOf, fieldCodesOf, type OperationName } from './operation-errors.ts';
import { refTo } from './schemas.ts';

/** The names of the error responses that are the same for every operation, by status. */
const common: ReadonlyMap<number, string> = new Map([
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [429, 'TooManyRequests'],
  [500, 'InternalServerError'],
]);
/** The error response with status 429 of operations that write. */
const writesPaused = 'TooManyRequestsOrMaintenance';

const descriptions: Readonly<Record<number, string>> = {
  200: 'The request succeeded.',
  201: 'The resource was created.',
  400: 'The request is invalid, or the state of the resource does not allow it.',
  401: 'The API key is missing or invalid.',
  403: 'The API key does not have the required permission, or may not be used from this address.',
  404: 'The resource does not exist.',
  429: 'You have used all requests of this hour, you send more requests at once than the service can process, the service is in maintenance and accepts no changes, the webhook endpoint is busy, or a limit of mails is reached. The request had no effect. `Retry-After` is the number of seconds to wait.',
  500: 'An error occurred in the service, or it cannot read a stored record. You can send the request again with the same `Idempotency-Key`.',
};

/** Returns `components.responses`: the error responses that every operation has. */
export function commonResponses(): Record<string, ResponseObject> {
  const codes = Object.keys(errorCodes) as ErrorCode[];
  const named = [...common].map(([status, name]) => {
    const matching = codes.filter(
      (code) => errorCodes[code].status === status && code !== 'maintenance' && !isRare(code),
    );
    return [name, commonResponse(status, matching)] as const;
  });
  const tooMany = codes.filter((code) => errorCodes[code].status === 429 && !isRare(code));
  return Object.fromEntries([...named, [writesPaused, commonResponse(429, tooMany)]]);
}

/** Codes with status 429 of a few operations. */
const isRare = (code: ErrorCode) => code === 'webhook_busy' || code === 'mail_limit_reached';

const commonResponse = (status: number, codes: readonly ErrorCode[]) =>
  errorResponse(status, codes, Object.assign({}, ...codes.map((code) => exampleOf(code))));

/** Returns the responses of the operation `name`, by status. */
export function responsesOf(name: OperationName, route: Route): Record<string, ResponseObject | Reference> {
  const errors = [...errorCodesOf(name, route)].map(([status, codes]) => {
    if (codes.some(isRare)) return [status, commonResponse(status, codes)];
    const shared = codes.includes('maintenance') ? writesPaused : common.get(status);
    if (shared) return [status, { $ref: `#/components/responses/${shared}` }];
    return [status, errorResponse(status, codes, typicalErrors(route, codes))];
  });
  const link = route.file ? { 303: linkToFile() } : {};
  return { [route.status]: success(name, route), ...link, ...Object.fromEntries(errors) };
}

function success(name: OperationName, route: Route): ResponseObject {
  const { method, status, response, file, creates } = route;
  if (file) return fileSuccess(status, file);
  if (!response)
    throw new Error(`The route ${name} has no response schema. Add one to shared/api/routes.ts.`);
  const schema = schemaNameOf(response);
  const examples = responseExamples[name];
  return {
    description: descriptions[status] ?? '',
    headers: headersOf(
      ...(status === 201 ? ['Location'] : []),
      ...(method === 'GET' ? [] : ['Idempotent-Replayed']),
      ...(creates === 'invoice' ? ['Preference-Applied'] : []),
      ...(creates === 'invoice' || name.startsWith('list') ? ['Remit-Warning'] : []),
    ),
    content: {
      'application/json': {
        schema: refTo(schema),
        ...(examples ? { examples } : { example: schemaExamples[schema] }),
      },
    },
  };
}

/** Generators of clients know bytes by this format. */
const fileSchema = { type: 'string', format: 'binary' } as const;

function fileSuccess(status: number, file: NonNullable<Route['file']>): ResponseObject {
  return {
    description: descriptions[status] ?? '',
    headers: headersOf('Content-Disposition', 'Remit-Warning'),
    content: { [file]: { schema: fileSchema } },
  };
}

/** A file can be too large for a response. */
const linkToFile = (): ResponseObject => ({
  description: 'The file has more than 4 MB. `Location` leads to it for 5 minutes, without an API key.',
  headers: { ...headersOf('Remit-Warning'), Location: fileLinkHeader },
});

function errorResponse(status: number, codes: readonly ErrorCode[], examples: Examples): ResponseObject {
  return {
    description: descriptions[status] ?? '',
    headers: headersOf(...(status === 429 ? ['Retry-After'] : [])),
    content: { 'application/json': { schema: refTo('Error'), examples } },
    'x-error-codes': codes,
  };
}

/** Returns an example for the first field that can be invalid, and one for each code that depends on a resource. */
function typicalErrors(route: Route, codes: readonly ErrorCode[]): Examples {
  const own = codes.filter((code) => errorCodes[code].type.match(/^(invalid_request|not_found)_error$/));
  const [field] = fieldCodesOf(route).keys();
  const schema = route.body ?? route.query;
  // No field accepts an empty array, so this produces the service's own message for an invalid value.
  const validation =
    schema && field && codes.includes('unknown_parameter') && validate(schema, { [field]: [] });
  const invalid = validation && !validation.ok ? exampleOf(validation.code, validation) : {};
  const typical = Object.assign(invalid, ...own.map((code) => exampleOf(code)));
  return Object.keys(typical).length > 0 ? typical : exampleOf('invalid_query', { field: 'query' });
}

function exampleOf(code: ErrorCode, detail: { field?: string; message?: string } = {}): Examples {
  const { type } = errorCodes[code];
  const { field, message = messagesOfCode(code)[0] } = detail;
  const error = {
    message,
    type,
    code,
    ...(field !== undefined && { field, details: [{ field, code, message }] }),
    docUrl: docUrlOf('https://remit.example.com', code),
  };
  return { [code]: { summary: message, value: { error } } };
}

/** Returns an example of the body of an error. @param field the invalid field, parameter or header */
export function errorBodyExample(code: ErrorCode, field?: string): unknown {
  return exampleOf(code, field === undefined ? {} : { field })[code]?.value;
}
