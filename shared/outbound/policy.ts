/** Builds the policy that decides which addresses this deployment may call. */
import { env } from '../env.ts';
import type { Mode } from '../ids.ts';
import { requireCidrRanges } from './address.ts';
import type { TargetPolicy } from './target.ts';

// Checked when a function starts. Otherwise the first delivery would report the wrong setting.
requireCidrRanges(env.webhookAllowedRanges());

/**
 * Returns the policy of a mode: the allowed ranges of the deployment, and the service's own hosts. The own hosts are
 * the host of the payment page and `host`.
 * @param host the Host header of the present request, if there is one
 */
export function policyOf(mode: Mode, host?: string): TargetPolicy {
  const ownHosts = [new URL(env.payUrlBase()).host];
  if (host !== undefined && URL.canParse(`http://${host}`)) ownHosts.push(host);
  return { mode, allowedRanges: env.webhookAllowedRanges(), ownHosts };
}
