/**
 * Tests the guarantees of the port in `shared/domain/payments/provider/hosted-provider.ts`, which the adapter of each provider with
 * a hosted checkout must give. To test an adapter, call `describeHostedConformance` with a double of the provider.
 */
import { describe } from '@jest/globals';
import { hostedCheckoutTests } from './hosted-checkout.ts';
import { hostedFaultTests } from './hosted-faults.ts';
import { hostedLossTests } from './hosted-losses.ts';
import { hostedNotificationTests } from './hosted-notifications.ts';
import { type HostedConformanceOptions, hostedContext } from './hosted-options.ts';
import { hostedRefundTests } from './hosted-refunds.ts';

/** Registers the suite for the provider called `name`. */
export function describeHostedConformance(name: string, options: HostedConformanceOptions): void {
  const context = hostedContext(options);
  describe(`${name} conforms to the port of hosted checkouts`, () => {
    describe('checkout', () => hostedCheckoutTests(context));
    describe('lost messages', () => hostedLossTests(context));
    describe('refund', () => hostedRefundTests(context));
    describe('notification', () => hostedNotificationTests(context));
    describe('fault', () => hostedFaultTests(context));
  });
}
