/**
 * Looking for differences, page by page, and again at those that were found.
 *
 * Invariant: what is under way is no difference. Records and lists are not read as they were at one moment; so what
 * disagrees is looked at again, after the outbox was read, and stands only if it is exactly so once more and nothing
 * unpublished explains it. All that followed from the change that was seen first has been published by then, or is in
 * that outbox; and what records say of one another was so between the two looks, as their versions are the same.
 */
import type { Owner } from '../ids.ts';
import type { OutboxItem } from '../store/outbox.ts';
import { type Difference, identityOf } from './difference.ts';
import { type Place, resources } from './facts.ts';
import { indexDifferences } from './index-judgement.ts';
import { moneyDifferences } from './money-judgement.ts';
import { readFacts } from './read-facts.ts';
import { type Numbers, readEnd, readNumbers, readUnpublished } from './store.ts';

/** Before everything else of an owner. */
export const firstPlace = { resource: 'invoice', page: 0 } as const;

/** All pages of an owner's numbers, from a place on. */
export async function* pagesFrom(from: Place, numbers: Numbers): AsyncGenerator<Place> {
  const { account, mode } = from;
  for (const resource of resources.slice(resources.indexOf(from.resource))) {
    const last = (await readEnd({ account, mode }, resource, numbers)) ?? -1;
    const first = resource === from.resource ? from.page : 0;
    for (let page = first; page <= last; page++) yield { account, mode, resource, page };
  }
}

/** What disagrees on a page now: differences, or what is under way. */
export async function look(
  place: Place,
  numbers: Numbers,
): Promise<{ records: number; found: readonly Difference[] }> {
  const facts = await readFacts(place, numbers);
  return { records: facts.records.size, found: [...indexDifferences(facts), ...moneyDifferences(facts)] };
}

/**
 * Looks at a page again.
 * @param suspects identities of what was found there before
 * @param known identities of what was found to stand before, which is left out
 * @returns what stands, and what has yet to be looked at again: what was not so before, or will be published
 */
export async function lookAgain(
  place: Place,
  suspects: ReadonlySet<string>,
  known: ReadonlySet<string>,
): Promise<{ standing: readonly Difference[]; open: readonly Difference[] }> {
  const owner: Owner = { account: place.account, mode: place.mode };
  const unpublished = await readUnpublished(owner);
  const numbers = await readNumbers(owner);
  const seen = numbers ? (await look(place, numbers)).found : [];
  const found = seen.filter((difference) => !known.has(identityOf(difference)));
  const stands = (difference: Difference) =>
    suspects.has(identityOf(difference)) && !unpublished.some((item) => explains(item, difference));
  return { standing: found.filter(stands), open: found.filter((difference) => !stands(difference)) };
}

/** Whether lists have yet to be told of the record, or of one that belongs to it. */
function explains({ elements }: OutboxItem, { resource, seq, id }: Difference): boolean {
  return elements.some(
    (element) =>
      (element.resource === resource && element.seq === seq) ||
      element.dimensions.includes(`#${resource}#${id}`),
  );
}
