/** Describes the tests of the erasure of a large customer, while clients list and change its invoices. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { customerId as customerOf, Ledger } from '../../bench/ledger.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { accountStateAttributes } from '../../shared/store/account-state.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { type MailboxReceiver, startMailboxReceiver } from '../api/webhooks/receiver.ts';
import { type Api, invoiceBody, listenToRequestLog } from '../support/api.ts';
import { findTexts } from '../support/find-texts.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

const customer = customerOf(0);
const description = 'Wedding of Dorji & Pema';
const reference = 'Transfer from Dorji Wangchuk';
const reason = 'Dorji was ill';
const personal = [customer, description, 'd'.repeat(100), reference, reason];

/**
 * @param stored the number of invoices that are stored directly
 * @param made the number of invoices that requests make, with events, deliveries and stored answers. A multiple of 8.
 */
export function describeErasure(stored: number, made: number): void {
  let stack: Stack;
  let table: TestTable;
  let receiver: MailboxReceiver;
  let ledger: Ledger;
  let api: Api;
  let log: Awaited<ReturnType<typeof listenToRequestLog>>;

  beforeAll(async () => {
    [stack, receiver] = await Promise.all([startTestStack(), startMailboxReceiver()]);
    log = await listenToRequestLog();
    table = tableOf(stack);
    const mix = { paid: 0.3, cancelled: 0.1, overdue: 0.2, late: 0.5 };
    ledger = await Ledger.open(stack, { seed: 1, count: stored, mix, customers: 1 });
    api = ledger.api;
    // The lists are read as fast as they are answered.
    const stateKey = tableKeys.accountState(ledger.listOf().owner);
    await table.put({ ...(await table.get(stateKey)), [accountStateAttributes.limit]: 1_000_000 });
    for (let first = 1; first <= stored; first += 1_000) {
      const seqs = Array.from({ length: Math.min(1_000, stored - first + 1) }, (_, index) => first + index);
      await table.putAll(seqs.map((seq) => ledger.record(seq)));
    }
    await table.putAll([...ledger.pages(), ...ledger.pages(0)]);
  });
  afterAll(() => Promise.all([stack?.close(), receiver?.close()]));

  const underKey = (key: string) => ({ headers: { 'Idempotency-Key': key } });
  const post = async (path: string, body: object, key: string) => {
    const { status, json } = await api.post(path, body, underKey(key));
    expect({ status, json }).toMatchObject({ status: 201 });
    return json;
  };
  const totalOf = async (query: string) =>
    (await api.get(`/api/invoices?limit=1&${query}`)).json.pagination.total;
  const untilRelayed = () =>
    waitUntil('all is relayed', async () => {
      const { account, mode } = ledger.listOf().owner;
      return (await table.outboxOf(`${account}#${mode}`)).length === 0;
    });

  /** Makes invoices, payments and refunds, whose events an endpoint receives. Returns the ids of invoices that are pending. */
  async function makeRecords(): Promise<string[]> {
    const mailbox = receiver.mailbox();
    mailbox.respondWith(({ body }) => ({ status: 200, body: body.toString() }));
    await post('/api/webhooks', { url: mailbox.url, events: ['all'] }, 'endpoint');
    const pending: string[] = [];
    for (let count = 0; count < made; count++) {
      const { id } = await post(
        '/api/invoices',
        invoiceBody({ customerId: customer, description }),
        `create ${count}`,
      );
      if (count % 4 > 0) pending.push(id);
      else {
        const payment = await post(
          '/api/payments',
          { invoiceId: id, method: 'offline', reference },
          `pay ${count}`,
        );
        if (count % 8 === 0)
          await post('/api/refunds', { paymentId: payment.id, amount: 1, reason }, `refund ${count}`);
      }
    }
    return pending;
  }

  /** All items of the account, by key, without those that hold counts or the progress of background work. */
  async function accountItems(): Promise<Map<string, TestItem>> {
    const { account } = ledger.listOf().owner;
    const items = await table.all('');
    return new Map(
      items
        .filter((item) => item.account === account || String(item.pk).includes(account))
        .map((item) => [`${item.pk} ${item.sk}`, item]),
    );
  }

  /** Reads a page of the list of the customer until `isDone`. Returns the most calls in sequence. */
  async function listUntil(isDone: () => boolean, limit: number, status: string): Promise<number> {
    let most = 0;
    while (!isDone()) {
      const page = await api.get(`/api/invoices?customerId=${customer}&limit=${limit}${status}`);
      const { error, dynamodbCallsInSequence } = log.lineOf(page);
      expect({ status: page.status, error }).toEqual({ status: 200, error: undefined });
      most = Math.max(most, dynamodbCallsInSequence);
      const { data, pagination } = page.json;
      expect(data.every((row: TestItem) => row.customerId === customer)).toBe(true);
      expect(data.length).toBe(Math.min(limit, pagination.total));
    }
    return most;
  }

  test('lists stay fast, and in the end nothing names the customer and all else is as before', async () => {
    const pending = await makeRecords();
    await untilRelayed();
    const total = stored + made;
    expect(await totalOf(`customerId=${customer}`)).toBe(total);
    const before = await accountItems();

    const { eraseCustomer, newPseudonym } = await import('../../shared/operations/erasure/erase-customer.ts');
    let isDone = false;
    const progress: string[] = [];
    const erasure = eraseCustomer(ledger.listOf().owner, customer, {
      pseudonym: newPseudonym(),
      dryRun: false,
      wait: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, 30))),
      onProgress: (text) => progress.push(text),
    }).finally(() => {
      isDone = true;
    });
    const cancelling = (async () => {
      for (const [index, id] of pending.entries())
        if (!isDone)
          expect((await api.delete(`/api/invoices/${id}`, underKey(`cancel ${index}`))).status).toBe(200);
    })();
    const lists = [
      listUntil(() => isDone, 1, ''),
      listUntil(() => isDone, 20, ''),
      listUntil(() => isDone, 100, '&status=paid'),
    ];
    const [{ pseudonym, counts }, most] = await Promise.all([erasure, Promise.all(lists), cancelling]);

    expect(Math.max(...most)).toBeLessThanOrEqual(4);
    expect(progress).toContain(`Erasing invoices: 100 of ${total}.`);
    expect(counts).toMatchObject({ invoices: total, payments: made / 4, refunds: made / 8 });
    expect(await totalOf(`customerId=${customer}`)).toBe(0);
    expect(await totalOf(`customerId=${pseudonym}`)).toBe(total);
    await untilRelayed();

    const after = await accountItems();
    expect(findTexts([...after.values()], personal)).toEqual([]);
    expect([...before.keys()].filter((key) => isKept(key) && !after.has(key))).toEqual([]);
    for (const [key, old] of before) {
      const present = after.get(key);
      if (!present || !isKept(key)) continue;
      expect({ key, ...withoutErased(present) }).toEqual({ key, ...withoutErased(old) });
    }
    // Each invoice, event and answer is erased, not only those that a list shows.
    const records = [...after.values()].filter(({ pk, sk }) => pk.startsWith('inv_') && sk === 'RECORD');
    expect(records.length).toBe(total);
    expect(new Set(records.map(({ customerId }) => customerId))).toEqual(new Set([pseudonym]));
  });
}

/** Whether an item of before must exist afterwards, too: records, events, deliveries and stored answers. */
const isKept = (key: string) => /^(inv_|pay_|ref_|EVENTS#|EVENT#|DELIVERIES#|IDEMPOTENCY#)/.test(key);

/** The attributes that neither an erasure nor a cancellation changes. */
function withoutErased({
  pk,
  sk,
  id,
  seq,
  amount,
  currency,
  createdAt,
  account,
  mode,
  fingerprint,
  position,
}: TestItem) {
  return { pk, sk, id, seq, amount, currency, createdAt, account, mode, fingerprint, position };
}
