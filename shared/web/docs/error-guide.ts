/** Holds the guide to errors. */
import type { OpenApiDocument } from '../../api/openapi/document-types.ts';
import { type ErrorCode, errorCodes } from '../../base/errors.ts';
import { fieldBlock, fieldsOf } from './fields.ts';
import { type Block, fenced, list, table } from './prose.ts';
import { errorGroups, groupErrorCodes } from './response-section.ts';

const errorExample = JSON.stringify(
  {
    error: {
      message: 'amount must be an integer from 1 to 999999999999, in the smallest currency unit.',
      type: 'validation_error',
      code: 'invalid_amount',
      field: 'amount',
      details: [
        {
          field: 'amount',
          code: 'invalid_amount',
          message: 'amount must be an integer from 1 to 999999999999, in the smallest currency unit.',
        },
        {
          field: 'due_date',
          code: 'unknown_parameter',
          message: 'due_date is not a known parameter. Did you mean dueDate?',
        },
      ],
      docUrl: 'https://remit.example.com/docs/errors/invalid_amount',
    },
  },
  null,
  2,
);

/** Returns the guide to errors: their form, their fields and all codes. */
export function errorGuide(document: OpenApiDocument, baseUrl: string): readonly Block[] {
  const { schemas } = document.components;
  return [
    'An error response tells you what is wrong, where it is, and how to fix it. Base your error handling on `type` and `code`. `message` is for people, and its wording can change. `field` names the invalid field, parameter or header, and `details` lists all of them, at most 20. `docUrl` is the page about the code.',
    fenced(errorExample, 'json', 'Error response'),
    'A request that returns an error had no effect. The only exception is a 500 response: the request may have taken effect. Send it again with the same [idempotency key](#idempotency).',
    '## The fields of `error`',
    fieldBlock(fieldsOf(schemas.ErrorDetail ?? {}, { schemas, direction: 'response', id: 'Error' })),
    ...errorGroups.flatMap((group) => [
      `## ${group.heading}`,
      list(
        groupErrorCodes(document, group).map(
          ([status, codes]) =>
            `${status}: ${codes.map((code) => `[\`${code}\`](#error-${code})`).join(', ')}`,
        ),
      ),
    ]),
    '## All error codes',
    `Select a code to see what it means, which operations return it, and how to fix it. There is also a [page with all codes](${baseUrl}/docs/errors).`,
    table(
      ['Status', 'Code', 'Type'],
      (Object.keys(errorCodes) as ErrorCode[]).map((code) => [
        errorCodes[code].status,
        `[\`${code}\`](${baseUrl}/docs/errors/${code})`,
        `\`${errorCodes[code].type}\``,
      ]),
    ),
  ];
}
