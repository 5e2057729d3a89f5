/** Measures how the rows of bank statements pay open invoices by themselves: the time, and the capacity units of a row. */
import type { Stack } from '../infra/local/stack.ts';
import { recordId } from '../shared/base/ids.ts';
import { now } from '../shared/base/time.ts';
import { accountStateAttributes, IdKeys } from '../shared/store/account-state.ts';
import { tableKeys } from '../shared/store/keys.ts';
import { type Api, invoiceBody, newAccount } from '../test/support/api.ts';
import { countUnits, sumOf } from '../test/support/capacity-units.ts';
import { inNewestVersion } from '../test/support/newest-version.ts';
import { type TestItem, tableOf } from '../test/support/table.ts';
import { uploadFile } from '../test/support/upload-file.ts';
import { formatCount, type Table } from './results.ts';

const openInvoices = 20_000;
const rowCount = 5_000;
const amount = 2_500;

export async function benchStatements(stack: Stack): Promise<Table> {
  const { api, references } = await newOpenInvoices(stack);
  const { matchStatement } = await import('../shared/domain/statements/match-statement.ts');
  const importedAt = performance.now();
  const timed = await importRows(api, references, 0);
  const importMs = performance.now() - importedAt;
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  await matchStatement(timerOf(timed), now());
  const matchMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpu);
  const counted = await importRows(api, references, 1);
  const units = countUnits(stack);
  try {
    await matchStatement(timerOf(counted), now());
  } finally {
    units.remove();
  }
  const calls = units.take();
  for (const id of [timed, counted]) await requireAllMatched(api, id);
  const [readUnits, writeUnits] = [sumOf(calls, 'read') / rowCount, sumOf(calls, 'write') / rowCount];
  return {
    title: `Rows of bank statements that pay ${formatCount(openInvoices)} open invoices by themselves`,
    columns: ['rows', 'import', 'match and pay', 'processor time', 'read units a row', 'write units a row'],
    rows: [
      [
        formatCount(rowCount),
        seconds(importMs),
        seconds(matchMs),
        seconds((user + system) / 1000),
        readUnits.toFixed(2),
        writeUnits.toFixed(2),
      ],
    ],
    notes: [
      'One uploaded file has all rows, and one worker matches them. Each row has the payment reference of an invoice, and each payment is a transaction of its own. The emulator of the table is on the same machine.',
      'The units are those of a second file of as many rows, which pay other invoices: to count them, each written item is read before and after.',
    ],
    goals: [
      {
        figure: 'bank statement with 5,000 rows',
        row: `each pays one of ${formatCount(openInvoices)} open invoices`,
        measured: `${seconds(matchMs)}, ${readUnits.toFixed(2)} read units a row`,
        shares: [matchMs / 30_000, readUnits / 3],
      },
    ],
  };
}

/** @throws Error if a row of the statement has not paid */
async function requireAllMatched(api: Api, id: string): Promise<void> {
  const { json } = await api.get(`/api/statements/${id}/rows?status=matched&limit=1`);
  const { total } = json.pagination;
  if (total !== rowCount) throw new Error(`${total} of ${rowCount} rows have paid.`);
}

const timerOf = (reference: string) => ({ due: now(), kind: 'payment', minute: 1, reference }) as const;

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

/** Writes the items of invoices that nobody has paid. Returns their payment references. */
async function newOpenInvoices(stack: Stack): Promise<{ api: Api; references: string[] }> {
  const { createInvoice } = await import('../shared/domain/invoices/transitions.ts');
  const { invoiceType } = await import('../shared/domain/invoices/record.ts');
  const { paymentReferenceOf } = await import('../shared/domain/invoices/payment-reference.ts');
  const { toItem } = await import('../shared/store/records.ts');
  const table = tableOf(stack);
  const { accountId, test } = await newAccount(stack.baseUrl);
  const owner = { account: accountId, mode: 'test' } as const;
  const state = (await table.get(tableKeys.accountState(owner))) ?? {};
  const idKeys = new IdKeys(state);
  const items: TestItem[] = [];
  const references: string[] = [];
  for (let seq = 1; seq <= openInvoices; seq++) {
    const idKey = idKeys.of(seq);
    const paymentReference = paymentReferenceOf({ ...owner, idKey }, seq) ?? '';
    const id = recordId(idKey, { ...owner, resource: 'invoice' }, seq);
    const identity = { ...owner, id, seq, filterKeys: [], paymentUrl: '', paymentReference };
    const { record } = createInvoice(
      identity,
      invoiceBody({ amount, currency: 'BTN' }) as never,
      Date.now() as never,
    );
    items.push(toItem(invoiceType, record, 'seeded'));
    references.push(paymentReference);
  }
  await table.putAll(items);
  await table.put({ ...state, [accountStateAttributes.seq.invoice]: openInvoices });
  return { api: inNewestVersion(test), references };
}

/**
 * Imports a file with rows, each of which names another invoice.
 * @param first the index of the invoice that the first row names
 * @returns the id of the statement
 */
async function importRows(api: Api, references: readonly string[], first: number): Promise<string> {
  const lines = Array.from({ length: rowCount }, (_, number) => {
    const reference = references[first + number * (openInvoices / rowCount)];
    return `2026-03-31,25.00,FT ${first}-${number},TRF ${reference} DORJI`;
  });
  const file = await uploadFile(api, ['Date,Amount,Reference,Narration', ...lines].join('\n'));
  const { status, json } = await api.post('/api/statements', { bank: 'Bank', currency: 'BTN', file });
  if (status !== 201) throw new Error(`The rows were not imported: ${JSON.stringify(json)}`);
  return json.id;
}
