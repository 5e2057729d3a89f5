/**
 * Builds the schemas of errors: `Error`, the body of a response that is not successful, `ErrorDetail`, its content, and
 * `FieldError`, an entry of its details. All errors have the same schema, because generators of clients understand no unions
 * in responses. Each response lists its codes in `x-error-codes`.
 */
import { type ErrorCode, type ErrorType, errorCodes } from '../../base/errors.ts';
import type { SchemaObject } from './document-types.ts';

const typeTexts: Readonly<Record<ErrorType, string>> = {
  validation_error: '400: Part of the request is missing or invalid. `field` names it.',
  invalid_request_error: '400: The request is valid, but the state of the resource does not allow it.',
  idempotency_error: '400: The idempotency key is invalid, or was used for a different request.',
  authentication_error: '401: The API key is missing, invalid, expired or revoked.',
  permission_error:
    '403: The API key does not have the required permission, or may not be used from this address.',
  not_found_error:
    '404: The resource does not exist in this account and mode. With `route_not_found`, the endpoint does not exist.',
  rate_limit_error: '429: You have used all requests of this hour, or you send too many requests at once.',
  api_error: '500: An error occurred in the service, or it cannot read a stored record.',
};

/** Returns the JSON Schemas of errors, by name. */
export function errorSchemas(): Record<string, SchemaObject> {
  return {
    Error: {
      description: 'The body of every response that is not successful.',
      type: 'object',
      required: ['error'],
      additionalProperties: false,
      properties: { error: { $ref: '#/components/schemas/ErrorDetail', description: 'The error.' } },
    },
    ErrorDetail: {
      description:
        'An error. `type` is the category of the error, and `code` identifies the error. `field` is present in every `validation_error`.',
      type: 'object',
      required: ['message', 'type', 'code', 'docUrl'],
      additionalProperties: false,
      properties: {
        message: {
          type: 'string',
          minLength: 1,
          description: 'Explains the error and how to fix it, for people. The wording can change.',
        },
        type: {
          type: 'string',
          enum: Object.keys(typeTexts),
          description: ['The category of the error.', ...Object.entries(typeTexts).map(listed)].join('\n'),
        },
        code: {
          type: 'string',
          minLength: 1,
          description:
            'Identifies the error, for programs. A newer version of the service can return other codes.',
          'x-codes-by-type': codesByType(),
        },
        field: {
          type: 'string',
          description:
            'The field, parameter or header that is invalid. A nested field is a dotted path such as `card.number`.',
        },
        details: {
          type: 'array',
          items: { $ref: '#/components/schemas/FieldError' },
          minItems: 1,
          maxItems: 20,
          description:
            'All fields that are missing, unknown or invalid, at most 20. Present in every `validation_error`. The first one is also in `message`, `code` and `field`.',
        },
        docUrl: {
          type: 'string',
          format: 'uri',
          description: 'The page about this error code: what it means, and how to fix it.',
        },
      },
    },
    FieldError: {
      description: 'A field, parameter or header that is missing, unknown or invalid.',
      type: 'object',
      required: ['field', 'code', 'message'],
      additionalProperties: false,
      properties: {
        field: {
          type: 'string',
          description:
            'The name of the field. A nested field is a dotted path such as `card.number`. A name of more than 128 characters is cut.',
        },
        code: { type: 'string', minLength: 1, description: 'Identifies the error, for programs.' },
        message: {
          type: 'string',
          minLength: 1,
          description: 'Explains the error and how to fix it, for people.',
        },
      },
    },
  };
}

const listed = ([type, text]: [string, string]) => `- \`${type}\`: ${text}`;

function codesByType(): Record<string, string[]> {
  const codes = Object.keys(errorCodes) as ErrorCode[];
  return Object.groupBy(codes, (code) => errorCodes[code].type) as Record<string, string[]>;
}
