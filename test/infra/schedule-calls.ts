/** Makes the calls of the functions of schedules, and of the worker that makes their invoices. */
import { expect } from '@jest/globals';
import type { Owner } from '../../shared/base/ids.ts';
import { updateSettings } from '../../shared/domain/accounts/settings-store.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import type { TestTable } from '../support/table.ts';
import { type FunctionCallOptions, type ObservedFunctions, queueEvent } from './observed-calls.ts';

interface ScheduleDriver extends Pick<ObservedFunctions, 'run' | 'request'> {
  readonly table: TestTable;
  readonly owner: Owner;
  readonly relayAll: () => Promise<void>;
}

const worker = 'functions/background/overdue.ts';

/** The body of a schedule whose first time is far ahead. */
export const futureSchedule = (fields: object = {}, invoice: object = {}) => ({
  every: { n: 1, unit: 'month' },
  startOn: '2099-01-31',
  invoice: { customerId: 'c_7', amount: 900, currency: 'BTN', description: 'Hosting', ...invoice },
  ...fields,
});

/** Runs all code paths of the functions of schedules. */
export async function driveSchedules({
  run,
  request,
  table,
  owner,
  relayAll,
}: ScheduleDriver): Promise<void> {
  const create = (body: object = futureSchedule(), call: FunctionCallOptions = {}) =>
    request('functions/schedules/create.ts', 'POST', '/api/schedules', { body, ...call });
  const on = (file: string, method: string, id: string, call: FunctionCallOptions = {}) =>
    request(`functions/schedules/${file}.ts`, method, `/api/schedules/${id}`, { id, ...call });
  const list = () => request('functions/schedules/list.ts', 'GET', '/api/schedules', {});
  const product = await request('functions/products/create.ts', 'POST', '/api/products', {
    body: { name: 'Tea', unitAmounts: { BTN: 500 } },
  });
  const customer = await request('functions/customers/create.ts', 'POST', '/api/customers', {
    body: { name: 'Pema' },
  });
  const ofProduct = {
    customerId: customer.id,
    amount: undefined,
    lines: [
      { product: product.id, quantity: '2' },
      { description: 'Own', quantity: '1', unitAmount: 5, tax: 'own_vat' },
    ],
  };
  // The tax is unknown, so the seller profile is read, and the request is refused.
  expect(await create(futureSchedule({}, ofProduct))).toMatchObject({ statusCode: 400 });
  const lines = ofProduct.lines.slice(0, 1);
  const { id } = await create(futureSchedule({}, { ...ofProduct, lines }), {
    idempotencyKey: 'schedule one',
  });
  expect(
    await create(futureSchedule({}, { ...ofProduct, lines }), { idempotencyKey: 'schedule one' }),
  ).toMatchObject({ statusCode: 201, id });
  expect(await on('get', 'GET', id)).toMatchObject({ statusCode: 200, id });
  expect(await on('preview', 'GET', id)).toMatchObject({ statusCode: 200 });
  expect(await on('list-occurrences', 'GET', id)).toMatchObject({ statusCode: 200 });

  const update = (schedule: string, body: object, idempotencyKey: string) =>
    on('update', 'PATCH', schedule, { body, idempotencyKey });
  const changed = { invoice: { description: 'Cups', lines } };
  expect(await update(id, changed, 'schedule two')).toMatchObject({ statusCode: 200 });
  expect(await update(id, changed, 'schedule three')).toMatchObject({ statusCode: 200 });
  const taxed = { invoice: { lines: [ofProduct.lines[1]] } };
  expect(await update(id, taxed, 'schedule four')).toMatchObject({ statusCode: 400 });
  expect(await on('skip', 'POST', id, { idempotencyKey: 'schedule five' })).toMatchObject({ next: 2 });
  for (const key of ['schedule six', 'schedule seven'])
    expect(await on('run', 'POST', id, { idempotencyKey: key })).toMatchObject({ statusCode: 200 });
  // Another request changes the schedule between the read and the write, so its invoice is read again.
  let isFirst = true;
  const late = await on('update', 'PATCH', id, {
    body: { invoice: { description: 'Late' } },
    crash: async (actions) => {
      const writes = actions.some(({ name, partition }) => `${name} ${partition}` === 'PutItem schedule');
      if (writes && isFirst) {
        isFirst = false;
        await update(id, { invoice: { description: 'Early' } }, 'schedule nine');
      }
      return false;
    },
  });
  expect(late).toMatchObject({ statusCode: 200 });

  const work = (schedule: string) =>
    run(worker, queueEvent({ reference: schedule, kind: 'overdue', due: 1, minute: 1 }));
  const made = async (schedule: string) => {
    for (const _ of ['first', 'again']) expect(await work(schedule)).toEqual({ batchItemFailures: [] });
    return (await table.get(tableKeys.record(schedule)))?.made;
  };
  expect(await made(id)).toBe(1);
  const draft = await create(futureSchedule({ mode: 'draft' }));
  await on('run', 'POST', draft.id);
  expect(await made(draft.id)).toBe(1);
  // The account sends mails until then, so it stops. Then it ends.
  await updateSettings(owner.account, { mailInvoice: true });
  const addressed = { customerId: 'pema@example.bt' };
  const sent = await create(futureSchedule({ mode: 'issue', count: 1 }, addressed));
  expect(await update(sent.id, { mode: 'send' }, 'schedule ten')).toMatchObject({ mode: 'send' });
  expect(await on('preview', 'GET', sent.id)).toMatchObject({ data: [{ problem: null }] });
  await updateSettings(owner.account, { mailInvoice: null });
  await on('run', 'POST', sent.id);
  await made(sent.id);
  expect(await update(sent.id, { status: 'ended' }, 'schedule eight')).toMatchObject({ status: 'ended' });
  for (const action of ['skip', 'run'])
    expect(await on(action, 'POST', sent.id, { idempotencyKey: `ended ${action}` })).toMatchObject({
      statusCode: 400,
    });
  const last = await create(futureSchedule({ count: 1 }));
  expect(await on('skip', 'POST', last.id)).toMatchObject({ status: 'ended' });
  const once = await create(futureSchedule({ count: 1 }));
  await on('run', 'POST', once.id);
  expect(await made(once.id)).toBe(1);
  await relayAll();

  // An index page that is behind its record, which the list updates. Then a record that does not exist.
  const { pagination: before } = await list();
  const behind = await table.get(tableKeys.record(id));
  await table.put({ ...behind, status: 'ended' });
  expect(await list()).toMatchObject({ pagination: before });
  await table.delete(tableKeys.record(draft.id));
  expect(await list()).toMatchObject({ pagination: { total: before.total - 1 } });
  expect(owner.mode).toBe('test');
}
