/** Builds the policy that decides which addresses this deployment may call. */
import { env } from '../../base/env.ts';
import { isCanaryAccount, type Mode, type Owner } from '../../base/ids.ts';
import { requireCidrRanges } from './address.ts';
import type { TargetPolicy } from './target.ts';

// Checked when a function starts. Otherwise the first delivery would report the wrong setting.
requireCidrRanges(env.webhookAllowedRanges());

/** The usual ports of web servers. Other ports could belong to a database or a mail server. */
const webPorts = { test: [443, 80, 8080, 8443], live: [443, 8080, 8443] } as const satisfies Record<
  Mode,
  readonly number[]
>;

/** Returns the ports with which an endpoint can be configured: web ports, and those that the deployment allows. */
export function allowedPortsOf(mode: Mode): readonly number[] {
  return [...webPorts[mode], ...env.webhookAllowedPorts()];
}

/**
 * Returns the policy of an account and mode: the allowed ranges of the deployment, and the service's own hosts. The own hosts are
 * those of the payment page, the API, the dashboard and the canary, and `host`. Only the canary's own account may call the canary.
 * @param host the Host header of the present request, if there is one
 */
export function policyOf({ account, mode }: Owner, host?: string): TargetPolicy {
  const urls = [env.payUrlBase(), env.dashboardUrl()];
  const hosts = [
    ...urls.flatMap((url) => (url ? [new URL(url).host] : [])),
    ...env.ownHosts(),
    ...(isCanaryAccount(account) ? [] : [env.canaryHost()]),
    host,
  ];
  const ownHosts = hosts.filter(
    (each): each is string => each !== undefined && URL.canParse(`http://${each}`),
  );
  return { mode, allowedRanges: env.webhookAllowedRanges(), ownHosts: [...new Set(ownHosts)] };
}
