/** Describes a provider with a hosted checkout to the conformance suite, and makes the requests of its tests. */
import { randomBytes } from 'node:crypto';
import type { DoubleRequest } from '../../../infra/local/provider-doubles/common/double-messages.ts';
import type { InjectedFault } from '../../../infra/local/provider-doubles/common/faults.ts';
import type { ProviderDouble } from '../../../infra/local/provider-doubles/common/provider-double.ts';
import { base32 } from '../../../shared/base/ids.ts';
import type { Currency } from '../../../shared/base/money.ts';
import type {
  BegunCheckout,
  CheckoutRequest,
  HostedProvider,
  ProviderCredentials,
  ReceivedPayment,
} from '../../../shared/domain/payments/provider/hosted-provider.ts';
import type { TestClock } from '../clock.ts';
import { newCheckoutRequest } from './checkout-request.ts';

export interface HostedConformanceOptions {
  readonly double: () => ProviderDouble;
  /** Creates the adapter, so that it calls the double. */
  readonly create: (credentials: ProviderCredentials, timeoutMs?: number) => HostedProvider;
  /** The clock of the service and of the double. */
  readonly clock: () => TestClock;
  readonly currency: Currency;
  /** Well-formed credentials that the double does not know. */
  readonly wrongCredentials: ProviderCredentials;
  /** An amount below the limit of the provider. */
  readonly tooSmallMinor: number;
  /** Whether a notification carries a time that ends its validity. */
  readonly notificationsExpire: boolean;
  /** Whether a notification says whether it is of live mode. */
  readonly namesMode: boolean;
  /** The state of a checkout whose payment fails after its expiry. */
  readonly failedLater: 'refused' | 'expired';
  /** Returns true for the message that creates a refund. */
  readonly createsRefund: (request: DoubleRequest) => boolean;
}

const serverError = { kind: 'answer', status: 500, body: '{"error":{"type":"api_error"}}' } as const;
const lossesOfMessages: readonly InjectedFault[] = [
  { kind: 'lose', when: 'before' },
  { kind: 'lose', when: 'after' },
  { ...serverError, when: 'before' },
  { ...serverError, when: 'after' },
];

export const dayMs = 86_400_000;

export type HostedContext = ReturnType<typeof hostedContext>;

/** Returns what the tests of the suite share. */
export function hostedContext(options: HostedConformanceOptions) {
  const { clock, currency, double } = options;
  const credentials = () => double().credentials.live;
  const provider = (timeoutMs?: number) => options.create(credentials(), timeoutMs);

  const newRequest = (change: Partial<CheckoutRequest> = {}): CheckoutRequest =>
    newCheckoutRequest(clock(), { currency, ...change });
  /** Begins a checkout. @throws Error if the provider refuses it */
  const begin = async (request: CheckoutRequest): Promise<Extract<BegunCheckout, { kind: 'begun' }>> => {
    const begun = await provider().begin(request);
    if (begun.kind !== 'begun') throw new Error(`The checkout is refused: ${begun.reason}.`);
    return begun;
  };
  /** Makes a paid checkout and returns its payment. */
  const newPayment = async (change: Partial<CheckoutRequest> = {}): Promise<ReceivedPayment> => {
    const request = newRequest(change);
    const { reference } = await begin(request);
    double().act(reference, 'pay');
    const state = await provider().status(request, reference);
    if (state.kind !== 'paid') throw new Error(`The checkout is ${state.kind}.`);
    return state.payment;
  };
  const newRefund = (paymentReference: string, amountMinor: number) => ({
    key: `ref_${base32(randomBytes(17), 26)}`,
    paymentReference,
    amountMinor,
    currency,
  });
  /** Returns the payments in the books of the double that belong to a checkout. */
  const bookedFor = ({ key }: CheckoutRequest) =>
    double()
      .books()
      .filter((payment) => payment.key === key);
  const booked = (reference: string) =>
    double()
      .books()
      .find((payment) => payment.reference === reference);
  /** Meets the message number `nth` (from 0) of a call and all later ones with a fault. Returns whether the call rejected. */
  const lose = async (nth: number, fault: InjectedFault, call: () => Promise<unknown>) => {
    const remove = double().faults.inject({ fault, skip: nth, times: 99 });
    try {
      await call();
      return false;
    } catch {
      return true;
    } finally {
      remove();
    }
  };
  /**
   * Runs `round` for each message of a call. Each message is lost before and after it took effect, and meets a server error
   * before and after that.
   */
  const forEachLoss = async (
    round: (lose: (call: () => Promise<unknown>) => Promise<void>) => Promise<void>,
  ): Promise<number> => {
    let rounds = 0;
    for (const fault of lossesOfMessages) {
      let isLost = true;
      for (let nth = 0; isLost; nth++) {
        await round(async (call) => {
          isLost = await lose(nth, fault, call);
        });
        if (isLost) rounds++;
      }
    }
    return rounds;
  };
  return {
    ...options,
    credentials,
    provider,
    newRequest,
    begin,
    newPayment,
    newRefund,
    bookedFor,
    booked,
    forEachLoss,
  };
}
