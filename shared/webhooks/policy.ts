/** Which addresses this deployment may call. */
import { env } from '../env.ts';
import type { Mode } from '../ids.ts';
import type { TargetPolicy } from './target.ts';

export function policyOf(mode: Mode): TargetPolicy {
  return { mode, allowedRanges: env.webhookAllowedRanges(), ownHosts: [new URL(env.payUrlBase()).host] };
}
