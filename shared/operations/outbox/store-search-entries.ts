/** Stores the items by which a search finds the records of events. It can be repeated. */
import type { Owner } from '../../base/ids.ts';
import { entriesAfter } from '../../domain/search/searched-events.ts';
import { tableHasher } from '../../platform/secrets/deployment-secret.ts';
import { deleteItems, putItems } from '../../store/batch-write.ts';
import type { EventDraft } from '../../store/commit/outbox-item.ts';

/** Puts the items that lead to records after the events, and deletes those of former values. @param events oldest first */
export async function storeSearchEntries(
  owner: Owner,
  events: readonly Pick<EventDraft, 'type' | 'body'>[],
): Promise<void> {
  if (events.length === 0) return;
  const hash = await tableHasher();
  const changes = events.map((event) => entriesAfter(hash, owner, event));
  const nameOf = ({ pk, sk }: { readonly pk: string; readonly sk: string }) => `${pk} ${sk}`;
  const { account, mode } = owner;
  const puts = new Map<string, Parameters<typeof putItems>[0][number]>();
  const deletes = new Map<string, Parameters<typeof deleteItems>[0][number]>();
  // Of several changes of a record, the last one decides.
  for (const change of changes) {
    for (const key of change.deletes) {
      puts.delete(nameOf(key));
      deletes.set(nameOf(key), key);
    }
    for (const entry of change.puts) {
      deletes.delete(nameOf(entry));
      puts.set(nameOf(entry), { ...entry, account, mode });
    }
  }
  await Promise.all([putItems([...puts.values()]), deleteItems([...deletes.values()])]);
}
