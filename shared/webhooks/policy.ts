/** Which addresses this deployment may call. */
import { env } from '../env.ts';
import type { Mode } from '../ids.ts';
import { requireRanges } from './address.ts';
import type { TargetPolicy } from './target.ts';

// When a function starts: otherwise the first delivery would be the one to find out.
requireRanges(env.webhookAllowedRanges());

/**
 * The policy of a mode: the deployment's allowed ranges, and the service's own hosts, which are that of the payment page
 * and, where a request is at hand, the `host` that it came to.
 */
export function policyOf(mode: Mode, host?: string): TargetPolicy {
  const ownHosts = [new URL(env.payUrlBase()).host];
  if (host !== undefined && URL.canParse(`http://${host}`)) ownHosts.push(host);
  return { mode, allowedRanges: env.webhookAllowedRanges(), ownHosts };
}
