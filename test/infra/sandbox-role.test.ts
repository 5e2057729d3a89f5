/** Tests that the role of the function that deletes sandboxes can write nothing of another account, with the evaluator of policies. */
import { expect, test } from '@jest/globals';
import { statementsOf } from '../../infra/function-policies.ts';
import { Policy } from '../../infra/policies/policy.ts';
import type { AccessRequest } from '../../infra/policies/table-requests.ts';
import {
  documentId,
  eventId,
  isOfSandbox,
  isRecordId,
  modes,
  type Resource,
  randomAccountId,
  randomCheckoutId,
  randomWebhookId,
  recordId,
} from '../../shared/base/ids.ts';
import { statuses } from '../../shared/base/statuses.ts';
import { deploymentOwner } from '../../shared/domain/audit/audit-store.ts';
import { type Key, tableKeys } from '../../shared/store/keys.ts';

const file = 'functions/background/delete-sandboxes.ts';
const policy = new Policy(statementsOf(file));
const writes = ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'];

/** Returns the keys of each kind of item that an account can have. */
function keysOf(account: string): Record<string, Key> {
  const keys: Record<string, Key> = {
    profile: tableKeys.account(account),
    directory: tableKeys.accountDirectory(1, account),
    deletedRecord: tableKeys.deletedRecord(account, 'id'),
    seller: tableKeys.seller(account),
    members: tableKeys.members(account),
    userAccount: tableKeys.userAccount('usr_1', account),
    checkout: tableKeys.record(randomCheckoutId()),
    source: tableKeys.source('hash', 1),
    attempts: tableKeys.attempts('hash', 1),
    session: tableKeys.session('hash'),
    signingKey: tableKeys.signingKey('id'),
    userSession: tableKeys.userSession('usr_1', 'hash'),
    watermark: tableKeys.watermark,
    maintenance: tableKeys.maintenance,
    setAside: tableKeys.setAside('id'),
    reconciliation: tableKeys.reconciliation('2027-01-31', account),
    deploymentAudit: tableKeys.auditEntry('deployment', 1, 'aud_1'),
    deploymentAuditHead: tableKeys.auditHead('deployment'),
    deploymentOutbox: tableKeys.outbox(deploymentOwner, 1, 'id'),
  };
  for (const mode of modes) {
    const owner = { account, mode };
    const webhook = randomWebhookId(account);
    const event = eventId(webhook, 1, 'webhook.test', 1);
    const ofMode: Record<string, Key> = {
      accountState: tableKeys.accountState(owner),
      accountKeys: tableKeys.accountKeys(owner),
      accountKey: tableKeys.accountKey(owner, 1, 'hash'),
      apiKey: tableKeys.apiKey({ owner, keyHash: 'hash' }),
      auditEntry: tableKeys.auditEntry(owner, 1, 'aud_1'),
      auditHead: tableKeys.auditHead(owner),
      connection: tableKeys.connection(owner, 'stripe'),
      delivery: tableKeys.delivery(webhook, 'dlv_1'),
      digest: tableKeys.digest(owner, 'invoice', 0),
      document: tableKeys.document(owner, 'doc_1'),
      erasure: tableKeys.erasure(owner, 'hash'),
      event: tableKeys.event(owner, 1),
      eventCursor: tableKeys.eventCursor(owner),
      eventPointer: tableKeys.eventPointer(event),
      foldRequest: tableKeys.foldRequest(owner, 'invoice', ''),
      fullReconciliation: tableKeys.fullReconciliation(owner),
      idempotency: tableKeys.idempotency(owner, 'hash'),
      indexPage: tableKeys.indexPage(owner, 'invoice', '', 0),
      invoiceReference: tableKeys.invoiceReference(owner, 'hash'),
      bankReference: tableKeys.bankReference(owner, 'hash'),
      credit: tableKeys.credit(owner, '#customer#hash', 'USD', 1, 'pay_1'),
      searchEntry: tableKeys.searchEntry(owner, 'hash', 0, 'inv_1'),
      rowUse: tableKeys.rowUse(owner, 'row_1'),
      exportSlot: tableKeys.exportSlot(owner, 1),
      outbox: tableKeys.outbox(owner, 1, 'id'),
      series: tableKeys.series(owner, 'invoice', 'INV-'),
      providerReference: tableKeys.providerReference(owner, 'stripe', 'payment', 'pi_1'),
      volume: tableKeys.volume(owner, 'payment', '#customer#hash', 0),
      webhook: tableKeys.webhook(owner, webhook),
      webhookHealth: tableKeys.webhookHealth(webhook),
      webhookSends: tableKeys.webhookSends(owner),
    };
    for (const resource of Object.keys(statuses) as Resource[]) {
      const id = recordId(new Uint8Array(32), { ...owner, resource }, 1);
      ofMode[resource] = tableKeys.record(id);
      ofMode[`timer of ${resource}`] = tableKeys.timer(1, 1, 'overdue', id);
      ofMode[`test provider of ${resource}`] = tableKeys.testProvider(id);
    }
    for (const [name, key] of Object.entries(ofMode)) keys[`${mode} ${name}`] = key;
  }
  return keys;
}

