/**
 * Keeps the answers to requests with an idempotency key, as Stripe documents it.
 *
 * - The same request gets the same status and body again, also for an error. Stripe forgets a key after 24 hours.
 * - Other parameters under the same key are an error.
 * - A request that fails the validation is not kept, and neither is one that meets another request in progress.
 * - "including 500 errors" (docs.stripe.com/api/idempotent_requests): a 500 is kept too, whether the request had an effect
 *   or not.
 */
import type { Instant } from '../../../../shared/base/time.ts';
import type { DoubleResponse } from '../common/double-messages.ts';
import { StripeDoubleError } from './stripe-error.ts';

interface KeptAnswer {
  readonly fingerprint: string;
  readonly response: DoubleResponse;
  readonly at: Instant;
}

const keptForMs = 86_400_000;

export class IdempotencyKeys {
  readonly #kept = new Map<string, KeptAnswer>();
  readonly #inProgress = new Set<string>();

  /** Keeps an answer under a key, in place of another one. */
  keep(key: string, fingerprint: string, at: Instant, response: DoubleResponse): void {
    this.#kept.set(key, { fingerprint, response, at });
  }

  /**
   * Executes a request once under its key.
   * @param key names the key and the mode
   * @param fingerprint is equal for equal requests
   * @param validate throws if the parameters are not valid
   */
  async once(
    key: string,
    fingerprint: string,
    at: Instant,
    validate: () => void,
    hold: () => Promise<void>,
    execute: () => DoubleResponse,
  ): Promise<DoubleResponse> {
    if (this.#inProgress.has(key)) {
      throw new StripeDoubleError(409, {
        type: 'idempotency_error',
        code: 'idempotency_key_in_use',
        message: 'There is currently another in-progress request using this Idempotency Key.',
      });
    }
    const kept = this.#kept.get(key);
    if (kept && at - kept.at < keptForMs) {
      if (kept.fingerprint === fingerprint) {
        return { ...kept.response, headers: { ...kept.response.headers, 'Idempotent-Replayed': 'true' } };
      }
      throw new StripeDoubleError(400, {
        type: 'idempotency_error',
        message:
          'Keys for idempotent requests can only be used with the same parameters they were first used with.',
      });
    }
    this.#inProgress.add(key);
    try {
      validate();
      // Even without a fault, a request takes some time. So parallel requests meet each other.
      await new Promise((resolve) => setImmediate(resolve));
      await hold();
      const response = execute();
      this.keep(key, fingerprint, at, response);
      return response;
    } finally {
      this.#inProgress.delete(key);
    }
  }
}
