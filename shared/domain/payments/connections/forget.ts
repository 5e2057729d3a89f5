/**
 * Deletes connections to hosted providers with their credentials.
 *
 * - Without credentials, the service can no longer ask about an open checkout, refund a payment or follow a dispute.
 * - The service keeps no list of open checkouts and refundable payments by provider. So a time after the disconnection,
 *   when no new checkout begins, decides in their place.
 */
import type { AuditOrigin } from '../../../base/audit-origin.ts';
import type { Owner } from '../../../base/ids.ts';
import { now, toTimestamp } from '../../../base/time.ts';
import type { HostedProviderName } from '../provider/hosted-provider.ts';
import { deleteConnection } from './change-connection.ts';
import type { ConnectionDetails } from './connection.ts';
import { providerFacts } from './provider-facts.ts';
import { ConnectionError } from './read-entered.ts';

const hourMs = 3_600_000;

/** Most banks accept disputes for about 120 days, and a decision takes weeks. */
const claimsMs = 180 * 24 * hourMs;

/** A checkout lasts an hour, so one that began before the disconnection has ended by then, unless a bank decides later. */
const checkoutsMs = 2 * hourMs;

/**
 * Deletes a connection that has been disconnected for 180 days, with the entry in the audit log.
 * @param force two hours after the disconnection are enough
 * @throws ConnectionError if the account and mode has no such connection, or if it is too early
 */
export async function forgetConnection(
  owner: Owner,
  name: HostedProviderName,
  { force }: { force: boolean },
  origin: AuditOrigin,
): Promise<void> {
  const requireAllowed = (current: ConnectionDetails) => requireUnused(current, force);
  if (await deleteConnection(owner, name, requireAllowed, origin)) return;
  throw new ConnectionError(`${providerFacts[name].title} has no connection in ${owner.mode} mode.`);
}

function requireUnused({ provider, mode, disconnectedAt }: ConnectionDetails, force: boolean): void {
  const { title } = providerFacts[provider];
  if (disconnectedAt === undefined)
    throw new ConnectionError(`${title} is still connected in ${mode} mode. Disconnect it first.`);
  const [from, at] = [disconnectedAt + (force ? checkoutsMs : claimsMs), now()];
  if (at >= from) return;
  throw new ConnectionError(
    force
      ? `A checkout that began before ${title} was disconnected can still be paid. Run the command again after ${toTimestamp(from)}.`
      : `Payments of ${title} can still be refunded or disputed until ${toTimestamp(from)}, and this needs the credentials. Keep them until then, or add --force to delete them now.`,
  );
}
