/**
 * Lists the permissions of each function: the table actions on each kind of item, access to account states and secrets,
 * and the queues that it sends to.
 *
 * - A function has no other permission. A test compares the grants with the calls that the functions make.
 * - A handler of `shared/api/routes.ts` or `triggers.ts` without an entry is a type error.
 */

import type { routes } from '../shared/api/routes.ts';
import { idPrefixes, type Resource } from '../shared/base/ids.ts';
import type { QueueName } from '../shared/base/queues.ts';
import { mailSettingAttributes, sellerSettingAttributes } from '../shared/domain/accounts/account.ts';
import {
  allocating,
  allocatingIfOpen,
  authorizing,
  changingKeys,
  comparingEntries,
  counting,
  deletingStates,
  guardOfKeys,
  keptKeySettings,
  keySettings,
  listingKeys,
  movingClock,
  puttingKeys,
  puttingReplacements,
  readingClock,
  readingClockForLists,
  readingEntries,
  readingNumbers,
  readingSeller,
  readingUsage,
  replacedKey,
  resettingClock,
  showingClock,
  summarizingKeys,
  writingSeller,
} from './account-state-access.ts';
import type { AttributeAccess } from './attribute-access.ts';
import type { bucketPrefixes } from './bucket-prefixes.ts';
import type { triggers } from './triggers.ts';

/** The partition keys of each kind of item as IAM patterns. `shared/store/keys.ts` defines the keys. */
export const partitions = {
  directory: 'ACCOUNTS',
  sandbox: 'SANDBOXES',
  deletedRecord: 'SANDBOX#*',
  erasure: 'ERASURE#*',
  /**
   * An account's profile. Account ids have exactly 16 characters after the prefix, so this pattern does not match the
   * longer keys of account states.
   */
  account: `ACCOUNT#${idPrefixes.account}_${'?'.repeat(16)}`,
  accountState: 'ACCOUNT#*#*',
  seller: 'SELLER#*',
  apiKey: 'KEY#*',
  source: 'SOURCE#*',
  attempts: 'ATTEMPTS#*',
  testProvider: 'TESTPROVIDER#*',
  connection: 'PROVIDER#*',
  checkout: `${idPrefixes.checkout}_*`,
  providerReference: 'PROVIDERREFERENCE#*',
  invoice: `${idPrefixes.invoice}_*`,
  invoiceReference: 'INVOICEREFERENCE#*',
  bankReference: 'BANKREFERENCE#*',
  /** Names the payments with credit. */
  credit: 'CREDITS#*',
  searchEntry: 'SEARCH#*',
  series: 'SERIES#*',
  document: 'DOCUMENTS#*',
  mail: 'MAILS#*',
  mailAddress: 'MAILADDRESSES#*',
  invoiceMail: 'MAIL#*',
  payment: `${idPrefixes.payment}_*`,
  refund: `${idPrefixes.refund}_*`,
  customer: `${idPrefixes.customer}_*`,
  product: `${idPrefixes.product}_*`,
  draft: `${idPrefixes.draft}_*`,
  /** Its invoice, and what came of its times, are beside its record. */
  schedule: `${idPrefixes.schedule}_*`,
  statement: `${idPrefixes.statement}_*`,
  rowUse: 'STATEMENTS#*',
  export: `${idPrefixes.export}_*`,
  exportSlot: 'EXPORTS#*',
  indexPage: 'INDEX#*',
  foldRequest: 'FOLDS',
  idempotency: 'IDEMPOTENCY#*',
  outbox: 'OUTBOX#*',
  event: 'EVENTS#*',
  eventPointer: 'EVENT#*',
  journalEntry: 'JOURNAL#*',
  daySums: 'SUMS#*',
  eventCursor: 'EVENTCURSOR#*',
  webhook: 'WEBHOOKS#*',
  webhookHealth: 'WEBHOOKHEALTH#*',
  webhookSends: 'WEBHOOKSENDS#*',
  delivery: 'DELIVERIES#*',
  timer: 'TIMER#*',
  watermark: 'SWEEP',
  setAside: 'SETASIDE',
  reconciliation: 'RECONCILIATION#*',
  digest: 'DIGEST#*',
  auditEntry: 'AUDIT#*',
  auditHead: 'AUDITHEAD#*',
  session: 'SESSION#*',
  userSession: 'USERSESSIONS#*',
  userAccount: 'USERACCOUNTS#*',
  members: 'MEMBERS#*',
  signingKey: 'SIGNINGKEYS',
} as const;

export type Partition = keyof typeof partitions;

/** The table actions. A transaction needs the permissions of its parts and no permission of its own. */
export type TableAction =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'BatchWriteItem'
  | 'ConditionCheckItem';

export type TableAccess = Partial<Record<GrantedPartition, readonly TableAction[]>>;

/** The kinds of items that `Grant.table` can name. Access to account states is limited to attributes. */
export type GrantedPartition = Exclude<Partition, 'accountState'>;

/** The actions on objects of the bucket. A link that reads an object needs `GetObject`, and one that stores it `PutObject`. */
export type BucketAction = 'GetObject' | 'PutObject' | 'DeleteObject' | 'ListBucket';

/** The kinds of objects of the bucket, with the actions on them. */
export type BucketAccess = Partial<Record<keyof typeof bucketPrefixes, readonly BucketAction[]>>;

