/** Measures how the rows of bank statements pay open invoices by themselves: the time, and the capacity units of a row. */
import type { Stack } from '../infra/local/stack.ts';
import { recordId } from '../shared/base/ids.ts';
import { accountStateAttributes, IdKeys } from '../shared/store/account-state.ts';
import { tableKeys } from '../shared/store/keys.ts';
import { type Api, invoiceBody, newAccount } from '../test/support/api.ts';
import { countUnits, sumOf } from '../test/support/capacity-units.ts';
import { inNewestVersion } from '../test/support/newest-version.ts';
import { type TestItem, tableOf } from '../test/support/table.ts';
import { uploadFile } from '../test/support/upload-file.ts';
import { formatCount, printLine, type Table } from './results.ts';

const openInvoices = 20_000;
const rowCount = 5_000;
const amount = 2_500;

export async function benchStatements(stack: Stack): Promise<Table> {
  const { api, references } = await newOpenInvoices(stack);
  const { matchStatement } = await import('../shared/domain/statements/match-statement.ts');
  const units = countUnits(stack);
  const statements: string[] = [];
  try {
    const importedAt = performance.now();
    statements.push(await importRows(api, references));
    const importMs = performance.now() - importedAt;
    units.take();
    const startedAt = performance.now();
    const cpu = process.cpuUsage();
    for (const reference of statements)
      await matchStatement(
        { due: Date.now(), kind: 'payment', minute: 1, reference } as never,
        Date.now() as never,
      );
    const matchMs = performance.now() - startedAt;
    const { user, system } = process.cpuUsage(cpu);
    const calls = units.take();
    const matched = await countMatched(api, statements);
    printLine(`  ${matched} of ${rowCount} rows have paid`);
    const aRow = (sum: number) => (sum / rowCount).toFixed(2);
    return {
      title: `Rows of bank statements that pay ${formatCount(openInvoices)} open invoices by themselves`,
      columns: [
        'rows',
        'matched',
        'import',
        'match and pay',
        'processor time',
        'read units a row',
        'write units a row',
      ],
      rows: [
        [
          formatCount(rowCount),
          formatCount(matched),
          seconds(importMs),
          seconds(matchMs),
          seconds((user + system) / 1000),
          aRow(sumOf(calls, 'read')),
          aRow(sumOf(calls, 'write')),
        ],
      ],
      notes: [
        `One uploaded file has all rows, and one worker matches them. Each row has the payment reference of an invoice, and each payment is a transaction of its own. The emulator of the table is on the same machine.`,
      ],
    };
  } finally {
    units.remove();
  }
}

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

/** Imports a file with rows, each of which names another invoice. Returns the id of the statement. */
async function importRows(api: Api, references: readonly string[]): Promise<string> {
  const lines = Array.from({ length: rowCount }, (_, number) => {
    const reference = references[number * (openInvoices / rowCount)];
    return `2026-03-31,25.00,FT ${number},TRF ${reference} DORJI`;
  });
  const file = await uploadFile(api, ['Date,Amount,Reference,Narration', ...lines].join('\n'));
  const { status, json } = await api.post('/api/statements', { bank: 'Bank', currency: 'BTN', file });
  if (status !== 201) throw new Error(`The rows were not imported: ${JSON.stringify(json)}`);
  return json.id;
}

async function countMatched(api: Api, statements: readonly string[]): Promise<number> {
  let matched = 0;
  for (const id of statements)
    matched += (await api.get(`/api/statements/${id}/rows?status=matched&limit=1`)).json.pagination.total;
  return matched;
}
