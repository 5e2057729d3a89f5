/** Measures how long a mail takes from the creation of its invoice until Amazon SES has it, on the whole local stack. */
import type { Stack } from '../infra/local/stack.ts';
import { newAccount } from '../test/support/api.ts';
import { switchMailsOn } from '../test/support/mails.ts';
import { waitUntil } from '../test/support/wait-until.ts';
import type { GoalResult } from './goals.ts';
import { formatCount, formatMs, percentile, printLine, type Table } from './results.ts';

/** How many invoices are sent one after the other. */
const rounds = 30;
/** The goal, in milliseconds. */
const mostMs = 2_000;
const headers = { 'X-API-Version': '2026-11-23' };

export async function benchMails(stack: Stack): Promise<Table> {
  const { changeSeller } = await import('../shared/domain/accounts/seller-change-store.ts');
  const parts = [stack.stream, stack.queues, stack.schedule];
  for (const part of parts) part.resume();
  try {
    const rows: string[][] = [];
    const goals: GoalResult[] = [];
    for (const row of ['without documents', 'with documents']) {
      const { accountId, live } = await newAccount(stack.baseUrl);
      if (rows.length > 0)
        await changeSeller(accountId, { legalName: 'Druk Crafts', address: { country: 'BT' } });
      await switchMailsOn(accountId, ['invoice']);
      const times: number[] = [];
      for (let round = 0; round <= rounds; round++) {
        const before = stack.mail.accepted.length;
        const startedAt = performance.now();
        // An address gets few mails a day.
        const customerId = `pema${round}@example.bt`;
        const body = { customerId, amount: 5_000, currency: 'BTN', description: 'Tea', send: true };
        const { status, text } = await live.post('/api/invoices', body, { headers });
        if (status !== 201) throw new Error(text);
        await waitUntil('SES has the mail', () => stack.mail.accepted.length > before, { everyMs: 5 });
        // The first loads the functions.
        if (round > 0) times.push(performance.now() - startedAt);
      }
      const p50 = percentile(times, 0.5);
      printLine(`  ${row}: ${formatMs(p50)}`);
      goals.push({ figure: 'invoice to SES, p50', row, measured: formatMs(p50), shares: [p50 / mostMs] });
      rows.push([row, formatCount(times.length), formatMs(p50), formatMs(percentile(times, 0.99))]);
    }
    return {
      title: 'From the creation of an invoice to Amazon SES',
      columns: ['mail', 'mails', 'p50', 'p99'],
      rows,
      goals,
      notes: [
        'One invoice after the other, created with `send` over HTTP. The time ends when the double of SES has accepted the mail, and contains the polls of the local stream and queues. A document gets its number first, and the mail waits for it.',
      ],
    };
  } finally {
    await Promise.all(parts.map((part) => part.pause()));
  }
}
