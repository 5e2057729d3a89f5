/**
 * Erases the copies of a customer's records: the bodies of events, stored answers, and what receivers answered.
 *
 * - An event keeps its id, its position and its time. Attempts that are made later send the erased body.
 * - An idempotency record keeps its fingerprint, so a repetition is still recognized and gets the erased answer.
 */
import { isDeepStrictEqual } from 'node:util';
import { isRecordId, type Owner } from '../../base/ids.ts';
import { isEmailListKey } from '../../domain/customers/record.ts';
import type { EventBody } from '../../domain/events/event.ts';
import { entriesNamedBy } from '../../domain/search/searched-events.ts';
import type { DeliveryAttempt } from '../../domain/webhooks/delivery.ts';
import { type TableHash, tableHasher } from '../../platform/secrets/deployment-secret.ts';
import { deleteItems } from '../../store/batch-write.ts';
import { erasedText } from '../../store/field-erasure.ts';
import { itemKindOf } from '../../store/item-kinds.ts';
import { type Key, tableKeys } from '../../store/keys.ts';
import type { IndexEntry } from '../../store/lists/pages/index-pages.ts';
import { queryPages } from '../../store/query-pages.ts';
import type { Item } from '../../store/records.ts';
import { rewriteItem } from '../../store/rewrite-item.ts';
import { fromStoredText, type StoredText } from '../../store/stored-text.ts';
import { isDraftOf } from './drafts.ts';
import { scanCopies } from './erasure-store.ts';
import { isScheduleOf } from './schedules.ts';
import { type Erasure, eraseAttempts, eraseShown } from './transitions.ts';

/** The copies to erase. */
export interface CopiesOf {
  readonly owner: Owner;
  readonly erasure: Erasure;
  /** The customer, as an operator names it. */
  readonly customerId: string;
  /** The ids of the customer's invoices, payments and refunds, and of the deleted customers. */
  readonly ids: ReadonlySet<string>;
  /** The ids of the invoices whose mails are erased. */
  readonly mailed: ReadonlySet<string>;
  /** Nothing is written, and only the copies that would be erased are counted. */
  readonly dryRun: boolean;
}

type Attributes = Readonly<Record<string, unknown>>;

/** The resource of an event. */
type EventData = { readonly id: string; readonly invoiceId?: string };

/** Whether an event is about a record of the customer, or about a mail to the customer. */
const isOfCopies = ({ ids, mailed }: Pick<CopiesOf, 'ids' | 'mailed'>, { id, invoiceId = '' }: EventData) =>
  isRecordId('mail', id) ? mailed.has(invoiceId) : ids.has(id);

/** Returns the body of an event without personal data, or undefined if it needs no change. */
export function eraseEventBody(
  copies: Pick<CopiesOf, 'erasure' | 'ids' | 'mailed'>,
  text: string,
): string | undefined {
  const { erasure } = copies;
  const body = JSON.parse(text) as EventBody & { readonly data: EventData };
  const { data, previous } = body;
  if (!isOfCopies(copies, data)) return undefined;
  if (isRecordId('mail', data.id)) {
    const erased = JSON.stringify({ ...body, data: { ...data, to: erasedText } });
    return erased === text ? undefined : erased;
  }
  const erased = JSON.stringify({
    ...body,
    data: eraseShown(erasure, data.id, data),
    ...(previous && { previous: eraseShown(erasure, data.id, previous) }),
  });
  return erased === text ? undefined : erased;
}

/**
 * Erases the events in the log, also those that have expired and are not deleted yet.
 * @returns the number of events that changed, and the ids of all events of these records
 */
export async function eraseEvents(copies: CopiesOf): Promise<{ changed: number; eventIds: Set<string> }> {
  const eventIds = new Set<string>();
  const hash = await tableHasher();
  let changed = 0;
  const log = queryPages({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': tableKeys.event(copies.owner, 0).pk },
  });
  for await (const items of log) {
    for (const item of items) {
      const { data } = JSON.parse(fromStoredText(item.body as StoredText)) as { data: EventData };
      if (!isOfCopies(copies, data)) continue;
      eventIds.add(String(item.id));
      await deleteSearchEntries(copies, hash, item);
      const plan = ({ body }: Item) => {
        const erased = eraseEventBody(copies, fromStoredText(body as StoredText));
        return erased === undefined ? undefined : { body: erased };
      };
      if (await change(copies, item, plan)) changed += 1;
    }
  }
  return { changed, eventIds };
}

