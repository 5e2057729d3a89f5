/**
 * Limits the attempts to pay on the payment page in a clock hour, so that the page cannot be used to try stolen cards.
 *
 * - An address may make 60 attempts that fail. A payment that succeeds does not count, so the payers of an office or of
 *   a mobile carrier can share one address. Success cannot be abused: an invoice is paid once.
 * - An invoice has 20 attempts for everyone, and a reserve of 20 for early payers. So 40 is the hard bound: nobody can
 *   try more cards on one invoice, however many addresses and visits they have.
 * - A stranger who has the link can use up the 20. The reserve then serves only visits at least as old as all visits
 *   that it has served. So a stranger cannot block a payer who opened the page before: each visit gets at most 5 of the
 *   reserve, and visits that begin later get nothing once an older one came.
 * - A card tester can open many pages in advance and use their visits from the newest to the oldest. Each address gets
 *   at most 10 of the reserve of an invoice. So this works only from two addresses or more, and 40 remains the bound.
 * - The page has no cookie. A payer who opens the link again has a new visit and shares the 20 with everyone.
 */

import { logger, serializeError } from '../../base/log.ts';
import type { Instant } from '../../base/time.ts';
import { tableHash } from '../../platform/secrets/deployment-secret.ts';
import { hourOf } from '../../store/account-state.ts';
import { type Key, tableKeys } from '../../store/keys.ts';
import { countInHour, subtractFromCount } from '../auth/hour-count-store.ts';
import { rateLimitNetworkOf } from '../auth/source-address.ts';
import type { Visit } from './visit.ts';

const failedPerAddress = 60;
const perInvoice = 20;
const reserve = { perInvoice: 20, perAddress: 10, perVisit: 5 };

/** An attempt that is about to reach the payment provider. */
export interface CountedAttempt {
  readonly invoiceId: string;
  readonly sourceIp: string;
  /** The visit that the form carried, if it is valid. */
  readonly visit: Visit | undefined;
}

/** Counts an attempt. Returns whether the limits allow it. */
export async function isWithinAttemptLimits(attempt: CountedAttempt, now: Instant): Promise<boolean> {
  const { invoiceId, sourceIp } = attempt;
  const [isAddressWithin, isInvoiceWithin] = await Promise.all([
    isWithin(await keyOfAddress(sourceIp, now), failedPerAddress, now),
    isWithin(await keyOf('invoice', invoiceId, now), perInvoice, now),
  ]);
  return isAddressWithin && (isInvoiceWithin || isWithinReserve(attempt, now));
}

/**
 * Takes back what an attempt counted against its address, because it did not fail. An error is only logged: the
 * attempt then continues to count.
 */
export async function forgiveAttempt(sourceIp: string, now: Instant): Promise<void> {
  try {
    await subtractFromCount(await keyOfAddress(sourceIp, now));
  } catch (error) {
    logger.warn('an attempt to pay still counts against its address', { error: serializeError(error) });
  }
}

/** Counts an attempt in the reserve. The visit and the address first, so that what they refuse does not use it up. */
async function isWithinReserve(
  { invoiceId, sourceIp, visit }: CountedAttempt,
  now: Instant,
): Promise<boolean> {
  if (!visit) return false;
  const { openedAt } = visit;
  const address = `${invoiceId}:${rateLimitNetworkOf(sourceIp)}`;
  return (
    (await isWithin(await keyOf('visit', visit.id, now), reserve.perVisit, now)) &&
    (await isWithin(await keyOf('reserve-address', address, now), reserve.perAddress, now)) &&
    (await isWithin(await keyOf('reserve', invoiceId, now), reserve.perInvoice, now, openedAt))
  );
}

async function isWithin(key: Key, limit: number, now: Instant, openedAt?: Instant): Promise<boolean> {
  return (await countInHour(key, limit, now, { ...(openedAt !== undefined && { openedAt }) })) <= limit;
}

const keyOfAddress = (sourceIp: string, now: Instant) => keyOf('address', rateLimitNetworkOf(sourceIp), now);

async function keyOf(
  kind: 'invoice' | 'address' | 'visit' | 'reserve' | 'reserve-address',
  name: string,
  now: Instant,
): Promise<Key> {
  return tableKeys.attempts(await tableHash(`attempts:${kind}`, name), hourOf(now));
}
