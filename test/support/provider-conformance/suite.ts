/**
 * Tests the guarantees of the port in `shared/domain/payments/provider/provider.ts`, which each payment provider must give. To
 * test a new provider, call `describeProviderConformance` in a test file, against the provider's sandbox or emulator.
 */
import { describe } from '@jest/globals';
import { captureTests } from './capture.ts';
import type { ConformanceOptions } from './conformance-options.ts';
import { lostMessageTests } from './lost-messages.ts';
import { providerOperations } from './operations.ts';
import { processTests } from './processes.ts';
import { refundTests } from './refund.ts';
import { refundRaceTests } from './refund-races.ts';
import { unknownTests } from './unknown-outcomes.ts';
import { voidTests } from './void.ts';

/** Registers the suite for the provider called `name`. */
export function describeProviderConformance(name: string, options: ConformanceOptions): void {
  const operations = providerOperations(options);
  describe(`${name} conforms to the port`, () => {
    describe('capture', () => captureTests(options, operations));
    describe('void', () => voidTests(options, operations));
    describe('refund', () => refundTests(options, operations));
    describe('concurrent refunds', () => refundRaceTests(options, operations));
    describe('an outcome that is unknown at first', () => unknownTests(options, operations));
    describe('a lost message', () => lostMessageTests(options, operations));
    describe('another process', () => processTests(options, operations));
  });
}