/** Deletes the items that lead to records by what the erasure removes from an event. The relay of the event has stored them. */
async function deleteSearchEntries(copies: CopiesOf, hash: TableHash, item: Item): Promise<void> {
  const body = fromStoredText(item.body as StoredText);
  const erased = eraseEventBody(copies, body);
  if (copies.dryRun || erased === undefined) return;
  const { type } = JSON.parse(body) as EventBody;
  const left = new Set(entriesNamedBy(hash, copies.owner, { type, body: erased }).map(({ pk }) => pk));
  await deleteItems(entriesNamedBy(hash, copies.owner, { type, body }).filter(({ pk }) => !left.has(pk)));
}

/**
 * Erases stored answers and the answers of receivers. Reads the whole table, because no key leads to a stored answer.
 * @param eventIds the ids of the events of the customer's records
 * @param onProgress shows how much of the table was read
 */
export async function eraseAnswers(
  copies: CopiesOf,
  eventIds: ReadonlySet<string>,
  onProgress: (text: string) => void,
): Promise<{ answers: number; deliveries: number }> {
  const changed = { answers: 0, deliveries: 0 };
  let read = 0;
  for await (const { items, scanned } of scanCopies(copies.owner)) {
    read += scanned;
    onProgress(`Reading the table: ${read} items.`);
    for (const item of items) {
      const isAnswer = itemKindOf(item as unknown as Key) === 'idempotency';
      const plan = (current: Item) =>
        isAnswer ? planAnswer(copies, eventIds, current) : planDelivery(eventIds, current);
      if (await change(copies, item, plan)) changed[isAnswer ? 'answers' : 'deliveries'] += 1;
    }
  }
  return changed;
}

const change = ({ dryRun }: CopiesOf, item: Item, plan: (item: Item) => Attributes | undefined) =>
  dryRun ? plan(item) !== undefined : rewriteItem(item, plan);

/** Plans the change of an idempotency record. A pending operation has no answer, and an encrypted one shows an endpoint. */
function planAnswer(
  { erasure, ids, mailed, customerId }: CopiesOf,
  eventIds: ReadonlySet<string>,
  { body, confidential, indexEntries }: Item,
): Attributes | undefined {
  if (body === undefined || confidential) return undefined;
  const text = fromStoredText(body as StoredText);
  const answer = JSON.parse(text) as Attributes & { id?: string; eventId?: string; invoiceId?: string };
  if (eventIds.has(answer.eventId ?? '')) {
    const attempts = eraseAttempts((answer.attempts ?? []) as DeliveryAttempt[]);
    return changesOf({ body: text }, { body: JSON.stringify({ ...answer, attempts }) });
  }
  const { id = '', invoiceId = '' } = answer;
  if (isRecordId('mail', id) && mailed.has(invoiceId))
    return changesOf({ body: text }, { body: JSON.stringify({ ...answer, to: erasedText }) });
  if (!ids.has(id) && !isDraftOf(answer, customerId) && !isScheduleOf(answer, customerId)) return undefined;
  const entries = (indexEntries as IndexEntry[]).map(({ filterKeys, ...entry }) => ({
    ...entry,
    filterKeys: filterKeys
      .filter((key) => !isEmailListKey(key))
      .map((key) => (key === erasure.from ? erasure.to : key)),
  }));
  return changesOf(
    { body: text, indexEntries },
    { body: JSON.stringify(eraseShown(erasure, id, answer)), indexEntries: entries },
  );
}

function planDelivery(eventIds: ReadonlySet<string>, { eventId, attempts }: Item): Attributes | undefined {
  if (!eventIds.has(String(eventId))) return undefined;
  return changesOf({ attempts }, { attempts: eraseAttempts(attempts as DeliveryAttempt[]) });
}

/** Returns the new values if any of them differs. */
function changesOf<T extends Attributes>(before: T, after: T): T | undefined {
  return isDeepStrictEqual(before, after) ? undefined : after;
}
