/** What operations answer: success, and for each status of an error the codes that it can have. */
import { type ErrorCode, errorCodes } from '../errors.ts';
import { validate } from '../http/validate.ts';
import type { Route } from '../routes.ts';
import type { Examples, Reference, ResponseObject, SchemaObject } from './document-types.ts';
import { responseExamples, schemaExamples } from './examples.ts';
import { headersOf } from './headers.ts';
import { nameOf } from './named-schemas.ts';
import { errorCodesOf, fieldCodesOf, type OperationName } from './operation-errors.ts';
import { refTo } from './schemas.ts';

/** Those that are the same for every operation. */
const common: ReadonlyMap<number, string> = new Map([
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [429, 'TooManyRequests'],
  [500, 'InternalServerError'],
]);

const meanings: Readonly<Record<number, string>> = {
  200: 'Done.',
  201: 'Created.',
  400: 'The request is invalid, or the state of the resource does not allow it.',
  401: 'There is no valid API key.',
  403: 'The API key has not the permission that this needs.',
  404: 'There is no such resource.',
  429: 'The requests of this hour are used up. `Retry-After` says when the next hour begins.',
  500: 'Something went wrong on the side of the service. The request may be sent again, under the same `Idempotency-Key`.',
};

/** `components.responses`: every operation has these. */
export function commonResponses(): Record<string, ResponseObject> {
  const codes = Object.keys(errorCodes) as ErrorCode[];
  const named = [...common].map(([status, name]) => {
    const those = codes.filter((code) => errorCodes[code].status === status);
    return [name, errorResponse(status, those, Object.assign({}, ...those.map((code) => exampleOf(code))))];
  });
  return Object.fromEntries(named);
}

/** The responses of operation `name`, by status. */
export function responsesOf(name: OperationName, route: Route): Record<string, ResponseObject | Reference> {
  const errors = [...errorCodesOf(name, route)].map(([status, codes]) => {
    const shared = common.get(status);
    if (shared) return [status, { $ref: `#/components/responses/${shared}` }];
    return [status, errorResponse(status, codes, typicalErrors(route, codes))];
  });
  return { [route.status]: success(name, route), ...Object.fromEntries(errors) };
}

function success(name: OperationName, { method, status, response }: Route): ResponseObject {
  if (!response) throw new Error(`${name} has no schema for its response.`);
  const schema = nameOf(response);
  const examples = responseExamples[name];
  return {
    description: meanings[status] ?? '',
    headers: headersOf(...(method === 'GET' ? [] : ['Idempotent-Replayed'])),
    content: {
      'application/json': {
        schema: refTo(schema),
        ...(examples ? { examples } : { example: schemaExamples[schema] }),
      },
    },
  };
}

function errorResponse(status: number, codes: readonly ErrorCode[], examples: Examples): ResponseObject {
  const narrow = (properties: Record<string, SchemaObject>): SchemaObject => ({
    type: 'object',
    properties,
    // Said by `Error`; without this, linters take what is not named here for unknown.
    unevaluatedProperties: true,
  });
  const code = { type: 'string', enum: codes };
  return {
    description: meanings[status] ?? '',
    headers: headersOf(...(status === 429 ? ['Retry-After'] : [])),
    content: {
      'application/json': {
        schema: { allOf: [refTo('Error'), narrow({ error: narrow({ code }) })] },
        examples,
      },
    },
  };
}

/** The first field that is wrong, as the service says it, and what the resource may have against the request. */
function typicalErrors(route: Route, codes: readonly ErrorCode[]): Examples {
  const own = codes.filter((code) => errorCodes[code].type.match(/^(invalid_request|not_found)_error$/));
  const [field] = fieldCodesOf(route).keys();
  const schema = route.body ?? route.query;
  // No field is an array of nothing.
  const verdict = schema && field && codes.includes('unknown_parameter') && validate(schema, { [field]: [] });
  const wrong = verdict && !verdict.ok ? exampleOf(verdict.code as ErrorCode, verdict) : {};
  const typical = Object.assign(wrong, ...own.map((code) => exampleOf(code)));
  return Object.keys(typical).length > 0 ? typical : exampleOf('invalid_query', { field: 'query' });
}

function exampleOf(code: ErrorCode, { field, message }: { field?: string; message?: string } = {}): Examples {
  const { type, message: usual } = errorCodes[code];
  const error = { message: message ?? usual, type, code, ...(field !== undefined && { field }) };
  return { [code]: { summary: usual, value: { error } } };
}
