/**
 * The steps of a run of random money: everything that moves money to an invoice or away from it, by a payer, the merchant, a bank or a
 * provider. A step depends on the random numbers and on what the run has seen. It is refused if the invoice does not allow it.
 */
import { invoiceBody } from '../support/api.ts';
import { claimFormOf } from '../support/claims.ts';
import { invocationHeader } from '../support/invocations.ts';
import { submit } from '../support/pay-page.ts';
import type { Random } from '../support/seeded-random.ts';
import type { TestItem } from '../support/table.ts';
import { providerSteps } from './money-provider-steps.ts';
import {
  cardPartOf,
  invoiceOf,
  type MoneyStep,
  type MoneyWorld,
  partOf,
  pickPayment,
  providerCurrency,
} from './money-world.ts';

const customers = ['cust_1', 'cust_2'];
const bank = 'Bank of Bhutan';
/** Few references, so that some are used twice. */
const referenceOf = (random: Random) => `FT${random.integer(1, 60)}`;
const cards = ['4242424242424242', '4242424242424242', '4000000000000002', '4000000000000077'];

async function createInvoice({ send }: MoneyWorld, random: Random) {
  const fields = {
    customerId: random.pick(customers),
    amount: random.integer(500, 9_000),
    currency: providerCurrency,
  };
  const parts = { acceptPartial: random.chance(0.9), ...(random.chance(0.3) && { useCredit: true }) };
  return send('POST', '/api/invoices', invoiceBody({ ...fields, ...parts }));
}

/** A row of a statement. Most name an invoice. Some have another amount than what is due, and some say nothing. */
async function newRow(world: MoneyWorld, random: Random) {
  // Rows of other invoices mostly come after another step has changed the invoice, so few of them pay by themselves.
  const invoice = await (random.chance(0.5) ? createInvoice : invoiceOf)(world, random);
  const due = invoice?.amountDue ?? 0;
  const amount = random.chance(0.5) && due > 0 ? due : partOf(random, Math.max(due, 2_000));
  const named = random.chance(0.7) && invoice && (await world.paymentReferenceOf(invoice.id));
  return {
    day: world.today(),
    amount: random.chance(0.05) ? -amount : amount,
    reference: referenceOf(random),
    ...(named && { text: `TRANSFER ${named}` }),
  };
}

async function waitingRow({ read }: MoneyWorld, random: Random) {
  const statement = random.pick((await read('/api/statements?limit=100')).data as TestItem[]);
  const path = `/api/statements/${statement?.id}`;
  const row = statement && random.pick((await read(`${path}/rows?status=unmatched`)).data as TestItem[]);
  return row && { path: `${path}/rows/${row.id}`, row };
}

