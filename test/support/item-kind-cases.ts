/** Says for each kind of item in the table how the service stores one, and what it does with it. */

import type { Owner } from '../../shared/base/ids.ts';
import { newestApiVersion } from '../../shared/domain/versions/versions.ts';
import type { ItemKind } from '../../shared/store/item-kinds.ts';
import { type Key, tableKeys } from '../../shared/store/keys.ts';
import { type Api, invoiceBody } from './api.ts';
import { switchMailsOn } from './mails.ts';
import { cardPaymentBody, cards } from './pay.ts';
import type { TestItem, TestTable } from './table.ts';

/** An account with records, whose items are made malformed one after another. */
export interface ItemWorld {
  readonly table: TestTable;
  readonly owner: Owner;
  readonly api: Api;
  readonly baseUrl: string;
  /** Relays what waits in the outbox. */
  readonly relay: () => Promise<void>;
}

/** What the service does with an item. It ends well, or refuses with the error that names the item. */
type Use = (world: ItemWorld, item: TestItem) => Promise<unknown>;

export interface ItemKindCase {
  /** Returns an item as the service has stored it. */
  readonly item: (world: ItemWorld) => Promise<TestItem | undefined>;
  readonly uses: readonly Use[];
  /** The service stores no such item in this test. So the item is deleted afterwards. */
  readonly isInvented?: true;
  /** All requests of the account need the item. */
  readonly isOfWholeAccount?: true;
  /** The reconciliation reports the item if it lacks one of these attributes. */
  readonly reported?: readonly string[];
}

const get =
  (path: string | ((item: TestItem) => string)): Use =>
  ({ api }, item) =>
    api.get(typeof path === 'string' ? path : path(item));
const created = async ({ api }: ItemWorld, path: string, body: object, headers = {}) => {
  const all = { 'X-API-Version': newestApiVersion, ...headers };
  const { status, json } = await api.post(path, body, { headers: all });
  if (status !== 201) throw new Error(`${path}: ${JSON.stringify(json)}`);
  return json;
};
const newInvoice = (world: ItemWorld, fields = {}) => created(world, '/api/invoices', invoiceBody(fields));
const newPayment = async (world: ItemWorld) =>
  created(world, '/api/payments', { invoiceId: (await newInvoice(world)).id, method: 'offline' });
/** Records a payment with a reference of a bank, which another payment can have. */
const payWithReference = async (world: ItemWorld) => {
  const invoiceId = (await newInvoice(world)).id;
  const body = { invoiceId, method: 'offline', bank: 'Bank', reference: 'malformed' };
  return world.api.post('/api/payments', body, { headers: { 'X-API-Version': newestApiVersion } });
};
/** Makes a payment that is credit of the customer, because its invoice was cancelled. */
const newCredit = async (world: ItemWorld) => {
  const call = { headers: { 'X-API-Version': newestApiVersion } };
  const { id: invoiceId } = (
    await world.api.post('/api/invoices', invoiceBody({ acceptPartial: true }), call)
  ).json;
  await world.api.post('/api/payments', { invoiceId, method: 'offline', amount: 700 }, call);
  await world.api.delete(`/api/invoices/${invoiceId}?payments=credit`);
};
const newWebhook = (world: ItemWorld) =>
  created(world, '/api/webhooks', { url: 'https://example.com/hook', events: ['*'] });

const statementBody = { bank: 'Bank', currency: 'BTN', rows: [{ day: '2026-03-31', amount: 900 }] };
const newStatement = (world: ItemWorld) => created(world, '/api/statements', statementBody);

/** Marks the rows of a statement that wait, as the worker does. */
async function markRows({ owner }: ItemWorld, id: string): Promise<void> {
  const { readStatementWithRows } = await import('../../shared/domain/statements/statement-store.ts');
  const { markWaitingRows } = await import('../../shared/domain/statements/mark-waiting-rows.ts');
  await markWaitingRows(owner, await readStatementWithRows(owner, id));
}

const scheduleBody = {
  every: { n: 1, unit: 'month' },
  startOn: '2099-01-31',
  invoice: { customerId: 'c_7', amount: 900, currency: 'BTN', description: 'Hosting' },
};
const newSchedule = (world: ItemWorld) => created(world, '/api/schedules', scheduleBody);

