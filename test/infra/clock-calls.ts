/** Runs the functions that move the clock of test mode, and the workers that read clocks, through all code paths. */
import { expect } from '@jest/globals';
import { permissions } from '../../shared/domain/auth/permissions.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { cardPaymentBody, cards } from '../support/pay.ts';
import type { TestTable } from '../support/table.ts';
import { type CrashCondition, type ObservedFunctions, queueEvent } from './observed-calls.ts';
import { futureSchedule } from './schedule-calls.ts';

interface ClockDriver extends Pick<ObservedFunctions, 'run' | 'request'> {
  readonly table: TestTable;
  readonly advance: (ms: number) => void;
  /** Marks every minute until tomorrow as closed, so timers are stored again. */
  readonly closeMinutes: () => Promise<unknown>;
}

/** The requests that show and change the clock of an account. Each returns whether the clock still moves. */
export interface ClockRequests {
  readonly show: () => Promise<ClockStatus>;
  /** @param repetition the same text for repetitions of one request */
  readonly move: (advanceSeconds: number, repetition?: string) => Promise<ClockStatus>;
  readonly reset: () => Promise<ClockStatus>;
}
type ClockStatus = 'ready' | 'advancing' | undefined;

interface ClockAccount {
  readonly accountId: string;
  readonly key: string;
}

const dayMs = 86_400_000;
const clockFile = 'functions/clock/test-clock.ts';
const clockPath = '/api/test/clock';

/** Returns the requests of the API. */
export const apiClock =
  ({ request }: Pick<ObservedFunctions, 'request'>) =>
  async ({ key }: ClockAccount): Promise<ClockRequests> => {
    const send = async (method: string, options: object = {}): Promise<ClockStatus> =>
      (await request(clockFile, method, clockPath, { key, ...options })).status;
    return {
      show: () => send('GET'),
      move: (advanceSeconds, repetition) =>
        send('POST', { body: { advanceSeconds }, ...(repetition && { idempotencyKey: repetition }) }),
      reset: () => send('DELETE'),
    };
  };

/** Returns requests of the API whose moves crash once they are stored, so the worker of due dates continues them. */
export const workerClock =
  ({ run, request, table }: Pick<ClockDriver, 'run' | 'request' | 'table'>) =>
  async (account: ClockAccount): Promise<ClockRequests> => {
    const requests = await apiClock({ request })(account);
    const { now } = await import('../../shared/base/time.ts');
    const show = async () => {
      const timer = { reference: account.accountId, kind: 'overdue', due: now(), minute: 1 };
      await run('functions/background/overdue.ts', queueEvent(timer));
      return requests.show();
    };
    return {
      ...requests,
      show,
      async move(advanceSeconds, repetition) {
        let isStored = false;
        // The move and its outbox item are one transaction.
        const crash: CrashCondition = (actions) => {
          const isMove = actions.some(({ name, partition }) => name === 'PutItem' && partition === 'outbox');
          const wasStored = isStored;
          isStored ||= isMove;
          return wasStored;
        };
        const call = { key: account.key, body: { advanceSeconds }, crash };
        await request(clockFile, 'POST', clockPath, {
          ...call,
          ...(repetition && { idempotencyKey: repetition }),
        });
        await table.delete(tableKeys.watermark);
        return show();
      },
    };
  };

