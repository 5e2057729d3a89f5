/**
 * Narrows the partition key patterns to sandboxes, for the function that deletes them. Ids of sandboxes and of what they contain have
 * a mark (`shared/base/ids.ts`), so IAM can tell their partitions from those of other accounts.
 */
import { idPrefixes, sandboxMark } from '../shared/base/ids.ts';
import { type Partition, partitions } from './grants.ts';

type Patterns = readonly string[];

/** Replaces the wild card at the end of a pattern by one for ids with the mark. */
const marked = (pattern: `${string}*`, prefix = ''): string =>
  pattern.replace(/\*$/, `${prefix && `${prefix}_`}${sandboxMark}*`);
const ofAccounts = (pattern: `${string}#*`): Patterns => [marked(pattern, idPrefixes.account)];
const ofWebhooks = (pattern: `${string}#*`): Patterns => [marked(pattern, idPrefixes.webhook)];
const ofRecords = (pattern: `${string}_*`): Patterns => [marked(pattern)];

/** The patterns that match only items of sandboxes, by kind. A kind without them is in the partitions of all accounts. */
export const sandboxPartitions: Readonly<Partial<Record<Partition, Patterns>>> = {
  // Names sandboxes only.
  sandbox: [partitions.sandbox],
  outbox: [marked(partitions.outbox)],
  account: [`ACCOUNT#${idPrefixes.account}_${sandboxMark}${'?'.repeat(15)}`],
  accountState: [`ACCOUNT#${idPrefixes.account}_${sandboxMark}*#*`],
  userAccount: ['USERACCOUNTS#*#SANDBOXES'],
  apiKey: ofAccounts(partitions.apiKey),
  auditEntry: ofAccounts(partitions.auditEntry),
  deletedRecord: ofAccounts(partitions.deletedRecord),
  digest: ofAccounts(partitions.digest),
  document: ofAccounts(partitions.document),
  erasure: ofAccounts(partitions.erasure),
  event: ofAccounts(partitions.event),
  eventCursor: ofAccounts(partitions.eventCursor),
  journalEntry: ofAccounts(partitions.journalEntry),
  daySums: ofAccounts(partitions.daySums),
  indexPage: ofAccounts(partitions.indexPage),
  invoiceReference: ofAccounts(partitions.invoiceReference),
  bankReference: ofAccounts(partitions.bankReference),
  credit: ofAccounts(partitions.credit),
  searchEntry: ofAccounts(partitions.searchEntry),
  seller: ofAccounts(partitions.seller),
  series: ofAccounts(partitions.series),
  members: ofAccounts(partitions.members),
  webhook: ofAccounts(partitions.webhook),
  webhookSends: ofAccounts(partitions.webhookSends),
  mail: ofAccounts(partitions.mail),
  mailAddress: ofAccounts(partitions.mailAddress),
  invoiceMail: [marked(partitions.invoiceMail, idPrefixes.invoice)],
  invoice: ofRecords(partitions.invoice),
  payment: ofRecords(partitions.payment),
  refund: ofRecords(partitions.refund),
  customer: ofRecords(partitions.customer),
  product: ofRecords(partitions.product),
  draft: ofRecords(partitions.draft),
  statement: ofRecords(partitions.statement),
  schedule: ofRecords(partitions.schedule),
  rowUse: ofAccounts(partitions.rowUse),
  export: ofRecords(partitions.export),
  exportSlot: ofAccounts(partitions.exportSlot),
  eventPointer: [marked(partitions.eventPointer, idPrefixes.event)],
  delivery: ofWebhooks(partitions.delivery),
  webhookHealth: ofWebhooks(partitions.webhookHealth),
  testProvider: [
    marked(partitions.testProvider, idPrefixes.payment),
    marked(partitions.testProvider, idPrefixes.refund),
  ],
};

/** @throws Error if the keys of a kind do not show whether they are those of a sandbox */
export function patternsOfSandboxes(partition: Partition): Patterns {
  const patterns = sandboxPartitions[partition];
  if (!patterns) throw new Error(`The keys of ${partition} do not show which items are those of sandboxes.`);
  return patterns;
}