/** A record: it is read, changed, and listed. */
function recordCase(
  path: string,
  create: (world: ItemWorld) => Promise<TestItem>,
  change?: Use,
): ItemKindCase {
  return {
    item: async (world) => {
      const { id } = await create(world);
      await world.relay();
      return path === '/api/webhooks'
        ? world.table.get(tableKeys.webhook(world.owner, id))
        : world.table.get(tableKeys.record(id));
    },
    uses: [
      get(({ pk, sk }) => `${path}/${path === '/api/webhooks' ? sk : pk}`),
      get(path),
      ...(change ? [change] : []),
    ],
  };
}

/** An item that functions of a store write and read. */
const storedCase = (
  write: (owner: Owner) => Promise<unknown>,
  keyOf: (owner: Owner) => Key,
  uses: readonly Use[],
) => ({
  item: async ({ table, owner }: ItemWorld) => {
    await write(owner);
    return table.get(keyOf(owner));
  },
  uses,
});
/** An item that no function of a store writes alone. */
const writtenCase = (item: (owner: Owner) => TestItem, uses: readonly Use[]): ItemKindCase => ({
  item: async ({ owner }) => item(owner),
  isInvented: true,
  uses,
});

const hour = 500_000;
const day = '2027-01-31';
const user = 'usr_malformed';
const folded = '#customer#folded';
const identity = {
  issuer: 'https://issuer.example',
  subject: 'malformed',
  email: 'a@example.com',
  isEmailVerified: true,
};
const member = { user, ...identity, role: 'owner', since: 1 } as const;

const accounts = () => import('../../shared/domain/accounts/account-store.ts');
const members = () => import('../../shared/domain/users/member-store.ts');
const sessions = () => import('../../shared/domain/users/session-store.ts');
const counts = () => import('../../shared/domain/auth/hour-count-store.ts');
const digests = () => import('../../shared/operations/reconciliation/digest-store.ts');
const checkpoints = () => import('../../shared/operations/reconciliation/journal-checkpoint.ts');
const reports = () => import('../../shared/operations/reconciliation/report.ts');
const volumes = () => import('../../shared/store/lists/volumes/volume-store.ts');
const connections = () => import('../../shared/domain/payments/connections/connection-store.ts');
const connectionChanges = () => import('../../shared/domain/payments/connections/change-connection.ts');
const openConnections = () => import('../../shared/domain/payments/connections/open-provider.ts');
const health = () => import('../../shared/domain/webhooks/health-store.ts');
const setAside = () => import('../../shared/operations/background/set-aside-store.ts');
const erasures = () => import('../../shared/operations/erasure/erasure-store.ts');
const sandboxes = () => import('../../shared/operations/sandboxes/sandbox-store.ts');

async function drain<T>(generator: AsyncGenerator<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const each of generator) all.push(each);
  return all;
}

/** Stores a volume of a list with one number. */
const volumeCase = (keyOf: (owner: Owner) => Key): ItemKindCase => ({
  item: async ({ table, owner }) => {
    const { readVolume, putVolumePart } = await volumes();
    for (const name of ['currencies', 'times', 'states'] as const) {
      const read = await readVolume(owner, 'invoice', folded, 0);
      const values =
        name === 'times'
          ? { times: read.times.times.with(0, 1_800_000_000_000) }
          : { codes: read[name].codes.with(1, 1) };
      await putVolumePart({ owner, resource: 'invoice', filterKey: folded }, 0, name, read[name], {
        ...read[name],
        ...values,
      } as never);
    }
    return table.get(keyOf(owner));
  },
  uses: [
    ({ owner }) => volumes().then(({ readVolume }) => readVolume(owner, 'invoice', folded, 0)),
    async ({ owner }) => {
      const { readIndex } = await import('../../shared/store/lists/pages/read-index.ts');
      const filters = [{}, { currency: 'USD', createdFrom: 1 }] as const;
      for (const filter of filters) await readIndex(owner, 'invoice', [folded], filter);
    },
    async ({ owner }) => {
      const { foldList } = await import('../../shared/operations/folding/fold-lists.ts');
      await foldList({ ...owner, resource: 'invoice', filterKey: folded, volumes: [0] });
    },
    async ({ owner }) => {
      const { readIndexPages } = await import('../../shared/store/lists/pages/single-pages.ts');
      await readIndexPages(owner, 'invoice', 0, [folded]);
    },
  ],
});

const countCase = (keyOf: () => Key): ItemKindCase =>
  storedCase(async () => (await counts()).countInHour(keyOf(), 3, hour * 3_600_000), keyOf, [
    async () => (await counts()).countInHour(keyOf(), 3, hour * 3_600_000),
    async () => (await counts()).subtractFromCount(keyOf()),
  ]);

