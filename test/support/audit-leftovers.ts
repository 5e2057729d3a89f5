/**
 * What must not be left of payments and refunds once everything has come to rest, beside what `audit-balances.ts`
 * judges: timers, requests without an answer, events in the wrong order. Pure, like the other audits.
 */
import { recordsOf } from './history-stories.ts';
import type { TestItem } from './table.ts';

/** @param owner `account#mode` */
export function leftoverFaults(all: readonly TestItem[], owner: string): string[] {
  const { payment, refund } = recordsOf(all, owner);
  const ids = new Set([...payment, ...refund].map(({ pk }) => pk));
  const waiting = all.flatMap(({ pk, sk, reference, final }) => {
    if (pk.startsWith('TIMER#') && ids.has(reference)) return [`the timer ${sk} is left`];
    return pk.startsWith(`IDEMPOTENCY#${owner}#`) && !final ? [`${pk} has no answer`] : [];
  });
  return [...waiting, ...orderFaults(all, owner, payment)];
}

/** That a payment completed is announced before that its invoice is paid. */
function orderFaults(all: readonly TestItem[], owner: string, payments: readonly TestItem[]): string[] {
  const events = all.filter(({ pk }) => pk === `EVENTS#${owner}`).sort((a, b) => (a.sk < b.sk ? -1 : 1));
  const announced = events.map(({ body }) => JSON.parse(body)).map(({ type, data }) => `${type} ${data.id}`);
  return payments.flatMap(({ pk, invoiceId, status }) => {
    const completed = announced.indexOf(`payment.completed ${pk}`);
    const paid = announced.indexOf(`invoice.paid ${invoiceId}`);
    return status === 'completed' && paid !== -1 && paid < completed
      ? [`${invoiceId}: paid before ${pk}`]
      : [];
  });
}
