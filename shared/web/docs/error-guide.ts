/** Renders the guide to errors. */
import { html } from 'hono/html';
import type { OpenApiDocument } from '../../api/openapi/document-types.ts';
import { messagesOfCode } from '../../api/openapi/error-messages.ts';
import { type ErrorCode, errorCodes } from '../../base/errors.ts';
import type { Markup } from '../pages/markup.ts';
import { fieldList } from './fields.ts';
import { codeBlock } from './prose.ts';

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

/** Renders the guide to errors: their form, their fields and all codes. */
export function errorGuide({ components: { schemas } }: OpenApiDocument, baseUrl: string): Markup {
  return html`<p>An error response tells you what is wrong, where it is, and how to fix it. Base your error handling on
<code>type</code> and <code>code</code>. <code>message</code> is for people, and its wording can change. <code>field</code> names the
invalid field, parameter or header, and <code>details</code> lists all of them, at most 20. <code>docUrl</code> is the page about
the code.</p>
${codeBlock(errorExample, 'Error response')}
<p>A request that returns an error had no effect. The only exception is a 500 response: the request may have taken effect. Send it
again with the same <a href="#idempotency">idempotency key</a>.</p>
<h3>The fields of <code>error</code></h3>
${fieldList(schemas.ErrorDetail ?? {}, { schemas, direction: 'response', id: 'Error' })}
<h3>All error codes</h3>
<p>Select a code to see what it means, which operations return it, and how to fix it. There is also a
<a href="${baseUrl}/docs/errors">page with all codes</a>.</p>
<div class="scroll" tabindex="0" role="region" aria-label="All error codes"><table class="errors">
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Type</th><th scope="col">Message</th></tr></thead>
<tbody>${(Object.keys(errorCodes) as ErrorCode[]).map((code) => errorRow(code, baseUrl))}</tbody></table></div>`;
}

function errorRow(code: ErrorCode, baseUrl: string): Markup {
  const { status, type } = errorCodes[code];
  const messages = messagesOfCode(code).map((message, index) => html`${index > 0 && html`<br>`}${message}`);
  const link = html`<a href="${baseUrl}/docs/errors/${code}"><code>${code}</code></a>`;
  return html`<tr id="error-${code}"><td>${status}</td><td>${link}</td><td><code>${type}</code></td><td>${messages}</td></tr>`;
}
