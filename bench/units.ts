/** Measures the capacity units of each request. `test/api/units.test.ts` asserts the same figures exactly. */
import type { Stack } from '../infra/local/stack.ts';
import { sumOf } from '../test/support/capacity-units.ts';
import { priceRequests } from '../test/support/priced-requests.ts';
import type { Table } from './results.ts';

const targets: Readonly<Record<string, string>> = {
  'create, with key': '≤ 11 write',
  'update, with key': '≤ 7 write',
  'update of the due date, with key': '≤ 7 write',
  get: '1 write + 1 read',
};

export async function benchUnits(stack: Stack): Promise<Table> {
  const priced = await priceRequests(stack);
  const rows = priced.flatMap(({ name, request, background }) => {
    const cells = (calls: typeof request) => [String(sumOf(calls, 'write')), String(sumOf(calls, 'read'))];
    const [sizes, followUp] = [request, background].map((calls) => {
      const items = calls.filter(({ write }) => write > 0).flatMap((call) => call.items);
      return items.map(({ kind, bytes }) => `${kind} ${bytes}`).join(', ');
    });
    return [
      [name, ...cells(request), targets[name] ?? '', sizes ?? ''],
      ...(background.length > 0 ? [['… in the background', ...cells(background), '', followUp ?? '']] : []),
    ];
  });
  return {
    title: 'Capacity units of a request',
    columns: ['request', 'write units', 'read units', 'target', 'bytes of the items written'],
    rows,
    notes: [
      'Computed from item sizes: a description of 100 characters, an e-mail address as customer, ten API keys in the account state, and full index pages.',
    ],
  };
}
