/** Adds entries to index pages. */
import { env } from '../../../base/env.ts';
import type { Owner, Resource } from '../../../base/ids.ts';
import { limitConcurrency } from '../../../base/limit-concurrency.ts';
import { type Key, pageSize, tableKeys } from '../../keys.ts';
import { type Item, readItems } from '../../records.ts';
import { binariesIn, updateSets } from '../../update-sets.ts';
import { factMembers } from '../filters/record-facts.ts';
import { indexStates } from '../index-states.ts';
import { type IndexEntry, setOf } from './index-pages.ts';
import { isPageBound, pageTimeOf } from './page-times.ts';

/** The number of calls that `addIndexEntries` and `addMissingEntries` each make at the same time. */
const callsAtOnce = 64;
/** DynamoDB's limit for one call of `readItems`. */
const itemsPerRead = 100;

/** Adds one entry to all of its pages. See `addIndexEntries`. */
export function addIndexEntry(owner: Owner, entry: IndexEntry): Promise<void> {
  return addIndexEntries(owner, [entry]);
}

/**
 * Adds each entry, with its facts, to all of its pages: one call for each page, in parallel. Adding an entry again changes nothing.
 * @throws Error if a resource does not have the status of its entry, and the entry does not name its attribute
 */
export async function addIndexEntries(owner: Owner, entries: readonly IndexEntry[]): Promise<void> {
  await addAll(additionsOf(owner, entries));
}

/**
 * Does the same for entries that are probably in their pages already. Reads the pages, strongly consistent, and writes only to
 * those that lack a member. A read costs a fifth of a write. A page that shows a later status of the record needs no earlier one,
 * because statuses only move forward.
 * @param besides the keys of other items to read with the pages, by names of their own
 * @returns those items that exist, by these names
 * @throws Error as `addIndexEntries`
 */
export async function addMissingEntries<Name extends string>(
  owner: Owner,
  entries: readonly IndexEntry[],
  besides?: Readonly<Partial<Record<Name, Key>>>,
): Promise<Partial<Record<Name, Item>>> {
  const additions = additionsOf(owner, entries);
  const others = Object.entries(besides ?? {}) as [Name, Key][];
  const keys = [...others.map(([, key]) => key), ...additions.map(({ key }) => key)];
  const limited = limitConcurrency(callsAtOnce);
  const reads: Promise<Item[]>[] = [];
  for (let start = 0; start < keys.length; start += itemsPerRead) {
    reads.push(limited(() => readItems(keys.slice(start, start + itemsPerRead))));
  }
  const items = new Map((await Promise.all(reads)).flat().map((item) => [nameOf(item as Item & Key), item]));
  await addAll(additions.flatMap((addition) => missingOf(addition, items.get(nameOf(addition.key))) ?? []));
  const found = others.map(([name, key]) => [name, items.get(nameOf(key))] as const);
  return Object.fromEntries(found.filter(([, item]) => item)) as Partial<Record<Name, Item>>;
}

async function addAll(additions: readonly PageAddition[]): Promise<void> {
  const limited = limitConcurrency(callsAtOnce);
  await Promise.all(additions.map((addition) => limited(() => addToPage(addition))));
}

const nameOf = ({ pk, sk }: Key) => `${pk} ${sk}`;

/** Returns the part of an addition that the page does not contain. Undefined if it contains all. */
function missingOf(addition: PageAddition, page: Item | undefined): PageAddition | undefined {
  const missing = new Map<string, Map<string, Uint8Array>>();
  for (const [set, members] of addition.sets) {
    const stored = setsFrom(set, addition.resource).flatMap((name) => binariesIn(page?.[name]));
    const texts = new Set(stored.map((member) => member.join()));
    const lacking = [...members].filter(([text]) => !texts.has(text));
    if (lacking.length > 0) missing.set(set, new Map(lacking));
  }
  return missing.size > 0 ? { ...addition, sets: missing } : undefined;
}

/** Returns the set of a status and those of all later statuses. A set of facts has no others. */
function setsFrom(set: string, resource: Resource): readonly string[] {
  const inOrder: readonly string[] = Object.values(indexStates[resource]);
  return inOrder.includes(set) ? inOrder.slice(inOrder.indexOf(set)) : [set];
}

/** The members to add to each set of one page, by their text, so that each is added once. */
interface PageAddition {
  readonly key: Key;
  readonly resource: Resource;
  readonly sets: Map<string, Map<string, Uint8Array>>;
}

function additionsOf(owner: Owner, entries: readonly IndexEntry[]): PageAddition[] {
  const additions = new Map<string, PageAddition>();
  const add = (key: Key, resource: Resource, set: string, member: Uint8Array) => {
    const name = nameOf(key);
    const addition: PageAddition = additions.get(name) ?? { key, resource, sets: new Map() };
    additions.set(name, addition);
    const added = addition.sets.get(set) ?? new Map<string, Uint8Array>();
    addition.sets.set(set, added.set(member.join(), member));
  };
  for (const entry of entries) {
    const set = setOf(entry);
    if (!set) throw new Error(`There is no index state ${entry.status} of ${entry.resource}.`);
    const members = [
      [set, Uint8Array.of(entry.seq % pageSize)] as const,
      ...(entry.facts ? factMembers(entry.seq, entry.facts) : []),
    ];
    for (const filterKey of ['', ...entry.filterKeys]) {
      const key = tableKeys.indexPage(owner, entry.resource, filterKey, Math.floor(entry.seq / pageSize));
      for (const [target, member] of members) add(key, entry.resource, target, member);
    }
    if (entry.facts && isPageBound(entry.seq)) {
      const {
        key,
        set: target,
        member,
      } = pageTimeOf(owner, entry.resource, entry.seq, entry.facts.createdAt);
      add(key, entry.resource, target, member);
    }
  }
  return [...additions.values()];
}

async function addToPage({ key, sets }: PageAddition): Promise<void> {
  const additions = [...sets].map(([set, members], index) => ({
    clause: `#set${index} :members${index}`,
    name: [`#set${index}`, set],
    value: [`:members${index}`, new Set(members.values())],
  }));
  await updateSets(
    {
      TableName: env.tableName(),
      Key: key,
      UpdateExpression: `ADD ${additions.map(({ clause }) => clause).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(additions.map(({ name }) => name)),
      ExpressionAttributeValues: Object.fromEntries(additions.map(({ value }) => value)),
    },
    Object.fromEntries([...sets.keys()].map((set) => [set, 'BS'])),
  );
}
