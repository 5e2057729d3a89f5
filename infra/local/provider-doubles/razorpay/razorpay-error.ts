/** The errors of the Razorpay double. */
import type { DoubleResponse } from '../common/double-messages.ts';

/** An error that the double answers with. Razorpay also uses status 400 for an id that does not exist. */
export class RazorpayDoubleError extends Error {
  readonly status: number;
  readonly field: string | undefined;

  constructor(description: string, field?: string, status = 400) {
    super(description);
    this.status = status;
    this.field = field;
  }

  toResponse(): DoubleResponse {
    const error = {
      code: 'BAD_REQUEST_ERROR',
      description: this.message,
      ...(this.field !== undefined && { field: this.field }),
      source: 'business',
      step: 'payment_initiation',
      reason: 'input_validation_failed',
      metadata: {},
    };
    return { status: this.status, body: JSON.stringify({ error }) };
  }
}

export const noSuchId = () => new RazorpayDoubleError('The id provided does not exist');