/** The requests with as few conditions as possible: they name only attributes that some statement allows. */
const requestsOn = ({ pk }: Key): AccessRequest[] =>
  [...writes, 'GetItem', 'BatchGetItem', 'Query', 'ConditionCheckItem'].flatMap((action) =>
    ['NONE', 'UPDATED_NEW'].map((returnValues) => ({
      action: `dynamodb:${action}`,
      resource: 'table',
      leadingKeys: [pk],
      attributes: () => ['pk', 'sk'],
      select: 'SPECIFIC_ATTRIBUTES',
      returnValues,
    })),
  );

/** Returns the kinds of items of an account that the role may write or read. */
const allowedOf = (account: string, isWrite: boolean): string[] => [
  ...new Set(
    Object.entries(keysOf(account)).flatMap(([name, key]) =>
      requestsOn(key).some(
        (request) =>
          writes.includes(request.action.slice('dynamodb:'.length)) === isWrite &&
          policy.refusalOf(request) === undefined,
      )
        ? [name.replace(/^(live|test) (?!provider)/, '')]
        : [],
    ),
  ),
];

const live = randomAccountId();
const sandbox = randomAccountId('sandbox');

test('ids of sandboxes and of what they contain have the mark, and no other id has it', () => {
  const owner = { account: sandbox, mode: 'test', resource: 'invoice' } as const;
  const webhook = randomWebhookId(sandbox);
  const invoice = recordId(new Uint8Array(32), owner, 1);
  const events = [webhook, invoice].map((id) => eventId(id, 1, 'invoice.created', 1));
  const document = documentId(events[1] ?? '', 1);
  const issued = eventId(document, 1, 'document.issued', 1);
  const ids = [sandbox, webhook, invoice, ...events, document, issued];
  expect(ids.map(isOfSandbox)).toEqual(ids.map(() => true));
  expect(isRecordId('document', document)).toBe(true);
  for (let count = 0; count < 2_000; count++) {
    const account = randomAccountId();
    const id = recordId(new Uint8Array(32), { ...owner, account }, count);
    const event = eventId(id, 1, 'x', 1);
    const others = [account, randomWebhookId(account), id, event, documentId(event, 1)];
    expect(others.filter(isOfSandbox)).toEqual([]);
  }
});

test('it may write and read nothing of another account', () => {
  expect(allowedOf(live, true)).toEqual([]);
  expect(allowedOf(live, false)).toEqual([]);
});

test('one batch cannot contain an item of another account beside those of a sandbox', () => {
  const request = {
    action: 'dynamodb:BatchWriteItem',
    resource: 'table',
    attributes: () => ['pk', 'sk'],
  };
  const keysIn = (account: string) => tableKeys.event({ account, mode: 'live' }, 1).pk;
  expect(policy.refusalOf({ ...request, leadingKeys: [keysIn(sandbox)] })).toBeUndefined();
  expect(policy.refusalOf({ ...request, leadingKeys: [keysIn(sandbox), keysIn(live)] })).toBeDefined();
});

test('it may write each kind of item that a sandbox leaves, and no entry of the audit log', () => {
  expect(allowedOf(sandbox, true).sort()).toEqual([
    'accountKey',
    'accountKeys',
    'accountState',
    'apiKey',
    'bankReference',
    'credit',
    'customer',
    'deletedRecord',
    'delivery',
    'digest',
    'document',
    'draft',
    'erasure',
    'event',
    'eventCursor',
    'eventPointer',
    'export',
    'exportSlot',
    'fullReconciliation',
    'indexPage',
    'invoice',
    'invoiceReference',
    'members',
    'outbox',
    'payment',
    'product',
    'profile',
    'refund',
    'rowUse',
    'schedule',
    'searchEntry',
    'seller',
    'series',
    'statement',
    'test provider of payment',
    'test provider of refund',
    'userAccount',
    'volume',
    'webhook',
    'webhookHealth',
    'webhookSends',
  ]);
});