const webhookId = async ({ table, owner }: ItemWorld): Promise<string> => {
  const items = await table.all(tableKeys.webhook(owner, '').pk);
  return items.find(({ sk }) => sk.startsWith('wh_'))?.sk;
};
const sellers = async () => ({
  ...(await import('../../shared/domain/accounts/seller-store.ts')),
  ...(await import('../../shared/domain/accounts/seller-change-store.ts')),
});
/** Creates an invoice of an account with a seller profile, and issues its document. Returns its id. */
async function newDocumentedInvoice(world: ItemWorld): Promise<string> {
  const change = { legalName: 'Druk Crafts', address: { country: 'BT' } };
  await (await sellers()).changeSeller(world.owner.account, change);
  const { id } = await newInvoice(world);
  await world.relay();
  return id;
}
const mailAddresses = () => import('../../shared/domain/mails/mail-address-store.ts');
/** Asks for a mail, which is sent or not. */
async function newMail(world: ItemWorld): Promise<{ readonly invoiceId: string }> {
  await switchMailsOn(world.owner.account);
  const { id } = await newInvoice(world);
  const { status, json } = await world.api.post(`/api/invoices/${id}/send`, { to: `${id}@example.bt` });
  if (status !== 200) throw new Error(JSON.stringify(json));
  return json;
}
const newestEvent = async ({ table, owner }: ItemWorld) =>
  (await table.all(tableKeys.event(owner, 0).pk)).at(-1);
const allEvents: readonly Use[] = [get('/api/events'), get('/api/events?after=start')];

