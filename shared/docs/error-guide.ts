/** Renders the guide to errors. */
import { html } from 'hono/html';
import { type ErrorCode, errorCodes } from '../errors.ts';
import type { OpenApiDocument } from '../openapi/document-types.ts';
import { messagesOfCode } from '../openapi/error-messages.ts';
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
    },
  },
  null,
  2,
);

/** Renders the guide to errors: their form, their fields and all codes. */
export function errorGuide({ components: { schemas } }: OpenApiDocument): Markup {
  return html`<p>An error response tells you what is wrong, where it is, and how to fix it. Base your error handling on
<code>type</code> and <code>code</code>. <code>message</code> is for people, and its wording can change. <code>field</code> names the
invalid field, parameter or header.</p>
${codeBlock(errorExample, 'Error response')}
<p>A request that returns an error had no effect. The only exception is a 500 response: the request may have taken effect. Send it
again with the same <a href="#idempotency">idempotency key</a>.</p>
<h3>The fields of <code>error</code></h3>
${fieldList(schemas.ErrorDetail ?? {}, { schemas, direction: 'response', id: 'Error' })}
<h3>All error codes</h3>
<div class="scroll" tabindex="0" role="region" aria-label="All error codes"><table class="errors">
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Type</th><th scope="col">Message</th></tr></thead>
<tbody>${(Object.keys(errorCodes) as ErrorCode[]).map(errorRow)}</tbody></table></div>`;
}

function errorRow(code: ErrorCode): Markup {
  const { status, type } = errorCodes[code];
  const messages = messagesOfCode(code).map((message, index) => html`${index > 0 && html`<br>`}${message}`);
  return html`<tr id="error-${code}"><td>${status}</td><td><code>${code}</code></td><td><code>${type}</code></td><td>${messages}</td></tr>`;
}