/** Every step, and how often it is chosen. */
export const moneySteps: Readonly<Record<string, readonly [weight: number, step: MoneyStep]>> = {
  create: [12, createInvoice],
  'offline part': [
    14,
    async (world, random) => {
      const invoice = await invoiceOf(world, random);
      const receivedOn = random.chance(0.5) ? world.today() : '2026-01-31';
      const known = random.chance(0.5) && { bank, reference: referenceOf(random), receivedOn };
      const amount = partOf(random, invoice?.amountDue ?? 1);
      await world.send('POST', '/api/payments', {
        invoiceId: invoice?.id,
        method: 'offline',
        amount,
        ...known,
      });
    },
  ],
  'offline rest': [
    5,
    async (world, random) => {
      const invoice = await invoiceOf(world, random);
      const writeOff = Math.floor((invoice?.amount ?? 0) * 0.05 * random.next());
      const settle = writeOff > 0 && random.chance(0.5) && { settle: { writeOff, reason: 'tds' } };
      await world.send('POST', '/api/payments', { invoiceId: invoice?.id, method: 'offline', ...settle });
    },
  ],
  card: [
    12,
    async (world, random) => {
      const invoice = await invoiceOf(world, random);
      const card = { number: random.pick(cards), expMonth: 12, expYear: 2099, cvc: '123' };
      const amount = cardPartOf(random, invoice?.amountDue ?? 1);
      await world.send('POST', '/api/payments', { invoiceId: invoice?.id, method: 'card', card, amount });
    },
  ],
  'more than is due': [
    5,
    async (world, random) => {
      const { data } = await world.read('/api/invoices?limit=20&status=paid');
      const paid = random.chance(0.7) && random.pick(data as TestItem[]);
      const invoice = paid || (await invoiceOf(world, random));
      const amount = (invoice?.amountDue ?? 0) + random.integer(1, 2_000);
      const transfer = { bank, reference: referenceOf(random), receivedOn: world.today() };
      const recorded = await world.send('POST', '/api/payments', {
        ...{ invoiceId: invoice?.id, method: 'offline', acceptOver: true },
        ...{ amount, ...transfer },
      });
      if (recorded?.amountOver === recorded?.amount) world.count('paid beyond a paid invoice');
    },
  ],
  ...providerSteps,
  void: [
    8,
    async (world, random) => {
      const payment = await pickPayment(world, random);
      if (payment) await world.send('POST', `/api/payments/${payment.id}/void`, { reason: 'Typed twice' });
    },
  ],
  refund: [
    8,
    async (world, random) => {
      const payment = await pickPayment(world, random);
      const amount = random.chance(0.7) && { amount: random.integer(1, payment?.amount ?? 1) };
      if (payment) await world.send('POST', '/api/refunds', { paymentId: payment.id, ...amount });
    },
  ],
  claim: [
    12,
    async (world, random) => {
      const invoice = await invoiceOf(world, random);
      if (!invoice) return;
      const amount = (partOf(random, invoice.amountDue) / 100).toFixed(2);
      const form = claimFormOf({ amount, reference: referenceOf(random), paidOn: world.today() });
      const headers = { [invocationHeader]: world.newLabel() };
      await submit(invoice.paymentUrl, form, { headers }).catch(() => {});
      const { claim, amountDue } = await world.read(`/api/invoices/${invoice.id}`);
      if (claim?.status !== 'open' || random.chance(0.3)) return;
      if (random.chance(0.3))
        await world.send('POST', `/api/invoices/${invoice.id}/claim/reject`, {
          claimId: claim.id,
          reason: 'No transfer',
        });
      else
        await world.send('POST', '/api/payments', {
          ...{ invoiceId: invoice.id, method: 'offline', claim: claim.id },
          amount: Math.min(claim.amount ?? amountDue, amountDue),
        });
    },
  ],
  statement: [
    8,
    async (world, random) => {
      const earlier = random.chance(0.25) && random.pick(world.statements);
      const rows = earlier
        ? []
        : await Promise.all([1, 2, 3].slice(random.integer(0, 2)).map(() => newRow(world, random)));
      const body = earlier || { bank, currency: providerCurrency, rows };
      if (!earlier) world.statements.push(body);
      await world.send('POST', '/api/statements', body);
    },
  ],
  'decide row': [
    6,
    async (world, random) => {
      const [waiting, invoice] = [await waitingRow(world, random), await invoiceOf(world, random)];
      if (!waiting) return;
      if (random.chance(0.2)) return world.send('POST', `${waiting.path}/ignore`);
      const money = Math.abs(waiting.row.amount);
      const amount = Math.min(money, Math.max(1, invoice?.amountDue ?? 1));
      const match = random.chance(0.3) ? { amount: money, acceptOver: true } : { amount };
      return world.send('POST', `${waiting.path}/match`, { invoiceId: invoice?.id, ...match });
    },
  ],
  credit: [
    7,
    async (world, random) => {
      const invoice = await invoiceOf(world, random);
      await world.send('POST', '/api/payments', { invoiceId: invoice?.id, method: 'credit' });
    },
  ],
  cancel: [
    8,
    async (world, random) => {
      const { data } = await world.read('/api/invoices?limit=20&status=pending');
      const partlyPaid = (data as TestItem[]).filter(({ amountPaid }) => amountPaid > 0);
      const invoice = random.chance(0.8) ? random.pick(partlyPaid) : await invoiceOf(world, random);
      const payments = random.pick(['credit', 'credit', 'refund']);
      await world.send('DELETE', `/api/invoices/${invoice?.id}?payments=${payments}`);
    },
  ],
  replace: [
    5,
    async (world, random) => {
      const invoice = await invoiceOf(world, random);
      const amount = random.chance(0.5) && { amount: random.integer(500, 9_000) };
      await world.send('POST', `/api/invoices/${invoice?.id}/replace`, { ...amount });
    },
  ],
  'change amount': [
    5,
    async (world, random) => {
      const invoice = await invoiceOf(world, random);
      const paid = invoice?.amountPaid ?? 0;
      const amount = random.chance(0.3) && paid > 0 ? paid : random.integer(100, 9_000);
      await world.send('PATCH', `/api/invoices/${invoice?.id}`, { amount });
    },
  ],
};

/** Chooses a step. The first ones of a run create invoices. */
export function chooseStep(random: Random, number: number): readonly [name: string, step: MoneyStep] {
  const create = moneySteps.create?.[1] as MoneyStep;
  if (number < 10) return ['create', create];
  const entries = Object.entries(moneySteps);
  let remaining = random.next() * entries.reduce((sum, [, [weight]]) => sum + weight, 0);
  for (const [name, [weight, step]] of entries) {
    remaining -= weight;
    if (remaining < 0) return [name, step];
  }
  return ['create', create];
}
