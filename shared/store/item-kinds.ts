/** Names the kinds of items in the table. */
import { idPrefixes, type Resource } from '../base/ids.ts';
import type { Key, tableKeys } from './keys.ts';

/** A kind for each entry of `tableKeys`. The records of each resource and the checkouts are kinds of their own. */
export type ItemKind = Exclude<keyof typeof tableKeys, 'record'> | Resource | 'checkout';

/** The beginning of a partition key and of a sort key. */
type KeyPrefixes = readonly [pk: string, sk: string];

/** The prefixes of each kind. No two kinds have the same. */
const prefixes: Readonly<Record<ItemKind, KeyPrefixes>> = {
  account: ['ACCOUNT#', 'PROFILE'],
  accountDirectory: ['ACCOUNTS', ''],
  accountKeys: ['ACCOUNT#', 'KEYS'],
  accountKey: ['ACCOUNT#', 'KEY#'],
  accountState: ['ACCOUNT#', 'STATE'],
  apiKey: ['KEY#', 'KEY'],
  attempts: ['ATTEMPTS#', 'ATTEMPTS'],
  auditEntry: ['AUDIT#', 'aud_'],
  auditHead: ['AUDITHEAD#', 'HEAD'],
  bankReference: ['BANKREFERENCE#', 'REFERENCE'],
  credit: ['CREDITS#', ''],
  customer: [`${idPrefixes.customer}_`, 'RECORD'],
  connection: ['PROVIDER#', ''],
  checkout: [`${idPrefixes.checkout}_`, 'RECORD'],
  deletedRecord: ['SANDBOX#', ''],
  document: ['DOCUMENTS#', ''],
  draft: [`${idPrefixes.draft}_`, 'RECORD'],
  journalFold: ['SUMS#', 'FOLD#'],
  daySums: ['SUMS#', ''],
  delivery: ['DELIVERIES#', ''],
  digest: ['DIGEST#', 'PAGE#'],
  erasure: ['ERASURE#', ''],
  event: ['EVENTS#', ''],
  eventCursor: ['EVENTCURSOR#', 'CURSOR'],
  eventPointer: ['EVENT#', 'EVENT'],
  export: [`${idPrefixes.export}_`, 'RECORD'],
  exportSlot: ['EXPORTS#', 'SLOT#'],
  foldRequest: ['FOLDS', ''],
  fullReconciliation: ['DIGEST#', 'FULL'],
  idempotency: ['IDEMPOTENCY#', 'IDEMPOTENCY'],
  indexPage: ['INDEX#', 'PAGE#'],
  invoice: [`${idPrefixes.invoice}_`, 'RECORD'],
  invoiceNumber: [`${idPrefixes.invoice}_`, 'NUMBER'],
  invoiceReference: ['INVOICEREFERENCE#', 'REFERENCE'],
  invoiceMail: ['MAIL#', ''],
  journalEntry: ['JOURNAL#', ''],
  mail: ['MAILS#', ''],
  mailSuppression: ['MAILADDRESSES#', 'SUPPRESSION#'],
  mailAddress: ['MAILADDRESSES#', ''],
  maintenance: ['MAINTENANCE', ''],
  members: ['MEMBERS#', 'MEMBERS'],
  outbox: ['OUTBOX#', ''],
  product: [`${idPrefixes.product}_`, 'RECORD'],
  payment: [`${idPrefixes.payment}_`, 'RECORD'],
  providerReference: ['PROVIDERREFERENCE#', 'REFERENCE'],
  reconciliation: ['RECONCILIATION#', ''],
  refund: [`${idPrefixes.refund}_`, 'RECORD'],
  rowUse: ['STATEMENTS#', `${idPrefixes.statementRow}_`],
  sandbox: ['SANDBOXES', ''],
  searchEntry: ['SEARCH#', ''],
  seller: ['SELLER#', 'SELLER'],
  series: ['SERIES#', ''],
  setAside: ['SETASIDE', ''],
  signingKey: ['SIGNINGKEYS', ''],
  session: ['SESSION#', 'SESSION'],
  source: ['SOURCE#', 'SOURCE'],
  schedule: [`${idPrefixes.schedule}_`, 'RECORD'],
  scheduleTemplate: [`${idPrefixes.schedule}_`, 'TEMPLATE'],
  occurrence: [`${idPrefixes.schedule}_`, 'OCCURRENCE#'],
  statement: [`${idPrefixes.statement}_`, 'RECORD'],
  statementContent: ['STATEMENTS#', 'CONTENT#'],
  statementRows: [`${idPrefixes.statement}_`, 'ROWS'],
  testProvider: ['TESTPROVIDER#', 'TESTPROVIDER'],
  timer: ['TIMER#', ''],
  userAccount: ['USERACCOUNTS#', ''],
  userSession: ['USERSESSIONS#', ''],
  volume: ['INDEX#', 'VOLUME#'],
  volumeCurrencies: ['INDEX#', 'CURRENCIES#'],
  volumeTimes: ['INDEX#', 'CREATED#'],
  volumeTotals: ['INDEX#', 'VOLUMES#'],
  waitingRow: ['STATEMENTS#', 'WAITING#'],
  watermark: ['SWEEP', 'WATERMARK'],
  webhook: ['WEBHOOKS#', ''],
  webhookHealth: ['WEBHOOKHEALTH#', 'HEALTH'],
  webhookSends: ['WEBHOOKSENDS#', 'SENDS'],
};

const kinds = Object.entries(prefixes) as [ItemKind, KeyPrefixes][];

/** Returns the kind of the item with that key, or undefined if this release does not know it. */
export function itemKindOf({ pk, sk }: Key): ItemKind | undefined {
  return kinds.find(([, [pkPrefix, skPrefix]]) => pk.startsWith(pkPrefix) && sk.startsWith(skPrefix))?.[0];
}
