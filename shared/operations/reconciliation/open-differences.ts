/**
 * Keeps the confirmed differences of payments with the books of providers until they are resolved.
 *
 * - A comparison reads the payments of some days only. So each difference that it confirms is compared again by itself every
 *   day, and stays in the report of the day.
 */
import type { Owner } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import type { HostedProvider, HostedProviderName } from '../../domain/payments/provider/hosted-provider.ts';
import { leaveOutMalformed } from '../../store/left-out-items.ts';
import type { Item } from '../../store/records.ts';
import { parseOrError } from '../../store/stored-fields.ts';
import type { ProviderDifference } from './difference.ts';
import { compareAgain } from './provider-differences.ts';
import { deleteReportEntry, putLastingEntries, readEntriesOf } from './reconciliation-store.ts';
import { toReportedDifference } from './report.ts';

/** The differences that one run compares again. The others stay as they are until the next run. */
const comparedAtOnce = 100;

const prefixOf = ({ account, mode }: Owner, provider: HostedProviderName) =>
  `OPEN#${account}#${mode}#${provider}#`;
const nameOf = (difference: ProviderDifference, provider: HostedProviderName) =>
  `${prefixOf(difference, provider)}${difference.id}#${difference.rule}`;

/** Returns the name of an entry, and its difference. @throws MalformedItemError */
const toProviderDifference = (item: Item): readonly [name: string, difference: ProviderDifference] => [
  String(item.sk),
  { ...(toReportedDifference(item) as Omit<ProviderDifference, 'evidence'>), evidence: '' },
];

/** Keeps differences that are confirmed. A difference that is kept again replaces its entry. */
export function keepOpen(
  provider: HostedProviderName,
  differences: readonly ProviderDifference[],
): Promise<void> {
  return putLastingEntries(
    differences.map((difference) => ({ name: nameOf(difference, provider), content: difference })),
  );
}

/**
 * Compares the kept differences of an account and mode again, and forgets those that are resolved.
 * @returns those that remain, as they are now
 * @throws ProviderCallError if the provider does not answer
 */
export async function recheckOpen(
  owner: Owner,
  provider: HostedProvider,
  now: Instant,
): Promise<readonly ProviderDifference[]> {
  const entries = await readEntriesOf(prefixOf(owner, provider.name));
  const remaining: ProviderDifference[] = [];
  const kept = leaveOutMalformed(entries.map((item) => parseOrError(item, toProviderDifference)));
  for (const [index, [sk, difference]] of kept.entries()) {
    if (index >= comparedAtOnce) {
      remaining.push(difference);
      continue;
    }
    const found = await compareAgain(owner, provider, difference, now);
    const same = found.find(({ rule }) => rule === difference.rule);
    if (same) remaining.push(same);
    else await deleteReportEntry(sk);
  }
  return remaining;
}