/** Every kind. Without an entry for a new kind, this file does not compile. */
export const itemKindCases: Readonly<Record<ItemKind, ItemKindCase>> = {
  account: {
    item: ({ table, owner }) => table.get(tableKeys.account(owner.account)),
    uses: [
      async ({ owner }) => (await accounts()).readAccount(owner.account),
      async () => (await accounts()).listAccounts(),
    ],
  },
  seller: {
    item: async ({ table, owner }) => {
      await (await sellers()).changeSeller(owner.account, {
        legalName: 'Druk Crafts',
        address: { country: 'BT' },
      });
      return table.get(tableKeys.seller(owner.account));
    },
    uses: [
      async ({ owner }) => (await sellers()).readSeller(owner.account),
      async ({ owner }) => (await sellers()).changeSeller(owner.account, { footer: 'Thank you.' }),
    ],
  },
  accountDirectory: {
    item: async ({ table, owner }) =>
      (await table.all('ACCOUNTS')).find(({ sk }) => sk.endsWith(owner.account)),
    uses: [
      async () => {
        const { readAccountIds } = await import('../../shared/store/account-directory.ts');
        return drain(readAccountIds());
      },
      async () => (await accounts()).listAccounts(),
    ],
  },
  accountKey: {
    item: async ({ table, owner }) =>
      (await table.all(tableKeys.accountKeys(owner).pk)).find(({ sk }) => sk.startsWith('KEY#')),
    uses: [get('/api/keys'), get(({ keyId }) => `/api/keys/${keyId}`)],
  },
  accountKeys: {
    item: ({ table, owner }) => table.get(tableKeys.accountKeys(owner)),
    uses: [
      get('/api/keys'),
      ({ api }) => api.post('/api/keys', { name: 'New', permissions: ['invoices:read'] }),
    ],
  },
  accountState: {
    item: ({ table, owner }) => table.get(tableKeys.accountState(owner)),
    uses: [get('/api/invoices')],
    isOfWholeAccount: true,
  },
  apiKey: {
    item: async ({ table, owner }) => (await table.all(`KEY#${owner.account}#${owner.mode}`))[0],
    uses: [get('/api/keys')],
    isOfWholeAccount: true,
  },
  attempts: countCase(() => tableKeys.attempts('malformed', hour)),
  auditEntry: {
    item: async ({ table, owner }) => (await table.all(`AUDIT#${owner.account}#test#`))[0],
    uses: [
      get('/api/audit-log'),
      async ({ owner }) =>
        (await import('../../shared/domain/audit/verify.ts')).verifyAuditLog(owner, Date.now()),
    ],
  },
  auditHead: {
    item: ({ table, owner }) => table.get(tableKeys.auditHead(owner)),
    uses: [
      async (world) => {
        await newInvoice(world);
        await world.relay();
      },
      async ({ owner }) =>
        (await import('../../shared/domain/audit/verify.ts')).verifyAuditLog(owner, Date.now()),
    ],
  },
  checkout: writtenCase(
    (owner) => ({
      ...tableKeys.record(`co_${'0'.repeat(26)}`),
      ...owner,
      version: 1,
      status: 'open',
      provider: 'stripe',
      invoiceId: `inv_${'0'.repeat(26)}`,
      contentVersion: 1,
      amount: 100,
      currency: 'USD',
      description: 'text',
      returnUrl: 'https://example.com',
      createdAt: 1,
      openUntil: 2,
    }),
    [
      async (_, { pk }) => {
        const { checkoutType } = await import('../../shared/domain/payments/checkouts/record.ts');
        const { readRecordOfAnyAccount } = await import('../../shared/store/records.ts');
        await readRecordOfAnyAccount(checkoutType, pk);
      },
    ],
  ),
  connection: {
    reported: ['currencies', 'rotatedAt'],
    ...storedCase(
      async (owner) =>
        (await connectionChanges()).saveConnection(
          owner,
          'stripe',
          () => ({
            credentials: { apiKey: 'sk_test_key1111', notificationSecrets: ['whsec_secret'] },
            currencies: ['USD'],
            accountName: 'Shop',
          }),
          undefined,
        ),
      (owner) => tableKeys.connection(owner, 'stripe'),
      [
        async ({ owner }) => (await connections()).readConnections(owner),
        async ({ owner }) => (await openConnections()).openProvider(owner, 'stripe'),
        async ({ owner }) => (await connectionChanges()).disconnect(owner, 'stripe', undefined),
      ],
    ),
  },
  customer: recordCase('/api/customers', (world) => created(world, '/api/customers', { name: 'Dorji' })),
  product: recordCase('/api/products', (world) =>
    created(world, '/api/products', { name: 'Tea', unitAmounts: { BTN: 5000 } }),
  ),
  deletedRecord: writtenCase(
    ({ account }) => ({
      ...tableKeys.deletedRecord(account, 'inv_1'),
      companions: [{ pk: 'NONE', sk: 'NONE' }],
    }),
    [async ({ owner }) => (await sandboxes()).deleteCompanions(owner.account)],
  ),
  delivery: {
    reported: ['eventId', 'attempts', 'status', 'account'],
    item: async (world) => (await world.table.all(`DELIVERIES#${await webhookId(world)}`))[0],
    uses: [
      get(({ pk }) => `/api/webhooks/${pk.split('#')[1]}/deliveries`),
      ({ api }, { pk, sk }) => api.post(`/api/webhooks/${pk.split('#')[1]}/deliveries/${sk}/redeliver`, {}),
    ],
  },
  draft: recordCase(
    '/api/drafts',
    (world) => created(world, '/api/drafts', invoiceBody()),
    ({ api }, { pk }) => api.post(`/api/drafts/${pk}/finalize`, {}),
  ),
  schedule: recordCase('/api/schedules', newSchedule, ({ api }, { pk }) =>
    api.patch(`/api/schedules/${pk}`, { dueInDays: 3 }),
  ),
  scheduleTemplate: {
    item: async (world) => world.table.get(tableKeys.scheduleTemplate((await newSchedule(world)).id)),
    uses: [get(({ pk }) => `/api/schedules/${pk}`)],
  },
  occurrence: {
    item: async (world) => {
      const { id } = await newSchedule(world);
      await world.api.post(`/api/schedules/${id}/skip`);
      return world.table.get(tableKeys.occurrence(id, 1));
    },
    uses: [get(({ pk }) => `/api/schedules/${pk}/occurrences`)],
  },
  export: recordCase('/api/exports', (world) => created(world, '/api/exports', { kind: 'customers' })),
  exportSlot: {
    item: async (world) => {
      await created(world, '/api/exports', { kind: 'customers' });
      return world.table.get(tableKeys.exportSlot(world.owner, 1));
    },
    uses: [({ api }) => api.post('/api/exports', { kind: 'customers' })],
  },
  statement: recordCase('/api/statements', newStatement),
  statementRows: {
    item: async (world) => world.table.get(tableKeys.statementRows((await newStatement(world)).id, 1)),
    uses: [get(({ pk }) => `/api/statements/${pk}/rows`)],
  },
  statementContent: {
    item: async (world) => {
      await newStatement(world);
      return (await world.table.all(tableKeys.rowUse(world.owner, '').pk)).find(({ sk }) =>
        sk.startsWith('CONTENT#'),
      );
    },
    uses: [({ api }) => api.post('/api/statements', statementBody)],
  },
  rowUse: {
    item: async (world) => {
      const { id } = await newStatement(world);
      const [row] = (await world.api.get(`/api/statements/${id}/rows`)).json.data;
      await world.api.post(`/api/statements/${id}/rows/${row.id}/ignore`);
      return world.table.get(tableKeys.rowUse(world.owner, row.id));
    },
    uses: [
      async (world, { statementId, sk }) => {
        await world.api.get(`/api/statements/${statementId}/rows`);
        return world.api.post(`/api/statements/${statementId}/rows/${sk}/ignore`);
      },
    ],
  },
  waitingRow: {
    item: async (world) => {
      const rows = [{ day: '2026-03-30', amount: 901 }];
      const { id } = await created(world, '/api/statements', { ...statementBody, rows });
      await markRows(world, id);
      return (await world.table.all(tableKeys.rowUse(world.owner, '').pk)).find(({ sk }) =>
        sk.startsWith('WAITING#'),
      );
    },
    uses: [
      async ({ owner }) => {
        const { countWaitingRows } = await import('../../shared/domain/statements/waiting-statements.ts');
        await countWaitingRows(owner);
      },
      (world, { statementId }) => markRows(world, statementId),
      async ({ api }, { statementId, sk }) =>
        api.post(`/api/statements/${statementId}/rows/${sk.split('#')[1]}/ignore`),
    ],
  },
  digest: storedCase(
    async (owner) => {
      const { emptyDigest } = await import('../../shared/operations/reconciliation/digest.ts');
      const digest = { ...emptyDigest, version: 1, agreed: emptyDigest.agreed.with(1, 1) };
      await (await digests()).putDigest({ ...owner, resource: 'invoice', page: 7 }, digest);
    },
    (owner) => tableKeys.digest(owner, 'invoice', 7),
    [
      async ({ owner }) => (await digests()).readDigests(owner, 'invoice', 0, 9),
      async ({ owner }) =>
        (await digests()).forgetRecords(owner, [{ resource: 'invoice', seq: 7 * 256 + 1 }]),
    ],
  ),
  erasure: storedCase(
    async (owner) => (await erasures()).beginErasure(owner, folded, 'pseudonym'),
    (owner) => tableKeys.erasure(owner, folded),
    [
      async ({ owner }) => (await erasures()).readBegunErasure(owner, folded),
      async ({ owner }) => (await erasures()).beginErasure(owner, folded, 'other'),
    ],
  ),
  event: {
    reported: ['type', 'body', 'expiresAt'],
    item: newestEvent,
    uses: [...allEvents, get(({ id }) => `/api/events/${id}`)],
  },
  eventCursor: {
    item: async ({ table, owner }) => {
      const key = tableKeys.eventCursor(owner);
      return (await table.get(key)) ?? { ...key, position: 0 };
    },
    uses: [
      async ({ owner }) => {
        const { readEventPosition } = await import('../../shared/domain/events/log-end-store.ts');
        await readEventPosition(owner);
      },
    ],
  },
  journalEntry: {
    item: async (world) => {
      await newInvoice(world);
      return (await world.table.all(tableKeys.journalEntry(world.owner, 0).pk)).at(-1);
    },
    uses: [get('/api/journal')],
  },
  daySums: {
    item: async (world) => {
      await newInvoice(world);
      const all = await world.table.partition(tableKeys.daySums(world.owner, 0, '').pk);
      return all.findLast(({ sk }) => sk.startsWith('0000#'));
    },
    uses: [get('/api/summary')],
  },
  journalFold: {
    item: async ({ table, owner }) => {
      const { FoldedJournal } = await import('../../shared/operations/reconciliation/folded-journal.ts');
      const fold = new FoldedJournal(owner, 'UTC');
      const { id } = await (await checkpoints()).putCheckpoint(owner, fold, Date.now());
      return table.get(tableKeys.journalFold(owner, id, 0));
    },
    uses: [
      async ({ owner }, { sk }) =>
        (await checkpoints()).readCheckpoint(owner, { id: String(sk).split('#')[1] ?? '', parts: 1 }),
    ],
  },
  eventPointer: {
    item: async (world) => world.table.get(tableKeys.eventPointer((await newestEvent(world))?.id)),
    uses: [
      get(({ pk }) => `/api/events/${pk.split('#')[1]}`),
      get(({ pk }) => `/api/events?after=${pk.split('#')[1]}`),
    ],
  },
  foldRequest: writtenCase(
    (owner) => ({
      ...tableKeys.foldRequest(owner, 'invoice', folded),
      ...owner,
      resource: 'invoice',
      filterKey: folded,
      volumes: new Set([0]),
    }),
    [
      async () => {
        const { readFoldRequests } = await import('../../shared/store/lists/volumes/fold-requests.ts');
        return drain(readFoldRequests());
      },
    ],
  ),
  fullReconciliation: storedCase(
    async (owner) => (await digests()).putLastDay(owner, day),
    (owner) => tableKeys.fullReconciliation(owner),
    [
      async ({ owner }) => (await digests()).readLastDay(owner),
      async ({ owner }) => (await digests()).advanceLastDay(owner, { since: day, day }),
    ],
  ),
  idempotency: {
    item: async (world) => {
      await created(world, '/api/invoices', invoiceBody(), { 'Idempotency-Key': 'malformed' });
      return (await world.table.all(`IDEMPOTENCY#${world.owner.account}#test#`))[0];
    },
    uses: [
      ({ api }) => api.post('/api/invoices', invoiceBody(), { headers: { 'Idempotency-Key': 'malformed' } }),
    ],
  },
  indexPage: {
    item: ({ table, owner }) => table.get(tableKeys.indexPage(owner, 'invoice', '', 0)),
    uses: [
      get('/api/invoices'),
      (world) => newInvoice(world),
      (world) => newInvoice(world).then(world.relay),
    ],
  },
  invoice: recordCase('/api/invoices', newInvoice, ({ api }, { pk }) =>
    api.patch(`/api/invoices/${pk}`, { amount: 7 }),
  ),
  invoiceNumber: {
    item: async (world) => world.table.get(tableKeys.invoiceNumber(await newDocumentedInvoice(world))),
    uses: [
      get(({ pk }) => `/api/invoices/${pk}/documents`),
      async (world, { pk }) => {
        await world.api.patch(`/api/invoices/${pk}`, { amount: 8 });
        await world.relay();
      },
    ],
  },
  document: {
    item: async (world) => {
      await newDocumentedInvoice(world);
      return (await world.table.all(tableKeys.document(world.owner, '').pk)).at(-1);
    },
    uses: [get('/api/documents'), get(({ sk }) => `/api/documents/${sk}`)],
  },
  series: {
    item: async (world) => {
      await newDocumentedInvoice(world);
      return (await world.table.all(tableKeys.series(world.owner, '', '').pk))[0];
    },
    uses: [
      async (world) => {
        await newDocumentedInvoice(world);
      },
    ],
  },
  bankReference: {
    item: async (world) => {
      await payWithReference(world);
      return (await world.table.all(`BANKREFERENCE#${world.owner.account}#test#`))[0];
    },
    uses: [
      async (world) => {
        await payWithReference(world);
      },
    ],
  },
  credit: {
    item: async (world) => {
      await newCredit(world);
      return (await world.table.all(tableKeys.credit(world.owner, '', '', 0, '').pk))[0];
    },
    uses: [
      async ({ api }) => {
        await api.post('/api/invoices', invoiceBody({ useCredit: true }), {
          headers: { 'X-API-Version': newestApiVersion },
        });
      },
    ],
  },
  searchEntry: {
    item: async (world) => {
      await newInvoice(world, { amount: 77_123 });
      await world.relay();
      return (await world.table.all(`SEARCH#${world.owner.account}#test#`))[0];
    },
    uses: [get('/api/search?q=771.23')],
  },
  mail: {
    item: async (world) => {
      await newMail(world);
      return (await world.table.all(tableKeys.mail(world.owner, '').pk)).at(-1);
    },
    uses: [get('/api/mails'), get(({ invoiceId }) => `/api/invoices/${invoiceId}/mails`)],
  },
  mailAddress: {
    item: async ({ table, owner }) => {
      await (await mailAddresses()).unsubscribe(owner, 'a@example.bt', Date.now());
      return (await table.all(tableKeys.mailAddress(owner, '').pk))[0];
    },
    uses: [async ({ owner }) => (await mailAddresses()).readMailAddress(owner, 'a@example.bt')],
  },
  mailSuppression: {
    item: async ({ table, owner }) => {
      const { suppressAddress } = await mailAddresses();
      const { writeTransaction } = await import('../../shared/store/transactions.ts');
      await writeTransaction([await suppressAddress(owner, 'a@example.bt', 'bounced', Date.now())]);
      return (await table.all(tableKeys.mailAddress(owner, '').pk)).find(({ sk }) =>
        sk.startsWith('SUPPRESSION#'),
      );
    },
    uses: [async ({ owner }) => (await mailAddresses()).readMailAddress(owner, 'a@example.bt')],
  },
  invoiceMail: {
    item: async (world) => {
      const { invoiceId } = await newMail(world);
      return (await world.table.all(tableKeys.invoiceMail(invoiceId, '').pk))[0];
    },
    uses: [get(({ pk }) => `/api/invoices/${pk.replace('MAIL#', '')}/mails`)],
  },
  invoiceReference: {
    item: async (world) => {
      await newInvoice(world, { reference: 'malformed' });
      return (await world.table.all(`INVOICEREFERENCE#${world.owner.account}#test#`))[0];
    },
    uses: [
      async ({ api }) => {
        const headers = { 'X-API-Version': newestApiVersion };
        await api.post('/api/invoices', invoiceBody({ reference: 'malformed' }), { headers });
        await api.get('/api/invoices?reference=malformed', { headers });
      },
    ],
  },
  maintenance: writtenCase(
    () => ({ ...tableKeys.maintenance, startedAt: 1 }),
    [async () => (await import('../../shared/domain/accounts/maintenance-store.ts')).readMaintenance()],
  ),
  members: storedCase(
    async ({ account }) =>
      (await members()).changeMembers(account, (current) => ({ ...current, members: [member] })),
    ({ account }) => tableKeys.members(account),
    [
      async ({ owner }) =>
        (await members()).readMembers(owner.account).catch((error: Error) => {
          if (!error.message.includes('no valid signature')) throw error;
        }),
    ],
  ),
  outbox: {
    item: async (world) => {
      await newInvoice(world);
      return (await world.table.outboxOf(`${world.owner.account}#test`))[0];
    },
    uses: [
      async ({ table }, { pk, sk }) => {
        const { relayStored } = await import('../../shared/operations/outbox/relay.ts');
        const stored = await table.get({ pk, sk });
        if (stored) await Promise.all(relayStored([stored], Date.now()));
      },
    ],
  },
  payment: recordCase('/api/payments', newPayment),
  providerReference: writtenCase(
    (owner) => ({
      ...tableKeys.providerReference(owner, 'stripe', 'payment', 'pi_1'),
      ...owner,
      version: 1,
      status: 'named',
      record: `pay_${'0'.repeat(26)}`,
    }),
    [
      async ({ owner }, { pk }) => {
        const { providerReferenceType } = await import('../../shared/domain/payments/checkouts/record.ts');
        const { readRecord } = await import('../../shared/store/records.ts');
        await readRecord(providerReferenceType, owner, pk);
      },
    ],
  ),
  reconciliation: storedCase(
    async (owner) => {
      const { reportBegin, reportDifferences, reportEnd } = await reports();
      await reportBegin(day, 1, Date.now());
      await reportEnd(day, owner, { records: 1, remembered: 0, full: true }, Date.now());
      const difference = { resource: 'invoice', seq: 1, id: 'inv_1', rule: 'invoice_missing' } as const;
      const values = { expected: 'a', found: 'b', evidence: '' };
      await reportDifferences(day, [{ ...owner, ...difference, ...values }], Date.now());
    },
    ({ account }) => tableKeys.reconciliation(day, `DIFFERENCE#${account}#test#inv_1#invoice_missing`),
    [async () => (await reports()).readReport(day), async () => (await reports()).hasBegun(day)],
  ),
  refund: recordCase('/api/refunds', async (world) =>
    created(world, '/api/refunds', { paymentId: (await newPayment(world)).id }),
  ),
  sandbox: writtenCase(
    () => ({ ...tableKeys.sandbox(1, 'acct_sbx_none'), accountId: 'acct_sbx_none', until: 1 }),
    [async () => (await sandboxes()).readEndedSandboxes(Date.now())],
  ),
  session: {
    item: async ({ table }) => {
      const details = { authenticatedAt: Date.now(), browser: 'Firefox', now: Date.now() };
      await (await sessions()).startSession(identity, details, undefined);
      return (await table.all('SESSION#'))[0];
    },
    uses: [async (_, item) => (await sessions()).listSessions(item.user, Date.now())],
  },
  setAside: writtenCase(
    () => ({
      ...tableKeys.setAside('malformed'),
      kind: 'message',
      queue: 'webhook',
      content: 'x',
      problem: 'y',
      setAsideAt: 1,
    }),
    [
      async () => drain((await setAside()).readAllSetAside()),
      async () => (await setAside()).readSetAside('malformed'),
    ],
  ),
  signingKey: {
    item: async ({ table, owner }) => {
      await (await members()).changeMembers(owner.account, (current) => ({ ...current }));
      return (await table.all('SIGNINGKEYS'))[0];
    },
    uses: [
      async (_, { sk }) => {
        const { forgetPublicKeys, readPublicKey } = await import(
          '../../shared/domain/users/public-key-store.ts'
        );
        forgetPublicKeys();
        await readPublicKey(sk);
      },
    ],
  },
  source: countCase(() => tableKeys.source('malformed', hour)),
  testProvider: {
    item: async (world) => {
      const { id } = await newInvoice(world);
      const payment = await created(world, '/api/payments', cardPaymentBody(id, cards.completes));
      return world.table.get(tableKeys.testProvider(payment.id));
    },
    uses: [
      async (_, { pk }) => {
        const { readOperation } = await import(
          '../../shared/domain/payments/provider/test-provider-store.ts'
        );
        await readOperation(pk.slice('TESTPROVIDER#'.length));
      },
    ],
  },
  timer: {
    item: async ({ table, owner }) => {
      const { setTimer } = await import('../../shared/store/timers/timers.ts');
      await setTimer(
        { due: Date.now() - 60_000, kind: 'overdue', reference: 'inv_malformed', group: owner.account },
        Date.now(),
      );
      return (await table.timersOf('inv_malformed'))[0];
    },
    uses: [
      async () => {
        const { sweepTimers } = await import('../../shared/store/timers/sweep-timers.ts');
        await sweepTimers(Date.now() + 120_000);
      },
    ],
  },
  userAccount: {
    item: async ({ table, owner }) => {
      await (await members()).changeMembers(owner.account, (current) => ({ ...current, members: [member] }));
      return table.get(tableKeys.userAccount(user, owner.account));
    },
    uses: [async () => (await members()).listAccountsOfUser(user)],
  },
  userSession: {
    item: async ({ table }) => (await table.all('USERSESSIONS#'))[0],
    uses: [async (_, { pk }) => (await sessions()).listSessions(pk.split('#')[1], Date.now())],
  },
  volume: volumeCase((owner) => tableKeys.volume(owner, 'invoice', folded, 0)),
  volumeCurrencies: volumeCase((owner) => tableKeys.volumeCurrencies(owner, 'invoice', folded, 0)),
  volumeTimes: volumeCase((owner) => tableKeys.volumeTimes(owner, 'invoice', folded, 0)),
  volumeTotals: volumeCase((owner) => tableKeys.volumeTotals(owner, 'invoice', folded, 0)),
  watermark: {
    item: async ({ table }) => {
      const { readMarks } = await import('../../shared/store/timers/timer-marks.ts');
      await readMarks(Date.now());
      return table.get(tableKeys.watermark);
    },
    uses: [async () => (await import('../../shared/store/timers/timer-marks.ts')).readMarks(Date.now())],
  },
  webhook: {
    ...recordCase('/api/webhooks', newWebhook, (world) => newInvoice(world).then(world.relay)),
    reported: ['url', 'status', 'secrets', 'account'],
  },
  webhookHealth: {
    reported: ['failingSince'],
    item: async (world) => {
      const id = await webhookId(world);
      await (await health()).recordFailure(
        id,
        { final: true, openUntil: Date.now() + 1_000, openMs: 1_000 },
        Date.now(),
      );
      return world.table.get(tableKeys.webhookHealth(id));
    },
    uses: [
      get('/api/webhooks'),
      async (_, { pk }) => (await health()).readHealth(pk.split('#')[1]),
      async (_, { pk }) => (await health()).recordFailure(pk.split('#')[1], { final: true }, Date.now()),
    ],
  },
  webhookSends: {
    item: async (world) => {
      const { readWebhook } = await import('../../shared/domain/webhooks/webhook-store.ts');
      const { takeSendLease } = await import('../../shared/domain/webhooks/lease-store.ts');
      const { record } = await readWebhook(world.owner, await webhookId(world));
      if (record) await takeSendLease(record);
      return world.table.get(tableKeys.webhookSends(world.owner));
    },
    uses: [
      async (world) => {
        const { readWebhook } = await import('../../shared/domain/webhooks/webhook-store.ts');
        const { takeSendLease } = await import('../../shared/domain/webhooks/lease-store.ts');
        const { record } = await readWebhook(world.owner, await webhookId(world));
        if (record) await takeSendLease(record);
      },
    ],
  },
};