export interface Grant {
  readonly table: TableAccess;
  readonly accountState?: readonly AttributeAccess[];
  readonly bucket?: BucketAccess;
  /** Limits `table`, `accountState` and `bucket` to what sandboxes have. */
  readonly onlySandboxes?: true;
  /** The secrets that the function reads. */
  readonly secrets?: readonly SecretName[];
  /** Lists the connections to payment providers, without their encrypted credentials. */
  readonly listsConnections?: true;
  /** Stores when a session was used, and changes nothing else of it. */
  readonly usesSession?: true;
  /** Changes these attributes of an account's profile, and no other, such as the plan. */
  readonly changesSettings?: readonly string[];
  /** Numbers invoices: puts what their documents are beside their records, and cannot put a record. */
  readonly numbersInvoices?: true;
  /** Creates users in the user pool of the deployment, if it has one. */
  readonly createsUsers?: true;
  /** Returns or sends URLs of the service: those of payment pages, and those of the docs in errors. */
  readonly payUrlBase?: true;
  /** Tells strangers how to report a vulnerability. */
  readonly securityContact?: true;
  /**
   * Sends requests to webhook endpoints or checks their addresses, so it must recognize private addresses and the service's
   * own address.
   */
  readonly callsReceivers?: true;
  /** Knows the targets in AWS to which webhook endpoints can send, or sends to them. */
  readonly eventTargets?: 'knows' | 'sendsTo';
  /** Knows the address from which mails come. */
  readonly mailFrom?: true;
  /** Sends mails through Amazon SES from that address. */
  readonly sendsMail?: true;
  readonly sendsTo?: readonly QueueName[];
}

/**
 * `deployment`: checks of API keys, fingerprints and hashes. `webhooks`: the encryption of webhook secrets. `keys`: the
 * encryption of answers with values of API keys. `providers`: the encryption of credentials of payment providers. `audit`: the
 * seals of the audit log. `signing`: the signatures of sessions and members.
 */
export type SecretName = 'deployment' | 'webhooks' | 'keys' | 'providers' | 'audit' | 'signing';

export type HandlerFile =
  | (typeof routes)[keyof typeof routes]['handler']
  | (typeof triggers)[keyof typeof triggers]['handler'];

