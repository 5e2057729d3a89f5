import { expect, test } from '@jest/globals';
import { type ItemKind, itemKindOf } from '../../../shared/store/item-kinds.ts';
import { type Key, tableKeys } from '../../../shared/store/keys.ts';

const owner = { account: 'acct_1234567890abcdef', mode: 'test' } as const;
const id = (prefix: string) => `${prefix}_${'0'.repeat(26)}`;

/** A key of each kind, made by the functions that the service uses. */
const examples: Record<ItemKind, Key> = {
  account: tableKeys.account(owner.account),
  accountDirectory: tableKeys.accountDirectory(1, owner.account),
  accountKey: tableKeys.accountKey(owner, 1, 'hash'),
  accountState: tableKeys.accountState(owner),
  apiKey: tableKeys.apiKey({ owner, keyHash: 'hash' }),
  attempts: tableKeys.attempts('hash', 1),
  checkout: tableKeys.record(id('co')),
  connection: tableKeys.connection(owner, 'stripe'),
  deletedRecord: tableKeys.deletedRecord(owner.account, id('inv')),
  delivery: tableKeys.delivery(id('wh'), id('dlv')),
  digest: tableKeys.digest(owner, 'invoice', 1),
  document: tableKeys.document(owner, id('doc')),
  erasure: tableKeys.erasure(owner, '#customer#hash'),
  event: tableKeys.event(owner, 1),
  eventCursor: tableKeys.eventCursor(owner),
  eventPointer: tableKeys.eventPointer(id('evt')),
  foldRequest: tableKeys.foldRequest(owner, 'invoice', '#customer#hash'),
  journalEntry: tableKeys.journalEntry(owner, 1),
  daySums: tableKeys.daySums(owner, 0, '2026-11-28'),
  journalFold: tableKeys.journalFold(owner, 'id', 0),
  fullReconciliation: tableKeys.fullReconciliation(owner),
  idempotency: tableKeys.idempotency(owner, 'hash'),
  indexPage: tableKeys.indexPage(owner, 'invoice', '', 1),
  invoice: tableKeys.record(id('inv')),
  invoiceMail: tableKeys.invoiceMail(id('inv'), `send/${id('mail')}`),
  invoiceNumber: tableKeys.invoiceNumber(id('inv')),
  mail: tableKeys.mail(owner, id('mail')),
  mailAddress: tableKeys.mailAddress(owner, 'hash'),
  mailSuppression: tableKeys.mailSuppression(owner, 'hash'),
  invoiceReference: tableKeys.invoiceReference(owner, 'hash'),
  bankReference: tableKeys.bankReference(owner, 'hash'),
  credit: tableKeys.credit(owner, '#customer#hash', 'USD', 1, 'pay_1'),
  searchEntry: tableKeys.searchEntry(owner, 'hash', 0, 'inv_1'),
  accountKeys: tableKeys.accountKeys(owner),
  maintenance: tableKeys.maintenance,
  members: tableKeys.members(owner.account),
  auditHead: tableKeys.auditHead(owner),
  auditEntry: tableKeys.auditEntry(owner, 1, `aud_${'0'.repeat(26)}`),
  outbox: tableKeys.outbox(owner, 1, 'id'),
  setAside: tableKeys.setAside('id'),
  payment: tableKeys.record(id('pay')),
  providerReference: tableKeys.providerReference(owner, 'stripe', 'payment', 'pi_1'),
  reconciliation: tableKeys.reconciliation('2027-01-31', 'BEGIN'),
  refund: tableKeys.record(id('ref')),
  customer: tableKeys.record(id('cust')),
  product: tableKeys.record(id('prod')),
  draft: tableKeys.record(id('drft')),
  export: tableKeys.record(id('exp')),
  exportSlot: tableKeys.exportSlot(owner, 1),
  statement: tableKeys.record(id('st')),
  schedule: tableKeys.record(id('sch')),
  scheduleTemplate: tableKeys.scheduleTemplate(id('sch')),
  occurrence: tableKeys.occurrence(id('sch'), 1),
  statementRows: tableKeys.statementRows(id('st'), 1),
  statementContent: tableKeys.statementContent(owner, 'hash'),
  rowUse: tableKeys.rowUse(owner, id('row')),
  waitingRow: tableKeys.waitingRow(owner, id('row')),
  sandbox: tableKeys.sandbox(1, owner.account),
  seller: tableKeys.seller(owner.account),
  series: tableKeys.series(owner, 'invoice', 'INV-'),
  session: tableKeys.session('hash'),
  signingKey: tableKeys.signingKey('id'),
  source: tableKeys.source('hash', 1),
  testProvider: tableKeys.testProvider('key'),
  timer: tableKeys.timer(1, 1, 'overdue', id('inv')),
  userAccount: tableKeys.userAccount('usr_1', owner.account),
  userSession: tableKeys.userSession('usr_1', 'hash'),
  volume: tableKeys.volume(owner, 'invoice', '', 1),
  volumeCurrencies: tableKeys.volumeCurrencies(owner, 'invoice', '', 1),
  volumeTotals: tableKeys.volumeTotals(owner, 'invoice', '', 1),
  volumeTimes: tableKeys.volumeTimes(owner, 'invoice', '', 1),
  watermark: tableKeys.watermark,
  webhook: tableKeys.webhook(owner, id('wh')),
  webhookHealth: tableKeys.webhookHealth(id('wh')),
  webhookSends: tableKeys.webhookSends(owner),
};

test.each(Object.entries(examples))('the key of %s has that kind', (kind, key) => {
  expect(itemKindOf(key)).toBe(kind);
});

test('a key of a newer release has no kind', () => {
  expect(itemKindOf({ pk: 'SOMETHING#new', sk: 'NEW' })).toBeUndefined();
});
