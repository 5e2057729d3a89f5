/** Measures the capacity units of each request. `test/api/units.test.ts` asserts the same figures exactly. */
import type { Stack } from '../infra/local/stack.ts';
import { sumOf } from '../test/support/capacity-units.ts';
import { type PricedRequest, priceRequests } from '../test/support/priced-requests.ts';
import type { Diagram } from './diagram.ts';
import { measurePaidInvoice, type PaidInvoiceCost, type StepCost } from './paid-invoice.ts';
import { priceOfUnits } from './prices.ts';
import { formatCount, type Table } from './results.ts';

const targets: Readonly<Record<string, string>> = {
  'create, with key': '≤ 11 write',
  'update, with key': '≤ 7 write',
  'update of the due date, with key': '≤ 7 write',
  get: '1 write + 1 read',
};

const createName = 'create, with key';

export async function benchUnits(stack: Stack): Promise<Table> {
  const paid = await measurePaidInvoice(stack, false);
  const priced = await priceRequests(stack);
  const created = priced.find(({ name }) => name === createName);
  const createWrites = sumOf([...(created?.request ?? []), ...(created?.background ?? [])], 'write');
  const paymentWrites = paid.pay.request.write + paid.pay.background.write;
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
    goals: [
      {
        figure: 'create with key, all writes',
        row: 'a description of 100 characters',
        measured: `${createWrites} write units`,
        shares: [createWrites / 13],
      },
      {
        figure: 'card payment with key, all writes',
        row: 'without a webhook endpoint',
        measured: `${formatCount(paymentWrites)} write units`,
        shares: [paymentWrites / 34],
      },
    ],
    diagrams: [toDiagram(priced, paid)],
    notes: [
      'Computed from item sizes: a description of 100 characters, an e-mail address as customer, ten API keys in the account state, and full index pages.',
    ],
  };
}

/** Shows what changes cost with an idempotency key: creates, updates, cancellations and card payments. */
function toDiagram(priced: readonly PricedRequest[], { pay }: PaidInvoiceCost): Diagram {
  const unitsOf = (calls: PricedRequest['request']) => ({
    write: sumOf(calls, 'write'),
    read: sumOf(calls, 'read'),
  });
  const changes: { name: string; cost: StepCost }[] = ['create', 'update', 'cancel'].flatMap((name) =>
    priced
      .filter((one) => one.name === `${name}, with key`)
      .map(({ request, background }) => ({
        name,
        cost: { request: unitsOf(request), background: unitsOf(background) },
      })),
  );
  changes.push({ name: 'card payment', cost: pay });
  const dollars = ({ request, background }: StepCost) =>
    ((priceOfUnits(request) + priceOfUnits(background)) * 1e6).toFixed(2);
  return {
    file: 'units-per-change.svg',
    title: 'Write units of a change, and dollars for a million',
    description: changes
      .map(
        ({ name, cost }) =>
          `${name}: ${formatCount(cost.request.write)} write units in the request and ${formatCount(cost.background.write)} in the background, ${dollars(cost)} dollars for a million`,
      )
      .join('. '),
    kind: 'stacked bars',
    axis: 'write units, with an idempotency key',
    labels: changes.map(({ name, cost }) => `${name}: $${dollars(cost)}`),
    series: [
      { name: 'in the request', values: changes.map(({ cost }) => cost.request.write) },
      { name: 'in the background', values: changes.map(({ cost }) => cost.background.write) },
    ],
  };
}
