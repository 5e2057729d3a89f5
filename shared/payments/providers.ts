/** Which provider moves the money of which mode. */
import type { Mode } from '../ids.ts';
import type { PaymentProvider } from './provider.ts';
import { testProvider } from './test-provider.ts';

/** The provider of a mode, or undefined if there is none: live mode has none built in (semantics 8). */
export function providerOf(mode: Mode): PaymentProvider | undefined {
  return mode === 'test' ? testProvider : undefined;
}

/** The provider of a mode that has one. Throws if it has none, as when it was taken away from a deployment. */
export function requiredProvider(mode: Mode): PaymentProvider {
  const provider = providerOf(mode);
  if (!provider) throw new Error(`There is no payment provider in ${mode} mode.`);
  return provider;
}