/** Runs all code paths of the clock of test mode, in a new account. */
export async function driveClock(
  { run, request, table, advance, closeMinutes }: ClockDriver,
  requestsOf: (account: ClockAccount) => Promise<ClockRequests>,
): Promise<void> {
  const { createAccount } = await import('../../shared/domain/accounts/account-store.ts');
  const { createKey } = await import('../../shared/domain/accounts/key-store.ts');
  const { now } = await import('../../shared/base/time.ts');
  const { accountId } = await createAccount({ name: 'Clock', plan: 'enterprise' });
  const { value: key } = await createKey({
    owner: { account: accountId, mode: 'test' },
    name: 'Clock',
    permissions,
  });
  const create = (kind: string, body: object) =>
    request(`functions/${kind}s/create.ts`, 'POST', `/api/${kind}s`, { key, body });
  const invoice = async (dueIn: number) => {
    const dueDate = new Date(now() + dueIn).toISOString();
    const fields = { customerId: 'cust_1', amount: 2500, currency: 'USD', description: 'Tea', dueDate };
    return (await create('invoice', fields)).id as string;
  };
  const { show, move, reset } = await requestsOf({ accountId, key });
  const settle = (worker: string, kind: string, reference: string) =>
    run(`functions/background/${worker}.ts`, queueEvent({ reference, kind, due: now(), minute: 1 }));

  expect(await reset()).toBe('ready');
  // Nothing was made since the move, so the reset takes effect.
  expect(await move(60)).toBe('ready');
  expect(await reset()).toBe('ready');
  await invoice(dayMs);
  await table.delete(tableKeys.record(await invoice(dayMs)));
  await create('schedule', futureSchedule());
  await table.delete(tableKeys.record((await create('schedule', futureSchedule())).id));
  await invoice(5 * dayMs + 30_000);
  await closeMinutes();
  for (const _ of ['first', 'repeated']) expect(await move(5 * 86_400, 'one')).toBe('ready');
  await table.delete(tableKeys.watermark);
  await move(60);
  expect(await reset()).not.toBe('ready');

  const later = await create('payment', cardPaymentBody(await invoice(9 * dayMs), cards.settlesLater));
  const paid = await create('payment', cardPaymentBody(await invoice(9 * dayMs), cards.completes));
  const refund = await create('refund', { paymentId: paid.id, reason: 'Less' });
  const pending = await invoice(20 * dayMs);
  const reminded = await newReminded({ request, table });
  // Nobody relays these changes, and a move waits for changes until they are older than 30 seconds.
  advance(31_000);
  expect(await move(60)).toBe('advancing');
  await settle('overdue', 'overdue', pending);
  advance(5_000);
  await settle('settle-payment', 'payment', later.id);
  expect(await show()).toBe('advancing');
  await settle('process-refund', 'refund', refund.id);
  expect(await show()).toBe('ready');

  const { newDelivery } = await import('../../shared/domain/webhooks/delivery.ts');
  const { putNewDelivery } = await import('../../shared/domain/webhooks/delivery-store.ts');
  const url = 'http://127.0.0.1:9/hook';
  const { id } = await create('webhook', { url, events: ['*'] });
  const body = JSON.stringify({ timestamp: new Date(now()).toISOString() });
  const event = { id: `evt_${'1'.repeat(26)}`, type: 'invoice.created', body };
  const webhook = { id: id as string, status: 'enabled' };
  const owner = { account: accountId, mode: 'test' } as const;
  await putNewDelivery(newDelivery(owner, webhook, event, 1, { waitMs: 30_000 }));
  expect(await move(60)).toBe('advancing');
  // No worker completes the timer of the reminder, so this move does not end.
  expect(await (await requestsOf(reminded)).move(5 * 86_400)).toBe('advancing');
}

/** Makes an invoice with a reminder, and a schedule that has mailed it, in an account of its own. */
async function newReminded({
  request,
  table,
}: Pick<ClockDriver, 'request' | 'table'>): Promise<ClockAccount> {
  const { createAccount } = await import('../../shared/domain/accounts/account-store.ts');
  const { updateSettings } = await import('../../shared/domain/accounts/settings-store.ts');
  const { now } = await import('../../shared/base/time.ts');
  const { accountId, keys } = await createAccount({ name: 'Reminders', plan: 'enterprise' });
  await updateSettings(accountId, { mailReminders: '1' });
  const dueDate = new Date(now() + dayMs).toISOString();
  const body = { customerId: 'cust_1', amount: 2500, currency: 'USD', description: 'Tea', dueDate };
  const send = (kind: string, sent: object) =>
    request(`functions/${kind}s/create.ts`, 'POST', `/api/${kind}s`, { key: keys.test, body: sent });
  const { id: invoiceId } = await send('invoice', body);
  const schedule = tableKeys.record((await send('schedule', futureSchedule())).id);
  const last = { id: invoiceId, at: now(), isMailed: true };
  await table.put({ ...schedule, ...(await table.get(schedule)), last });
  const { toInvoiceMailItem } = await import('../../shared/domain/mails/mail-item.ts');
  const { newMailId } = await import('../../shared/base/ids.ts');
  // The worker that sent it has ended without an outcome.
  const attempt = { createdAt: now() as never, triedAt: (now() - 60_000) as never };
  await table.put(toInvoiceMailItem(invoiceId, 'invoice', { mail: newMailId(accountId, now()), attempt }));
  return { accountId, key: keys.test };
}