/** For every API request: reads what the key allows, or counts the request against its address. */
const authorization: TableAccess = { apiKey: ['GetItem'], source: ['UpdateItem'] };
/** For the commit of a request, without the access to records. */
const change: TableAccess = {
  outbox: ['PutItem'],
  idempotency: ['GetItem', 'PutItem'],
};
/** For a change that lists must show. */
const listing: TableAccess = { indexPage: ['UpdateItem'] };
/** For a list that asks to be folded. */
const askingToFold: TableAccess = { foldRequest: ['UpdateItem'] };
/** For the worker that moves the entries of index pages to volumes. */
const folding: TableAccess = {
  indexPage: ['BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
  foldRequest: ['UpdateItem', 'DeleteItem'],
};
/** For a card payment: the pending operation, the provider and the outcome. */
const cardPayment: TableAccess = {
  ...change,
  ...listing,
  invoice: ['GetItem', 'PutItem', 'ConditionCheckItem'],
  payment: ['GetItem', 'PutItem'],
  testProvider: ['PutItem', 'UpdateItem'],
};
/** For work that cannot be read. The item that is set aside is deleted with the grant for its kind. */
const settingAside: TableAccess = { setAside: ['PutItem'] };
/** For a worker that sets the next timer before it completes the current one. */
const rescheduling: TableAccess = {
  ...settingAside,
  timer: ['PutItem', 'DeleteItem'],
  watermark: ['GetItem', 'PutItem'],
};
/** For the relay of an outbox item: its index entries, events, deliveries and timers. */
const relaying: TableAccess = {
  ...settingAside,
  indexPage: ['BatchGetItem', 'UpdateItem'],
  eventCursor: ['BatchGetItem', 'UpdateItem'],
  event: ['Query', 'PutItem'],
  eventPointer: ['PutItem'],
  journalEntry: ['Query', 'PutItem'],
  daySums: ['UpdateItem'],
  searchEntry: ['BatchWriteItem'],
  webhook: ['Query', 'GetItem', 'BatchGetItem'],
  delivery: ['PutItem'],
  timer: ['PutItem', 'DeleteItem', 'BatchWriteItem'],
  watermark: ['GetItem', 'PutItem'],
  outbox: ['Query', 'BatchWriteItem', 'DeleteItem'],
  auditEntry: ['PutItem'],
  auditHead: ['BatchGetItem', 'PutItem'],
  // For the documents and mails that follow from changes. The number of an invoice is beside its record.
  account: ['BatchGetItem', 'GetItem'],
  seller: ['BatchGetItem'],
  customer: ['BatchGetItem'],
  invoice: ['BatchGetItem'],
  series: ['BatchGetItem', 'UpdateItem'],
  document: ['BatchGetItem', 'PutItem'],
};

/** For a function that pays with credit of customers. */
const usingCredit: TableAccess = {
  payment: ['GetItem', 'BatchGetItem', 'PutItem'],
  credit: ['Query', 'DeleteItem'],
};
/** For a function that settles checkouts: it asks the provider, and writes payment, invoice and checkout. */
const settlingCheckouts: TableAccess = {
  ...listing,
  connection: ['GetItem'],
  checkout: ['GetItem', 'PutItem'],
  providerReference: ['PutItem'],
  payment: ['GetItem', 'PutItem'],
  invoice: ['GetItem', 'PutItem', 'ConditionCheckItem'],
  outbox: ['PutItem'],
};
/** For a function that advances a clock of test mode. */
export const advancingClock: TableAccess = {
  account: ['GetItem'],
  indexPage: ['Query', 'UpdateItem'],
  invoice: ['BatchGetItem', 'GetItem', 'PutItem'],
  payment: ['BatchGetItem', 'GetItem'],
  refund: ['BatchGetItem', 'GetItem'],
  schedule: ['BatchGetItem', 'GetItem'],
  mail: ['GetItem'],
  invoiceMail: ['GetItem'],
  outbox: ['PutItem', 'Query'],
  webhook: ['Query'],
  delivery: ['Query', 'GetItem', 'PutItem'],
  timer: ['GetItem', 'PutItem', 'BatchWriteItem', 'DeleteItem'],
  watermark: ['GetItem', 'PutItem'],
};
/** For a function that sets the timer of a checkout for now. */
const hinting: TableAccess = { timer: ['PutItem', 'DeleteItem'], watermark: ['GetItem', 'PutItem'] };

/** For a function that makes PDFs with logos, and links to those that are too large for a response. */
const readingPdf: BucketAccess = { logo: ['GetObject'], pdf: ['GetObject', 'PutObject'] };
/** For the deletion of sandboxes that have ended. The grant is limited to their items. */
const deletingSandboxes: TableAccess = {
  journalEntry: ['Query', 'BatchWriteItem'],
  daySums: ['Query', 'BatchWriteItem'],
  sandbox: ['Query', 'UpdateItem', 'DeleteItem'],
  deletedRecord: ['Query', 'PutItem', 'BatchWriteItem'],
  account: ['GetItem', 'UpdateItem', 'ConditionCheckItem'],
  seller: ['BatchWriteItem'],
  apiKey: ['UpdateItem', 'DeleteItem'],
  auditEntry: ['Query'],
  members: ['GetItem', 'DeleteItem'],
  userAccount: ['DeleteItem'],
  // The numbers of invoices are beside their records.
  invoice: ['BatchGetItem', 'DeleteItem', 'BatchWriteItem'],
  series: ['Query', 'BatchWriteItem'],
  document: ['Query', 'BatchWriteItem'],
  mail: ['Query', 'BatchWriteItem'],
  mailAddress: ['Query', 'BatchWriteItem'],
  invoiceMail: ['Query', 'BatchWriteItem'],
  payment: ['BatchGetItem', 'DeleteItem'],
  refund: ['BatchGetItem', 'DeleteItem'],
  customer: ['BatchGetItem', 'DeleteItem'],
  product: ['BatchGetItem', 'DeleteItem'],
  draft: ['BatchGetItem', 'DeleteItem'],
  schedule: ['BatchGetItem', 'DeleteItem', 'BatchWriteItem'],
  // The rows of a statement are beside its record.
  statement: ['BatchGetItem', 'DeleteItem', 'BatchWriteItem'],
  rowUse: ['Query', 'BatchWriteItem'],
  export: ['BatchGetItem', 'DeleteItem'],
  exportSlot: ['Query', 'BatchWriteItem'],
  webhook: ['Query', 'DeleteItem'],
  outbox: ['Query', 'PutItem'],
  delivery: ['Query', 'BatchWriteItem'],
  webhookHealth: ['BatchWriteItem'],
  webhookSends: ['BatchWriteItem'],
  event: ['Query', 'BatchWriteItem'],
  eventPointer: ['BatchWriteItem'],
  eventCursor: ['BatchWriteItem'],
  indexPage: ['Query', 'BatchWriteItem'],
  digest: ['Query', 'BatchWriteItem'],
  erasure: ['Query', 'BatchWriteItem'],
  invoiceReference: ['BatchWriteItem'],
  bankReference: ['BatchWriteItem'],
  credit: ['Query', 'BatchWriteItem'],
  searchEntry: ['Query', 'BatchWriteItem'],
  testProvider: ['BatchWriteItem'],
};

/** The grant of an API function. */
const api = (...table: TableAccess[]): Grant => ({
  table: mergeAccess(authorization, ...table),
  accountState: [authorizing()],
  secrets: ['deployment'],
  payUrlBase: true,
});
/** For the commit of a request that changes API keys, without the access to keys. */
const withAnswer: TableAccess = { idempotency: ['GetItem', 'PutItem'], outbox: ['PutItem'] };
/** The grant of an API function that creates a record with a number. */
const creatingApi = (resource: Resource, ...table: TableAccess[]): Grant => ({
  ...api(...table),
  accountState: [authorizing(resource)],
});
/**
 * The grant of an API function that changes API keys. Other functions of the API cannot write their own items. The right to count
 * requests includes the entries of keys.
 */
const keyApi = (accesses: readonly AttributeAccess[], ...table: TableAccess[]): Grant => ({
  ...api(withAnswer, ...table),
  accountState: [authorizing(), readingEntries, listingKeys, ...accesses],
});
/** Finds records by what people know of them. */
export const searchingTerms: TableAccess = {
  searchEntry: ['Query'],
  invoiceReference: ['GetItem'],
  indexPage: ['Query'],
  invoice: ['BatchGetItem'],
  payment: ['BatchGetItem'],
  refund: ['BatchGetItem'],
  customer: ['BatchGetItem'],
};

/** Finds records by their IDs alone. */
export const searchingIds: TableAccess = {
  draft: ['GetItem'],
  schedule: ['GetItem'],
  document: ['GetItem'],
  mail: ['GetItem'],
  product: ['GetItem'],
  statement: ['GetItem', 'BatchGetItem', 'Query'],
  rowUse: ['GetItem'],
  export: ['GetItem'],
  webhook: ['GetItem', 'Query'],
  delivery: ['BatchGetItem'],
  event: ['GetItem'],
  eventPointer: ['GetItem'],
  auditEntry: ['GetItem'],
};

/** The grant of an API function that lists or shows API keys. */
const keyReader: Grant = { ...api(), accountState: [authorizing(), readingEntries, listingKeys] };
/** Adds the secret that encrypts stored answers with the value of a key. */
const withValues = (grant: Grant): Grant => ({ ...grant, secrets: [...(grant.secrets ?? []), 'keys'] });
/** The grant of an API function that voids the open checkout of an invoice before it changes the invoice. */
const voidingApi = (...table: TableAccess[]): Grant => ({
  ...api(settlingCheckouts, ...table),
  accountState: [authorizing(), allocating('payment')],
  secrets: ['deployment', 'providers'],
});
/** The grant of an API function that encrypts or decrypts secrets of webhook endpoints. */
const webhookApi = (...table: TableAccess[]): Grant => ({
  ...api(...table),
  secrets: ['deployment', 'webhooks'],
});

export const grants: Readonly<Record<HandlerFile, Grant>> = {
  'functions/invoices/list.ts': api(askingToFold, {
    indexPage: ['Query', 'UpdateItem'],
    invoice: ['BatchGetItem', 'GetItem'],
    invoiceReference: ['GetItem'],
    searchEntry: ['Query'],
  }),
  'functions/invoices/create.ts': {
    ...creatingApi('invoice', change, listing, {
      invoice: ['GetItem', 'PutItem'],
      invoiceReference: ['PutItem'],
      account: ['GetItem'],
      customer: ['GetItem'],
      product: ['BatchGetItem'],
      seller: ['GetItem'],
      ...usingCredit,
      // Another request can use the credit meanwhile.
      payment: ['GetItem', 'BatchGetItem', 'PutItem', 'ConditionCheckItem'],
    }),
    accountState: [authorizing('invoice'), allocating('payment')],
    listsConnections: true,
    mailFrom: true,
  },
  'functions/invoices/list-documents.ts': api({ invoice: ['GetItem'], document: ['BatchGetItem'] }),
  'functions/invoices/send.ts': {
    ...api(change, {
      invoice: ['GetItem', 'ConditionCheckItem'],
      payment: ['GetItem'],
      refund: ['GetItem'],
      account: ['GetItem'],
      customer: ['GetItem'],
      mail: ['PutItem'],
      invoiceMail: ['PutItem'],
      attempts: ['UpdateItem'],
    }),
    mailFrom: true,
  },
  'functions/invoices/list-mails.ts': api({
    invoice: ['GetItem'],
    invoiceMail: ['Query'],
    mail: ['BatchGetItem'],
  }),
  'functions/mails/list.ts': api({ mail: ['Query'] }),
  'functions/mails/allow-address.ts': api(withAnswer, {
    mail: ['GetItem'],
    mailAddress: ['DeleteItem'],
  }),
  'functions/journal/list.ts': api({ journalEntry: ['Query'] }),
  'functions/summary/get.ts': api({ eventCursor: ['GetItem'], daySums: ['Query'] }),
  'functions/balance/get.ts': api({
    indexPage: ['Query'],
    invoice: ['BatchGetItem', 'GetItem'],
    credit: ['Query'],
    payment: ['BatchGetItem'],
    account: ['GetItem'],
  }),
  'functions/search/find.ts': {
    ...api(searchingTerms, searchingIds),
    accountState: [authorizing(), summarizingKeys],
  },
  'functions/documents/list.ts': api({ document: ['Query'] }),
  'functions/documents/get.ts': api({ document: ['GetItem'] }),
  'functions/documents/pdf.ts': {
    ...api({ document: ['GetItem'], invoice: ['GetItem'] }),
    bucket: readingPdf,
  },
  'functions/invoices/get.ts': api({ invoice: ['Query'] }),
  'functions/invoices/update.ts': voidingApi(change, {
    invoice: ['GetItem', 'PutItem', 'ConditionCheckItem'],
    customer: ['GetItem'],
    product: ['BatchGetItem'],
    seller: ['GetItem'],
  }),
  'functions/invoices/cancel.ts': voidingApi(change, listing, {
    invoice: ['GetItem', 'PutItem'],
    payment: ['BatchGetItem', 'GetItem', 'PutItem'],
    credit: ['PutItem'],
  }),
  'functions/invoices/replace.ts': {
    ...voidingApi(change, listing, {
      invoice: ['GetItem', 'PutItem'],
      invoiceReference: ['PutItem'],
      account: ['GetItem'],
      customer: ['GetItem'],
      product: ['BatchGetItem'],
      seller: ['GetItem'],
    }),
    listsConnections: true,
    accountState: [authorizing('invoice'), allocating('payment')],
  },
  'functions/invoices/confirm-claim.ts': api(change, {
    invoice: ['GetItem', 'PutItem'],
    payment: ['GetItem', 'PutItem'],
  }),
  'functions/invoices/reject-claim.ts': api(change, { invoice: ['GetItem', 'PutItem'] }),
  'functions/payments/list.ts': api(askingToFold, {
    searchEntry: ['Query'],
    indexPage: ['Query', 'UpdateItem'],
    payment: ['BatchGetItem', 'GetItem'],
  }),
  'functions/payments/create.ts': {
    ...voidingApi(cardPayment, { bankReference: ['PutItem'], credit: ['PutItem'] }, usingCredit),
    accountState: [authorizing('payment'), allocating('payment')],
  },
  'functions/payments/get.ts': api({ payment: ['GetItem'] }),
  'functions/payments/resolve.ts': api(change, listing, {
    payment: ['GetItem', 'PutItem'],
    invoice: ['GetItem', 'PutItem'],
    credit: ['PutItem'],
  }),
  'functions/payments/void.ts': {
    ...api(change, listing, {
      payment: ['GetItem', 'BatchGetItem', 'PutItem'],
      invoice: ['GetItem', 'PutItem'],
      invoiceReference: ['PutItem'],
      bankReference: ['GetItem', 'PutItem', 'DeleteItem'],
      rowUse: ['GetItem', 'PutItem'],
      credit: ['PutItem', 'DeleteItem'],
    }),
    accountState: [authorizing(), allocating('invoice'), readingSeller],
  },
  'functions/refunds/list.ts': api(askingToFold, {
    indexPage: ['Query', 'UpdateItem'],
    refund: ['BatchGetItem', 'GetItem'],
  }),
  'functions/refunds/create.ts': creatingApi('refund', change, listing, {
    payment: ['GetItem', 'PutItem'],
    refund: ['GetItem', 'PutItem'],
  }),
  'functions/refunds/get.ts': api({ refund: ['GetItem'] }),
  'functions/customers/list.ts': api(askingToFold, {
    indexPage: ['Query', 'UpdateItem'],
    searchEntry: ['Query'],
    customer: ['BatchGetItem', 'GetItem'],
  }),
  'functions/customers/create.ts': creatingApi('customer', change, listing, {
    customer: ['PutItem'],
    searchEntry: ['PutItem'],
  }),
  'functions/customers/get.ts': api({ customer: ['GetItem'] }),
  'functions/customers/update.ts': api(change, listing, {
    customer: ['GetItem', 'PutItem', 'ConditionCheckItem'],
    searchEntry: ['PutItem', 'DeleteItem'],
  }),
  'functions/customers/delete.ts': api(change, listing, {
    customer: ['GetItem', 'PutItem'],
    searchEntry: ['DeleteItem'],
  }),
  'functions/products/list.ts': api(askingToFold, {
    indexPage: ['Query', 'UpdateItem'],
    product: ['BatchGetItem', 'GetItem'],
  }),
  'functions/products/create.ts': creatingApi('product', change, listing, { product: ['PutItem'] }),
  'functions/products/get.ts': api({ product: ['GetItem'] }),
  'functions/products/update.ts': api(change, {
    product: ['GetItem', 'PutItem', 'ConditionCheckItem'],
  }),
  'functions/products/delete.ts': api(change, listing, { product: ['GetItem', 'PutItem'] }),
  'functions/drafts/list.ts': api(askingToFold, {
    indexPage: ['Query', 'UpdateItem'],
    draft: ['BatchGetItem', 'GetItem'],
  }),
  'functions/drafts/create.ts': creatingApi('draft', change, listing, {
    draft: ['PutItem'],
    product: ['BatchGetItem'],
    seller: ['GetItem'],
  }),
  'functions/drafts/get.ts': api({ draft: ['GetItem'] }),
  'functions/drafts/update.ts': api(change, {
    draft: ['GetItem', 'PutItem', 'ConditionCheckItem'],
    product: ['BatchGetItem'],
    seller: ['GetItem'],
  }),
  'functions/drafts/delete.ts': api(change, listing, { draft: ['GetItem', 'PutItem'] }),
  'functions/drafts/finalize.ts': {
    ...creatingApi('invoice', change, listing, {
      draft: ['GetItem', 'PutItem'],
      invoice: ['GetItem', 'PutItem'],
      invoiceReference: ['PutItem'],
      account: ['GetItem'],
      customer: ['GetItem'],
      seller: ['GetItem'],
    }),
    listsConnections: true,
  },
  'functions/schedules/list.ts': api(askingToFold, {
    indexPage: ['Query', 'UpdateItem'],
    schedule: ['BatchGetItem', 'GetItem'],
  }),
  'functions/schedules/create.ts': {
    ...creatingApi('schedule', change, listing, {
      schedule: ['PutItem'],
      account: ['GetItem'],
      product: ['BatchGetItem'],
      customer: ['GetItem'],
      seller: ['GetItem'],
    }),
    mailFrom: true,
  },
  'functions/schedules/get.ts': api({ schedule: ['BatchGetItem'] }),
  'functions/schedules/update.ts': {
    ...api(change, listing, {
      schedule: ['GetItem', 'BatchGetItem', 'PutItem', 'ConditionCheckItem'],
      product: ['BatchGetItem'],
      customer: ['GetItem'],
      account: ['GetItem'],
      seller: ['GetItem'],
    }),
    mailFrom: true,
  },
  'functions/schedules/skip.ts': api(change, listing, {
    schedule: ['GetItem', 'BatchGetItem', 'PutItem'],
  }),
  'functions/schedules/run.ts': api(change, {
    schedule: ['GetItem', 'BatchGetItem', 'PutItem', 'ConditionCheckItem'],
  }),
  'functions/schedules/preview.ts': {
    ...api({
      schedule: ['BatchGetItem'],
      customer: ['GetItem'],
      account: ['GetItem'],
      seller: ['GetItem'],
    }),
    mailFrom: true,
  },
  'functions/schedules/list-occurrences.ts': api({ schedule: ['BatchGetItem', 'Query'] }),
  'functions/exports/list.ts': api(askingToFold, {
    indexPage: ['Query', 'UpdateItem'],
    export: ['BatchGetItem', 'GetItem'],
  }),
  'functions/exports/create.ts': creatingApi('export', change, listing, {
    // A refused request looks for the answer of an earlier one, and for its export.
    export: ['GetItem', 'PutItem'],
    exportSlot: ['Query', 'PutItem'],
    account: ['GetItem'],
  }),
  'functions/exports/get.ts': { ...api({ export: ['GetItem'] }), bucket: { export: ['GetObject'] } },
  'functions/statements/list.ts': api(askingToFold, {
    indexPage: ['Query', 'UpdateItem'],
    statement: ['BatchGetItem', 'GetItem'],
  }),
  'functions/statements/create.ts': {
    ...creatingApi('statement', change, listing, {
      // Another request can store the same rows meanwhile.
      statement: ['GetItem', 'PutItem', 'ConditionCheckItem'],
      rowUse: ['GetItem', 'PutItem'],
    }),
    bucket: { statementFile: ['GetObject'] },
  },
  'functions/statements/link-file.ts': { ...api(), bucket: { statementFile: ['PutObject'] } },
  'functions/statements/preview-file.ts': { ...api(), bucket: { statementFile: ['GetObject'] } },
  'functions/statements/get.ts': api({ statement: ['GetItem'] }),
  'functions/statements/list-rows.ts': api({
    statement: ['Query'],
    rowUse: ['Query'],
    searchEntry: ['Query'],
    invoice: ['BatchGetItem'],
    payment: ['BatchGetItem'],
    customer: ['BatchGetItem'],
    refund: ['BatchGetItem'],
  }),
  'functions/statements/match-row.ts': {
    ...voidingApi(change, listing, {
      statement: ['Query'],
      rowUse: ['GetItem', 'PutItem', 'DeleteItem'],
      bankReference: ['PutItem'],
      credit: ['PutItem'],
      refund: ['GetItem', 'PutItem'],
    }),
    accountState: [authorizing('payment'), allocating('payment')],
  },
  'functions/statements/ignore-row.ts': api(change, {
    statement: ['Query'],
    rowUse: ['GetItem', 'PutItem', 'ConditionCheckItem', 'DeleteItem'],
    refund: ['GetItem', 'PutItem'],
  }),
  'functions/events/list.ts': api({ event: ['Query', 'GetItem'], eventPointer: ['GetItem'] }),
  'functions/events/get.ts': api({ event: ['GetItem'], eventPointer: ['GetItem'] }),
  'functions/pay/show.ts': {
    table: {
      ...hinting,
      invoice: ['Query'],
      document: ['BatchGetItem'],
      payment: ['GetItem'],
      account: ['GetItem'],
      source: ['UpdateItem'],
      attempts: ['UpdateItem'],
    },
    secrets: ['deployment'],
    listsConnections: true,
    sendsTo: ['checkout'],
    payUrlBase: true,
  },
  'functions/pay/pdf.ts': {
    table: { invoice: ['Query'], document: ['GetItem'], account: ['GetItem'], source: ['UpdateItem'] },
    secrets: ['deployment'],
    bucket: readingPdf,
  },
  'functions/pay/logo.ts': {
    table: { invoice: ['Query'], document: ['GetItem'], account: ['GetItem'], source: ['UpdateItem'] },
    secrets: ['deployment'],
    bucket: { logo: ['GetObject'] },
  },
  'functions/pay/show-reminders.ts': { table: { source: ['UpdateItem'] }, secrets: ['deployment'] },
  'functions/pay/stop-reminders.ts': {
    table: {
      invoice: ['GetItem'],
      mail: ['GetItem'],
      mailAddress: ['UpdateItem'],
      source: ['UpdateItem'],
    },
    secrets: ['deployment'],
    payUrlBase: true,
  },
  'functions/pay/submit.ts': {
    table: mergeAccess(cardPayment, settlingCheckouts, hinting, {
      document: ['BatchGetItem'],
      attempts: ['UpdateItem'],
      source: ['UpdateItem'],
      account: ['GetItem'],
    }),
    // A claim of a payer has the time of the account.
    accountState: [allocatingIfOpen('payment'), showingClock],
    secrets: ['deployment', 'providers'],
    listsConnections: true,
    sendsTo: ['checkout'],
    payUrlBase: true,
  },
  'functions/notifications/receive.ts': {
    table: { ...hinting, connection: ['GetItem'], checkout: ['GetItem'], providerReference: ['GetItem'] },
    secrets: ['providers'],
    sendsTo: ['checkout', 'refund'],
  },
  'functions/webhooks/list.ts': api({ webhook: ['Query'] }),
  'functions/webhooks/create.ts': {
    ...webhookApi(change, { webhook: ['GetItem', 'PutItem'] }),
    callsReceivers: true,
    eventTargets: 'knows',
  },
  'functions/webhooks/get.ts': api({ webhook: ['GetItem'] }),
  'functions/webhooks/update.ts': {
    ...api(change, {
      webhook: ['GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
      webhookHealth: ['DeleteItem'],
    }),
    callsReceivers: true,
    eventTargets: 'knows',
  },
  'functions/webhooks/delete.ts': api(change, {
    webhook: ['GetItem', 'PutItem', 'DeleteItem'],
  }),
  'functions/webhooks/rotate-secret.ts': webhookApi(change, {
    webhook: ['GetItem', 'PutItem'],
  }),
  'functions/webhooks/test.ts': {
    ...webhookApi(change, {
      webhook: ['GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
      webhookHealth: ['BatchGetItem', 'DeleteItem'],
      webhookSends: ['UpdateItem'],
    }),
    callsReceivers: true,
    eventTargets: 'sendsTo',
  },
  'functions/webhooks/list-deliveries.ts': api({ webhook: ['GetItem'], delivery: ['Query'] }),
  'functions/webhooks/redeliver.ts': {
    ...webhookApi(change, {
      webhook: ['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem'],
      webhookHealth: ['BatchGetItem', 'DeleteItem'],
      webhookSends: ['UpdateItem'],
      delivery: ['GetItem', 'BatchGetItem', 'PutItem'],
      event: ['BatchGetItem'],
    }),
    callsReceivers: true,
    eventTargets: 'sendsTo',
  },
  'functions/webhooks/recover.ts': api(change, { webhook: ['GetItem', 'PutItem'] }),
  'functions/audit-log/list.ts': api({ auditEntry: ['Query'] }),
  'functions/keys/list.ts': keyReader,
  'functions/keys/get.ts': keyReader,
  'functions/keys/create.ts': withValues(
    keyApi([changingKeys(...guardOfKeys), puttingKeys], { apiKey: ['PutItem'] }),
  ),
  'functions/keys/roll-over.ts': withValues(
    keyApi([changingKeys(...guardOfKeys, ...keptKeySettings, ...replacedKey), puttingReplacements], {
      apiKey: ['PutItem', 'UpdateItem'],
    }),
  ),
  'functions/keys/update.ts': keyApi([changingKeys(...keySettings)], { apiKey: ['UpdateItem'] }),
  'functions/keys/revoke.ts': keyApi([changingKeys('revokedAt')], { apiKey: ['UpdateItem'] }),
  'functions/account/get.ts': api({ account: ['GetItem'], seller: ['GetItem'] }),
  'functions/account/update.ts': {
    ...api(withAnswer, {
      account: ['GetItem'],
      seller: ['GetItem', 'PutItem'],
      series: ['GetItem', 'PutItem'],
    }),
    bucket: { logo: ['PutObject'] },
    accountState: [authorizing(), writingSeller],
    changesSettings: [...new Set([...mailSettingAttributes, ...sellerSettingAttributes])],
  },
  'functions/clock/test-clock.ts': {
    ...api(withAnswer, advancingClock, { eventCursor: ['GetItem'] }),
    accountState: [authorizing(), readingClock, resettingClock],
    sendsTo: ['overdue', 'payment', 'refund', 'webhook', 'mail'],
  },
  'functions/meta/openapi.ts': { table: {}, payUrlBase: true },
  'functions/meta/docs.ts': { table: {}, payUrlBase: true, securityContact: true },
  'functions/meta/not-found.ts': {
    table: authorization,
    accountState: [counting],
    secrets: ['deployment'],
    payUrlBase: true,
  },
  'functions/background/publish-outbox.ts': {
    table: relaying,
    numbersInvoices: true,
    secrets: ['audit', 'deployment'],
    sendsTo: ['overdue', 'payment', 'checkout', 'refund', 'webhook', 'recovery', 'mail', 'export'],
  },
  'functions/background/sweep.ts': {
    table: mergeAccess(relaying, {
      outbox: ['UpdateItem'],
      timer: ['Query'],
      watermark: ['UpdateItem'],
    }),
    numbersInvoices: true,
    secrets: ['audit', 'deployment'],
    sendsTo: ['overdue', 'payment', 'checkout', 'refund', 'webhook', 'recovery', 'mail', 'export'],
  },
  'functions/background/overdue.ts': {
    table: mergeAccess(settingAside, advancingClock, {
      schedule: ['PutItem'],
      draft: ['PutItem'],
      customer: ['GetItem'],
      seller: ['GetItem'],
    }),
    accountState: [readingClockForLists, movingClock, readingSeller, allocatingIfOpen('invoice', 'draft')],
    secrets: ['deployment'],
    sendsTo: ['overdue', 'payment', 'refund', 'webhook', 'mail'],
    payUrlBase: true,
    mailFrom: true,
  },
  'functions/background/settle-payment.ts': {
    table: mergeAccess(listing, rescheduling, {
      invoice: ['GetItem', 'BatchGetItem', 'PutItem', 'ConditionCheckItem'],
      payment: ['GetItem', 'PutItem'],
      outbox: ['PutItem'],
      idempotency: ['PutItem'],
      testProvider: ['GetItem', 'PutItem', 'UpdateItem'],
      statement: ['GetItem', 'Query', 'PutItem'],
      rowUse: ['Query', 'PutItem', 'ConditionCheckItem', 'DeleteItem'],
      bankReference: ['PutItem'],
      searchEntry: ['Query'],
      refund: ['BatchGetItem', 'PutItem'],
    }),
    accountState: [showingClock, allocating('payment')],
    secrets: ['deployment'],
    sendsTo: ['payment'],
    payUrlBase: true,
  },
  'functions/background/settle-checkout.ts': {
    table: mergeAccess(settlingCheckouts, rescheduling, {
      payment: ['GetItem'],
      refund: ['GetItem', 'PutItem'],
      providerReference: ['GetItem'],
    }),
    accountState: [allocating('payment', 'refund')],
    secrets: ['providers'],
    sendsTo: ['checkout'],
    payUrlBase: true,
  },
  'functions/background/deliver-webhook.ts': {
    table: mergeAccess(rescheduling, {
      outbox: ['PutItem'],
      webhook: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem'],
      webhookHealth: ['BatchGetItem', 'UpdateItem', 'DeleteItem'],
      delivery: ['BatchGetItem', 'PutItem'],
      event: ['BatchGetItem'],
    }),
    accountState: [showingClock],
    sendsTo: ['webhook'],
    secrets: ['webhooks'],
    callsReceivers: true,
    eventTargets: 'sendsTo',
  },
  'functions/background/recover-deliveries.ts': {
    table: mergeAccess(rescheduling, {
      timer: ['GetItem'],
      webhook: ['GetItem'],
      delivery: ['Query', 'PutItem'],
    }),
    sendsTo: ['webhook', 'recovery'],
  },
  'functions/background/process-refund.ts': {
    table: mergeAccess(listing, rescheduling, {
      invoice: ['GetItem', 'PutItem', 'ConditionCheckItem'],
      payment: ['GetItem', 'PutItem'],
      refund: ['GetItem', 'PutItem'],
      outbox: ['PutItem'],
      testProvider: ['GetItem', 'PutItem', 'UpdateItem'],
      connection: ['GetItem'],
    }),
    secrets: ['providers'],
    sendsTo: ['refund'],
    payUrlBase: true,
    accountState: [showingClock, allocating('refund')],
  },
  'functions/background/send-mail.ts': {
    table: mergeAccess(rescheduling, {
      payment: ['GetItem'],
      mail: ['GetItem', 'PutItem'],
      mailAddress: ['BatchGetItem'],
      invoiceMail: ['GetItem', 'PutItem', 'DeleteItem'],
      invoice: ['Query'],
      refund: ['GetItem'],
      customer: ['GetItem'],
      account: ['GetItem'],
      document: ['GetItem'],
      schedule: ['BatchGetItem'],
      members: ['GetItem'],
      auditEntry: ['GetItem'],
      signingKey: ['GetItem'],
      attempts: ['UpdateItem'],
    }),
    accountState: [showingClock],
    secrets: ['deployment'],
    bucket: { logo: ['GetObject'] },
    sendsTo: ['mail'],
    mailFrom: true,
    sendsMail: true,
    payUrlBase: true,
  },
  'functions/background/make-export.ts': {
    table: mergeAccess(listing, rescheduling, {
      export: ['GetItem', 'PutItem'],
      exportSlot: ['DeleteItem'],
      outbox: ['PutItem'],
      indexPage: ['Query'],
      invoice: ['BatchGetItem', 'GetItem'],
      payment: ['BatchGetItem', 'GetItem'],
      refund: ['BatchGetItem', 'GetItem'],
      customer: ['BatchGetItem'],
      journalEntry: ['Query'],
      document: ['Query', 'GetItem'],
      auditEntry: ['Query'],
    }),
    accountState: [readingNumbers, readingUsage],
    bucket: { export: ['PutObject', 'GetObject'], logo: ['GetObject'] },
    secrets: ['deployment'],
    sendsTo: ['export'],
    payUrlBase: true,
  },
  'functions/background/record-mail-outcome.ts': {
    table: {
      ...settingAside,
      mail: ['GetItem', 'PutItem'],
      mailAddress: ['PutItem'],
      outbox: ['PutItem'],
    },
    accountState: [showingClock],
    secrets: ['deployment'],
  },
  'functions/background/begin-reconciliation.ts': {
    table: {
      directory: ['Query'],
      sandbox: ['Query'],
      reconciliation: ['GetItem', 'PutItem'],
      foldRequest: ['Query'],
    },
    sendsTo: ['reconciliation'],
  },
  'functions/background/reconcile.ts': {
    table: {
      ...folding,
      ...settingAside,
      account: ['GetItem'],
      invoice: ['BatchGetItem'],
      payment: ['BatchGetItem', 'GetItem'],
      rowUse: ['BatchGetItem'],
      refund: ['BatchGetItem'],
      customer: ['BatchGetItem'],
      product: ['BatchGetItem'],
      draft: ['BatchGetItem'],
      statement: ['BatchGetItem'],
      schedule: ['BatchGetItem'],
      export: ['BatchGetItem'],
      outbox: ['Query'],
      auditEntry: ['Query'],
      auditHead: ['GetItem'],
      reconciliation: ['PutItem', 'Query', 'DeleteItem'],
      timer: ['BatchGetItem', 'BatchWriteItem', 'PutItem', 'DeleteItem'],
      watermark: ['GetItem', 'PutItem'],
      digest: ['GetItem', 'Query', 'PutItem', 'UpdateItem'],
      apiKey: ['GetItem'],
      connection: ['GetItem'],
      providerReference: ['GetItem'],
      checkout: ['GetItem'],
      journalEntry: ['Query'],
      daySums: ['Query', 'BatchWriteItem'],
      eventCursor: ['GetItem', 'UpdateItem'],
      webhook: ['Query'],
      webhookHealth: ['BatchGetItem'],
      delivery: ['Query'],
      event: ['Query'],
      series: ['Query'],
      document: ['Query', 'BatchGetItem'],
    },
    accountState: [readingNumbers, showingClock, comparingEntries, listingKeys],
    secrets: ['providers', 'audit'],
    listsConnections: true,
    sendsTo: ['reconciliation'],
  },
  'functions/background/delete-sandboxes.ts': {
    table: deletingSandboxes,
    onlySandboxes: true,
    bucket: { logo: ['ListBucket', 'DeleteObject'] },
    accountState: [readingEntries, listingKeys, readingNumbers, ...deletingStates],
    secrets: ['deployment'],
  },
};

/** Returns the union of several accesses. */
export function mergeAccess(...all: readonly TableAccess[]): TableAccess {
  const union: Partial<Record<GrantedPartition, TableAction[]>> = {};
  for (const access of all) {
    for (const [partition, actions] of entriesOf(access)) {
      union[partition] = [...new Set([...(union[partition] ?? []), ...actions])];
    }
  }
  return union;
}

/** Returns the patterns of a kind of item of all accounts. */
export const patternsOfAll = (partition: Partition): readonly string[] => [partitions[partition]];

/**
 * Returns the partition key patterns of each action. One policy statement per action is correct in both cases: IAM may
 * check the keys of a transaction one by one or all at once.
 */
export function keysByAction(
  access: TableAccess,
  patternsOf: (partition: Partition) => readonly string[] = patternsOfAll,
): Map<TableAction, string[]> {
  const keys = new Map<TableAction, string[]>();
  for (const [partition, actions] of entriesOf(access)) {
    for (const action of actions) keys.set(action, [...(keys.get(action) ?? []), ...patternsOf(partition)]);
  }
  return keys;
}

function entriesOf(access: TableAccess): [GrantedPartition, readonly TableAction[]][] {
  return Object.entries(access) as [GrantedPartition, readonly TableAction[]][];
}
