/**
 * Deletes what a sandbox without records still has: lists, documents, logos, mails, what asked for decisions, what came of rows of bank
 * statements, names of payments with credit, places of exports, events, the journal, deliveries, digests, keys and account states. The account states go last, because
 * the ids of records follow from them.
 */

import { isRecordId, modes, type Owner, type Resource } from '../../base/ids.ts';
import { statuses } from '../../base/statuses.ts';
import type { Instant } from '../../base/time.ts';
import { readListedKeys } from '../../domain/accounts/key-items.ts';
import { deleteLogos } from '../../domain/accounts/logo-store.ts';
import { readAuditMonth } from '../../domain/audit/audit-store.ts';
import { searchedDocument } from '../../domain/search/searched-events.ts';
import { deleteMembers } from '../../domain/users/member-store.ts';
import { tableHasher } from '../../platform/secrets/deployment-secret.ts';
import { deleteItems } from '../../store/batch-write.ts';
import { type Key, tableKeys } from '../../store/keys.ts';
import { queryPages } from '../../store/query-pages.ts';
import { openDecision, openDispute, searchEntriesOf, termLookup } from '../../store/search/search-entries.ts';
import { deleteAccountState, deleteCompanions, deletePartition, deleteStoredItem } from './sandbox-store.ts';

/** Deletes all items of the account but its profile. @param createdAt when the account was created */
export async function deleteRemains(account: string, createdAt: Instant, now: Instant): Promise<void> {
  await deleteCompanions(account);
  for (const mode of modes) {
    const owner = { account, mode };
    for (const id of await findEndpoints(owner, createdAt, now)) {
      await deletePartition(tableKeys.delivery(id, '').pk);
      await deleteItems([tableKeys.webhookHealth(id)]);
    }
    await deleteEvents(owner);
    for (const resource of Object.keys(statuses) as Resource[]) {
      await deletePartition(tableKeys.indexPage(owner, resource, '', 0).pk);
      await deletePartition(tableKeys.digest(owner, resource, 0).pk);
    }
    await deletePartition(tableKeys.erasure(owner, '').pk);
    await deleteDocuments(owner);
    await deleteMails(owner);
    for (const decision of [openDecision, openDispute]) {
      const { hash } = termLookup(await tableHasher(), decision);
      await deletePartition(tableKeys.searchEntry(owner, hash, 0, '').pk);
    }
    await deleteRowReferences(owner);
    await deletePartition(tableKeys.rowUse(owner, '').pk);
    await deletePartition(tableKeys.credit(owner, '', '', 0, '').pk);
    await deletePartition(tableKeys.exportSlot(owner, 1).pk);
    await deletePartition(tableKeys.series(owner, '', '').pk);
    await deletePartition(tableKeys.journalEntry(owner, 0).pk);
    await deletePartition(tableKeys.daySums(owner, 0, '').pk);
    await deleteItems([
      tableKeys.eventCursor(owner),
      tableKeys.webhookSends(owner),
      tableKeys.fullReconciliation(owner),
    ]);
    await deleteKeys(owner);
    await deleteAccountState(owner);
  }
  await deleteLogos(account);
  await deleteItems([tableKeys.seller(account)]);
  await deleteMembers(account);
}

/** Deletes the items of the references that are reserved for rows of bank statements. Those of other payments are beside them. */
async function deleteRowReferences(owner: Owner): Promise<void> {
  const pages = queryPages({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': tableKeys.rowUse(owner, '').pk },
  });
  for await (const items of pages)
    await deleteItems(
      items.flatMap(({ referenceHash }) =>
        typeof referenceHash === 'string' ? [tableKeys.bankReference(owner, referenceHash)] : [],
      ),
    );
}

/** Returns the ids of all endpoints that the account ever had. The audit log names them longer than the account exists. */
async function findEndpoints(owner: Owner, createdAt: Instant, now: Instant): Promise<Set<string>> {
  const ids = new Set<string>();
  const last = new Date(now);
  const month = new Date(createdAt);
  month.setUTCDate(1);
  month.setUTCHours(0, 0, 0, 0);
  for (; month <= last; month.setUTCMonth(month.getUTCMonth() + 1)) {
    for await (const { resource } of readAuditMonth(owner, month.getTime())) {
      if (resource !== null && isRecordId('webhook', resource)) ids.add(resource);
    }
  }
  return ids;
}

async function deleteEvents(owner: Owner): Promise<void> {
  const log = queryPages({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': tableKeys.event(owner, 0).pk },
  });
  for await (const events of log) {
    await deleteItems(events.map(({ id }) => tableKeys.eventPointer(String(id))));
    await deleteItems(events as unknown as Key[]);
  }
}

/** Deletes the documents, after the items by which a search finds their numbers. */
async function deleteDocuments(owner: Owner): Promise<void> {
  const { pk } = tableKeys.document(owner, '');
  const hash = await tableHasher();
  for await (const documents of queryPages({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': pk },
  })) {
    const numbers = documents as unknown as Parameters<typeof searchedDocument>[1][];
    await deleteItems(numbers.flatMap((each) => searchEntriesOf(hash, searchedDocument(owner, each))));
  }
  await deletePartition(pk);
}

/** Deletes the mails, after the items that name them, and what is known of their addresses. */
async function deleteMails(owner: Owner): Promise<void> {
  const { pk } = tableKeys.mail(owner, '');
  const invoices = new Set<string>();
  for await (const mails of queryPages({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': pk },
  }))
    for (const { invoiceId } of mails) if (invoiceId !== undefined) invoices.add(String(invoiceId));
  for (const invoice of invoices) await deletePartition(tableKeys.invoiceMail(invoice, '').pk);
  await deletePartition(pk);
  await deletePartition(tableKeys.mailAddress(owner, '').pk);
}

async function deleteKeys(owner: Owner): Promise<void> {
  for (const { key, keyHash } of await readListedKeys(owner)) {
    await deleteStoredItem(tableKeys.apiKey({ owner, keyHash }));
    await deleteStoredItem(key);
  }
  await deleteStoredItem(tableKeys.accountKeys(owner));
}
