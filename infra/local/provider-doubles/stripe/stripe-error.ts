/** The errors of the Stripe double. */
import type { DoubleResponse } from '../common/double-messages.ts';

export interface StripeErrorFields {
  readonly type: 'invalid_request_error' | 'idempotency_error' | 'api_error';
  readonly message: string;
  readonly code?: string;
  readonly param?: string;
}

/** An error that the double answers with. */
export class StripeDoubleError extends Error {
  readonly status: number;
  readonly fields: StripeErrorFields;

  constructor(status: number, fields: StripeErrorFields) {
    super(fields.message);
    this.status = status;
    this.fields = fields;
  }

  toResponse(): DoubleResponse {
    return { status: this.status, body: JSON.stringify({ error: this.fields }) };
  }
}

/** Returns an error of the parameters, with status 400. */
export function invalidRequest(message: string, param?: string, code?: string): StripeDoubleError {
  return new StripeDoubleError(400, {
    type: 'invalid_request_error',
    message,
    ...(param !== undefined && { param }),
    ...(code !== undefined && { code }),
  });
}

/** Returns the error for an id that the account does not have, with status 404. */
export function noSuch(object: string, id: string): StripeDoubleError {
  return new StripeDoubleError(404, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    param: 'id',
    message: `No such ${object}: '${id}'`,
  });
}
