/**
 * Names the kinds of items in the table, and the number of each kind's schema.
 *
 * - A release that adds an attribute keeps the number, because other releases keep attributes that they do not know.
 * - A release that stores an attribute in another form raises the number, writes it in the attribute `schema`, and adds a
 *   migration. An item without this attribute has schema 1.
 */
import { idPrefixes, type Resource } from '../ids.ts';
import type { Key, tableKeys } from './keys.ts';
import type { Item } from './records.ts';

/** A kind for each entry of `tableKeys`. The records of each resource and the checkouts are kinds of their own. */
export type ItemKind = Exclude<keyof typeof tableKeys, 'record'> | Resource | 'checkout';

interface KindDefinition {
  /** The beginning of the partition key and of the sort key. No two kinds have the same. */
  readonly prefixes: readonly [pk: string, sk: string];
  /** The number of the schema that this release writes. */
  readonly schema: number;
}

const definitions: Readonly<Record<ItemKind, KindDefinition>> = {
  account: { prefixes: ['ACCOUNT#', 'PROFILE'], schema: 1 },
  accountDirectory: { prefixes: ['ACCOUNTS', ''], schema: 1 },
  accountKey: { prefixes: ['ACCOUNT#', 'KEY#'], schema: 1 },
  accountState: { prefixes: ['ACCOUNT#', 'HEAD'], schema: 1 },
  apiKey: { prefixes: ['KEY#', 'KEY'], schema: 1 },
  attempts: { prefixes: ['ATTEMPTS#', 'ATTEMPTS'], schema: 1 },
  auditEntry: { prefixes: ['AUDIT#', 'aud_'], schema: 1 },
  customer: { prefixes: [`${idPrefixes.customer}_`, 'RECORD'], schema: 1 },
  connection: { prefixes: ['PROVIDER#', ''], schema: 1 },
  checkout: { prefixes: [`${idPrefixes.checkout}_`, 'RECORD'], schema: 1 },
  deletedRecord: { prefixes: ['SANDBOX#', ''], schema: 1 },
  delivery: { prefixes: ['DELIVERIES#', ''], schema: 1 },
  digest: { prefixes: ['DIGEST#', 'PAGE#'], schema: 1 },
  erasure: { prefixes: ['ERASURE#', ''], schema: 1 },
  event: { prefixes: ['EVENTS#', ''], schema: 1 },
  eventCursor: { prefixes: ['EVENTCURSOR#', 'CURSOR'], schema: 1 },
  eventPointer: { prefixes: ['EVENT#', 'EVENT'], schema: 1 },
  foldRequest: { prefixes: ['FOLDS', ''], schema: 1 },
  fullReconciliation: { prefixes: ['DIGEST#', 'FULL'], schema: 1 },
  idempotency: { prefixes: ['IDEMPOTENCY#', 'IDEMPOTENCY'], schema: 1 },
  indexPage: { prefixes: ['INDEX#', 'PAGE#'], schema: 1 },
  invoice: { prefixes: [`${idPrefixes.invoice}_`, 'RECORD'], schema: 1 },
  invoiceReference: { prefixes: ['INVOICEREFERENCE#', 'REFERENCE'], schema: 1 },
  keySigners: { prefixes: ['KEYSIGNERS', 'KEYSIGNERS'], schema: 1 },
  maintenance: { prefixes: ['MAINTENANCE', ''], schema: 1 },
  members: { prefixes: ['MEMBERS#', 'MEMBERS'], schema: 1 },
  migrationProgress: { prefixes: ['MIGRATION', 'PROGRESS'], schema: 1 },
  outbox: { prefixes: ['OUTBOX#', ''], schema: 1 },
  payment: { prefixes: [`${idPrefixes.payment}_`, 'RECORD'], schema: 1 },
  providerPayment: { prefixes: ['PROVIDERPAYMENT#', 'PAYMENT'], schema: 1 },
  reconciliation: { prefixes: ['RECONCILIATION#', ''], schema: 1 },
  refund: { prefixes: [`${idPrefixes.refund}_`, 'RECORD'], schema: 1 },
  sandbox: { prefixes: ['SANDBOXES', ''], schema: 1 },
  session: { prefixes: ['SESSION#', 'SESSION'], schema: 1 },
  source: { prefixes: ['SOURCE#', 'SOURCE'], schema: 1 },
  testProvider: { prefixes: ['TESTPROVIDER#', 'TESTPROVIDER'], schema: 1 },
  timer: { prefixes: ['TIMER#', ''], schema: 1 },
  userAccount: { prefixes: ['USERACCOUNTS#', ''], schema: 1 },
  userSession: { prefixes: ['USERSESSIONS#', ''], schema: 1 },
  volume: { prefixes: ['INDEX#', 'VOLUME#'], schema: 1 },
  volumeCurrencies: { prefixes: ['INDEX#', 'CURRENCIES#'], schema: 1 },
  volumeTimes: { prefixes: ['INDEX#', 'CREATED#'], schema: 1 },
  volumeTotals: { prefixes: ['INDEX#', 'VOLUMES#'], schema: 1 },
  watermark: { prefixes: ['SWEEP', 'WATERMARK'], schema: 1 },
  webhook: { prefixes: ['WEBHOOKS#', ''], schema: 1 },
  webhookHealth: { prefixes: ['WEBHOOKHEALTH#', 'HEALTH'], schema: 1 },
  webhookSends: { prefixes: ['WEBHOOKSENDS#', 'SENDS'], schema: 1 },
};

const kinds = Object.entries(definitions) as [ItemKind, KindDefinition][];

/** Returns the kind of the item with that key, or undefined if this release does not know it. */
export function itemKindOf({ pk, sk }: Key): ItemKind | undefined {
  return kinds.find(([, { prefixes }]) => pk.startsWith(prefixes[0]) && sk.startsWith(prefixes[1]))?.[0];
}

/** Returns the number of the schema in which an item is stored. */
export function schemaNumberOf({ schema = 1 }: Item): number {
  return schema as number;
}

/** Returns the number of the schema in which this release writes items of a kind. */
export function currentSchemaNumber(kind: ItemKind): number {
  return definitions[kind].schema;
}
