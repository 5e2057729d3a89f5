/** Builds the schemas of errors: one for each error type, with its codes, and `Error`, which is the union of them. */
import { type ErrorType, errorCodes } from '../errors.ts';
import type { SchemaObject } from './document-types.ts';

const types: Readonly<Record<ErrorType, { readonly name: string; readonly description: string }>> = {
  validation_error: {
    name: 'ValidationError',
    description: '400: Part of the request is missing or invalid. `field` names it.',
  },
  invalid_request_error: {
    name: 'InvalidRequestError',
    description: '400: The request is valid, but the state of the resource does not allow it.',
  },
  idempotency_error: {
    name: 'IdempotencyError',
    description: '400: The idempotency key is invalid, or was used for a different request.',
  },
  authentication_error: {
    name: 'AuthenticationError',
    description: '401: The API key is missing, invalid, expired or revoked.',
  },
  permission_error: {
    name: 'PermissionError',
    description:
      '403: The API key does not have the required permission, or may not be used from this address.',
  },
  not_found_error: {
    name: 'NotFoundError',
    description:
      '404: The resource does not exist in this account and mode. With `route_not_found`, the endpoint does not exist.',
  },
  rate_limit_error: {
    name: 'RateLimitError',
    description: '429: You have used all requests of this hour, or you send too many requests at once.',
  },
  api_error: { name: 'ServerError', description: '500: An error occurred in the service.' },
};

/** Returns the JSON Schemas of all errors, by name. */
export function errorSchemas(): Record<string, SchemaObject> {
  const schemas = Object.entries(types).map(([type, { name, description }]) => [
    name,
    errorSchema(type as ErrorType, description),
  ]);
  return {
    Error: {
      description:
        'The body of every response that is not successful. `type` is the category of the error, and `code` identifies the error.',
      oneOf: schemas.map(([name]) => ({ $ref: `#/components/schemas/${name}` })),
    },
    ...Object.fromEntries(schemas),
  };
}

function errorSchema(type: ErrorType, description: string): SchemaObject {
  const codes = Object.entries(errorCodes)
    .filter(([, definition]) => definition.type === type)
    .map(([code]) => code);
  const hasField = type === 'validation_error';
  return {
    description,
    type: 'object',
    required: ['error'],
    additionalProperties: false,
    properties: {
      error: {
        type: 'object',
        description: 'The error.',
        required: ['message', 'type', 'code', ...(hasField ? ['field'] : [])],
        additionalProperties: false,
        properties: {
          message: {
            type: 'string',
            minLength: 1,
            description: 'Explains the error and how to fix it, for people. The wording can change.',
          },
          type: { type: 'string', const: type, description: 'The category of the error.' },
          code: { type: 'string', enum: codes, description: 'Identifies the error, for programs.' },
          ...(hasField && {
            field: {
              type: 'string',
              description:
                'The field, parameter or header that is invalid. A nested field is a dotted path such as `card.number`.',
            },
          }),
        },
      },
    },
  };
}
