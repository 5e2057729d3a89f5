/** Tests that every part of the service names the same day on which an invoice is due. Costs 0.3 s. */
import { expect, test } from '@jest/globals';
import { balancesOf } from '../../shared/domain/account-statements/balance.ts';
import type { Seller } from '../../shared/domain/accounts/seller.ts';
import { invoiceContent } from '../../shared/domain/documents/issue.ts';
import { rowsToCsv } from '../../shared/domain/exports/columns.ts';
import type { Invoice, ShownInvoice } from '../../shared/domain/invoices/invoice.ts';
import { additionsOf } from '../../shared/domain/journal/sums.ts';
import { remindersBetween } from '../../shared/domain/mails/reminder-times.ts';
import { toDueValue } from '../../shared/web/dashboard/input/zoned-times.ts';
import { formatDueDate } from '../../shared/web/pages/dates.ts';

/** Returns the day on which the invoice is due, as each part of the service says it. */
async function daysOf(dueDate: string, timeZone: string): Promise<Record<string, string>> {
  const due = Date.parse(dueDate);
  const invoice = {
    customerId: 'c',
    description: 'Tea',
    currency: 'BTN',
    amount: 500,
    status: 'pending',
    dueDate,
    taxes: [],
  };
  const seller = { timeZone, taxIds: [], address: {} } as unknown as Seller;
  const parties = { seller, settings: { contact: undefined }, customer: undefined, mode: 'test' as const };
  const number = { number: 'INV-1', revision: 0 };
  const entries = [{ account: 'receivable', currency: 'BTN' as const, amount: 500, on: due }];
  const keyOf = (day: string) => ({ pk: 'days', sk: day });
  const [sums] = additionsOf({ at: 0, entries, types: [] }, timeZone, keyOf, keyOf('totals'));
  const plan = { days: [0], hour: 12, daysOff: [], timeZone };
  const [reminder] = remindersBetween(plan, dueDate, 0, due + 9 * 86_400_000);
  const isDue = (today: string) =>
    balancesOf([invoice as unknown as Invoice], [], { today, timeZone })[0]?.ages.notDue === 500;
  const around = [-2, -1, 0, 1, 2].map((days) =>
    new Date(due + days * 86_400_000).toISOString().slice(0, 10),
  );
  const csv = await rowsToCsv('invoices', [{ dueDate }], { bom: false, timeZone });
  const inZone = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
  return {
    document: String(invoiceContent(invoice as unknown as ShownInvoice, number, parties, 0).dueOn),
    sums: String(sums?.key.sk),
    balance: around.filter(isDue).at(-1) ?? '',
    page: inZone.format(Date.parse(`${formatDueDate(due, timeZone).split(',')[0]} 12:00 UTC`)),
    form: toDueValue({ timeZone }, dueDate).slice(0, 10),
    reminder: inZone.format(reminder?.at),
    export: /\d{4}-\d\d-\d\dT/.exec(csv)?.[0].slice(0, 10) ?? '',
  };
}

test.each([
  // A due date without a time is the last millisecond of its day in UTC.
  ['2026-03-31T23:59:59.999Z', 'Asia/Thimphu', '2026-03-31'],
  ['2026-03-31T23:59:59.999Z', 'Asia/Kolkata', '2026-03-31'],
  ['2026-03-31T23:59:59.999Z', 'America/New_York', '2026-03-31'],
  ['2026-03-31T23:59:59.999Z', 'UTC', '2026-03-31'],
  // The last millisecond of a day in the zone, as forms of the dashboard send it.
  ['2026-03-31T17:59:59.999Z', 'Asia/Thimphu', '2026-03-31'],
  ['2026-04-01T03:59:59.999Z', 'America/New_York', '2026-03-31'],
  // Another time is of the day in the zone.
  ['2026-03-31T19:00:00.000Z', 'Asia/Thimphu', '2026-04-01'],
  ['2026-04-01T02:00:00.000Z', 'America/New_York', '2026-03-31'],
])('%s is due in %s on %s for all', async (dueDate, timeZone, day) => {
  const days = await daysOf(dueDate, timeZone);
  expect(days).toEqual(Object.fromEntries(Object.keys(days).map((name) => [name, day])));
});
