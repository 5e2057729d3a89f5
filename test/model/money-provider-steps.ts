/** The steps of a run of random money that begin with a payment at a provider, and decide about one of another amount. */
import { payButtonOf, pressPay } from '../support/checkouts.ts';
import type { HttpResponse } from '../support/http.ts';
import { invocationHeader } from '../support/invocations.ts';
import { openPage } from '../support/pay-page.ts';
import type { Random } from '../support/seeded-random.ts';
import type { TestItem } from '../support/table.ts';
import { cardPartOf, heldPayments, invoiceOf, type MoneyStep, type MoneyWorld } from './money-world.ts';

/** Presses the pay button of the page, with a part if the page offers it, and returns the checkout to which it leads. */
async function press(world: MoneyWorld, random: Random, invoice: TestItem): Promise<string | undefined> {
  const page = await openPage(invoice.paymentUrl);
  if (!page.text.includes('name="provider"')) return undefined;
  const offersPart = page.text.includes('name="part"');
  const part = (cardPartOf(random, invoice.amountDue) / 100).toFixed(2);
  const fields = { ...payButtonOf(page), ...(offersPart && { part }) };
  const headers = { [invocationHeader]: world.newLabel() };
  const answer = await pressPay(invoice.paymentUrl, fields, headers).catch(
    (): HttpResponse | undefined => undefined,
  );
  return /\/(?:c\/pay|i)\/(\w+)/.exec(answer?.headers.location ?? '')?.[1];
}

/** Every step, and how often it is chosen. */
export const providerSteps: Readonly<Record<string, readonly [weight: number, step: MoneyStep]>> = {
  checkout: [
    18,
    async (world, random) => {
      const invoice = await invoiceOf(world, random);
      const reference = invoice && (await press(world, random, invoice));
      if (reference === undefined || random.chance(0.15)) return;
      if (random.chance(0.2)) world.double.act(reference, 'decline');
      // The payer pays while others change the invoice.
      if (random.chance(0.3))
        await world.send('DELETE', `/api/invoices/${invoice?.id}?payments=refund&force=payment_in_progress`);
      // The payer pays more than what the provider was asked for.
      world.double.behavior.differenceMinor = random.chance(0.4) ? random.integer(100, 900) : 0;
      if (world.double.act(reference, 'pay')) world.count('paid at the provider');
      world.double.behavior.differenceMinor = 0;
    },
  ],
  resolve: [
    10,
    async (world, random) => {
      const held = random.pick(await heldPayments(world));
      const action = random.chance(0.85) ? 'accept' : 'refund';
      if (held) await world.send('POST', `/api/payments/${held.id}/resolve`, { action });
    },
  ],
  'refund what is over': [
    7,
    async (world, random) => {
      const { data } = await world.read('/api/payments?limit=100&status=completed');
      const over = (data as TestItem[]).filter(
        ({ amount, amountOver }) => amountOver > 0 && amountOver < amount,
      );
      const payment = random.pick(over);
      if (!payment) return;
      const amount = random.pick([payment.amountOver, Math.ceil(payment.amountOver / 2), undefined]);
      await world.send('POST', '/api/refunds', { paymentId: payment.id, ...(amount && { amount }) });
    },
  ],
};
