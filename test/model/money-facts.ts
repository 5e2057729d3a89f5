/** What a run of random money has made: its events, the lines of its journal, and how many payments of each kind. */
import type { Api } from '../support/api.ts';
import type { TestItem, TestTable } from '../support/table.ts';
import type { MoneyEvent } from './audit-money.ts';

/** Counts completed payments by their method, and by what they came from and what became of them. */
export async function countPayments(table: TestTable): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const payment of await table.all('pay_')) {
    const { status, method, statementRow, claim, amount, amountOver, overRefunded } = payment;
    if (status !== 'completed') continue;
    const isAccepted = method === 'provider' && amountOver > 0 && amountOver < amount;
    const names = [
      ...[method, statementRow && 'row', claim && 'claim', amountOver > 0 && 'over'],
      ...[isAccepted && 'accepted', isAccepted && overRefunded > 0 && 'accepted and refunded'],
    ];
    for (const name of names) if (name) counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** Returns all events, oldest first, as the newest version shows them. */
export async function eventsOf(api: Pick<Api, 'get'>): Promise<MoneyEvent[]> {
  const events: (MoneyEvent & { readonly id: string })[] = [];
  for (let more = true; more; ) {
    const after = events.at(-1)?.id ?? 'start';
    const { json } = await api.get(`/api/events?limit=100&after=${after}`);
    events.push(...json.data);
    more = json.data.length > 0;
  }
  return events;
}

/** Returns the lines of all entries of the journal. */
export async function journalLinesOf(api: Pick<Api, 'get'>): Promise<TestItem[]> {
  const entries: { readonly position: number; readonly lines: readonly TestItem[] }[] = [];
  for (let more = true; more; ) {
    const after = entries.length > 0 ? `&after=${entries.at(-1)?.position}` : '';
    const { json } = await api.get(`/api/journal?limit=100${after}`);
    entries.push(...json.data);
    more = json.data.length > 0;
  }
  return entries.flatMap(({ lines }) => lines);
}
