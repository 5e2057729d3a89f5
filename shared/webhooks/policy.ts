/** Which addresses this deployment may call. */
import { env } from '../env.ts';
import type { Mode } from '../ids.ts';
import type { TargetPolicy } from './target.ts';

/** The policy of a mode: the deployment's allowed ranges, and the service's own host. */
export function policyOf(mode: Mode): TargetPolicy {
  return { mode, allowedRanges: env.webhookAllowedRanges(), ownHosts: [new URL(env.payUrlBase()).host] };
}
