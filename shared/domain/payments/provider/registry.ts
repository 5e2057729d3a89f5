/** Selects the payment provider of each mode. */
import type { Mode } from '../../../base/ids.ts';
import type { PaymentProvider } from './provider.ts';
import { testProvider } from './test-provider.ts';

/** Returns the provider of a mode, or undefined if the mode does not have one. Live mode has no built-in provider. */
export function providerOf(mode: Mode): PaymentProvider | undefined {
  return mode === 'test' ? testProvider : undefined;
}

/**
 * Returns the provider of a mode.
 * @throws Error if the mode does not have one, for example because a deployment removed it
 */
export function requireProvider(mode: Mode): PaymentProvider {
  const provider = providerOf(mode);
  if (!provider) throw new Error(`The ${mode} mode has no payment provider.`);
  return provider;
}
