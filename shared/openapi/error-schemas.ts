/** The schemas of errors: one for each type, with the codes that it has, and `Error`, which is any of them. */
import { type ErrorCode, type ErrorType, errorCodes } from '../errors.ts';
import type { SchemaObject } from './document-types.ts';

/** Of the table's codes, the one that no answer has: keys are made on the command line. */
const notAnswered: readonly string[] = ['key_limit_reached'] satisfies ErrorCode[];

const types: Readonly<Record<ErrorType, { readonly name: string; readonly description: string }>> = {
  validation_error: {
    name: 'ValidationError',
    description: '400: something in the request is missing or wrong; `field` names it.',
  },
  invalid_request_error: {
    name: 'InvalidRequestError',
    description: '400: the request is well-formed, but the state of the resource does not allow it.',
  },
  idempotency_error: {
    name: 'IdempotencyError',
    description: '400: the idempotency key is malformed, or was used for another request.',
  },
  authentication_error: {
    name: 'AuthenticationError',
    description: '401: the API key is missing, unknown, expired or revoked.',
  },
  permission_error: {
    name: 'PermissionError',
    description: '403: the API key has not the permission that this needs.',
  },
  not_found_error: {
    name: 'NotFoundError',
    description:
      '404: there is no such resource, or not in this account and mode; or, as `route_not_found`, no such endpoint.',
  },
  rate_limit_error: { name: 'RateLimitError', description: '429: the requests of this hour are used up.' },
  api_error: { name: 'ServerError', description: '500: something went wrong on the side of the service.' },
};

/** Their JSON Schemas by name. */
export function errorSchemas(): Record<string, SchemaObject> {
  const schemas = Object.entries(types).map(([type, { name, description }]) => [
    name,
    errorSchema(type as ErrorType, description),
  ]);
  return {
    Error: {
      description:
        'What every answer but success says: `type` is the class of the error, `code` the error itself.',
      oneOf: schemas.map(([name]) => ({ $ref: `#/components/schemas/${name}` })),
    },
    ...Object.fromEntries(schemas),
  };
}

function errorSchema(type: ErrorType, description: string): SchemaObject {
  const codes = Object.entries(errorCodes)
    .filter(([code, kind]) => kind.type === type && !notAnswered.includes(code))
    .map(([code]) => code);
  const ofField = type === 'validation_error';
  return {
    description,
    type: 'object',
    required: ['error'],
    additionalProperties: false,
    properties: {
      error: {
        type: 'object',
        description: 'What went wrong.',
        required: ['message', 'type', 'code', ...(ofField ? ['field'] : [])],
        additionalProperties: false,
        properties: {
          message: {
            type: 'string',
            minLength: 1,
            description: 'What is wrong and what would be right, for people. Its wording may change.',
          },
          type: { type: 'string', const: type, description: 'The class of the error.' },
          code: { type: 'string', enum: codes, description: 'The error itself, for programs.' },
          ...(ofField && {
            field: {
              type: 'string',
              description:
                'The field, parameter or header that is wrong; a nested one as a dotted path such as `card.number`.',
            },
          }),
        },
      },
    },
  };
}
