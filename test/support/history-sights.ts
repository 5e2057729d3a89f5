/** What each call saw of which resource: in its rows, in the resource that it was answered with, in an error. */
import { type Call, callName, codeOf, isDone, shownBy } from './history.ts';
import type { Life } from './history-lives.ts';
import { type Sight, versionOf } from './history-order.ts';

/** All sights by the id of what was seen; what was shown and never was is a fault. */
export function sightsOf(
  calls: readonly Call[],
  lives: ReadonlyMap<string, Life>,
): { sights: Map<string, Sight[]>; faults: string[] } {
  const sights = new Map<string, Sight[]>();
  const faults: string[] = [];
  const add = (id: string, version: number, call: Call) => {
    const seen = sights.get(id) ?? [];
    seen.push({ version, begin: call.begin, end: call.end, by: callName(call) });
    sights.set(id, seen);
  };
  for (const call of calls) {
    for (const shown of shownBy(call)) {
      const life = lives.get(shown.id);
      const version = life ? versionOf(life, shown) : -1;
      if (version === -1) faults.push(`${callName(call)} shows what never was: ${JSON.stringify(shown)}`);
      // What a replay shows was so when its first request took effect, not now.
      else add(shown.id, version, call.answer?.replayed ? { ...call, begin: 0 } : call);
    }
    const life = lives.get(targetOf(call) ?? '');
    const seen = life && stateSeen(call, life);
    // A final state's error tells that the resource had come so far, not that it had come no further.
    if (life && seen !== undefined)
      add(life.id, seen, tellsOfFinal(call) && seen > 0 ? { ...call, begin: 0 } : call);
  }
  return { sights, faults };
}

/** The id of the resource whose state decides whether the call is refused. */
export const targetOf = ({ invoice, payment, refund }: Call): string | undefined =>
  refund ?? payment ?? invoice;

const tellsOfFinal = (call: Call) => codeOf(call) !== 'payment_not_refundable';

/** The version that a cancellation or an error answer tells of; 0: none; undefined: it tells of no single one. */
export function stateSeen(call: Call, { states }: Life): number | undefined {
  const first = (wanted: (status: string) => boolean) =>
    states.findIndex(({ shown }) => wanted(shown.status)) + 1;
  if (call.kind === 'cancel' && isDone(call)) return first((status) => status === 'cancelled');
  switch (codeOf(call)) {
    case 'invoice_already_cancelled':
      return first((status) => status === 'cancelled');
    case 'invoice_already_paid':
      return first((status) => status === 'paid');
    case 'invoice_not_pending':
      return first((status) => status !== 'pending');
    case 'payment_not_refundable':
      // It was pending, unless it failed: then it may have been either.
      return states.some(({ shown }) => shown.status === 'failed')
        ? undefined
        : first((status) => status === 'pending');
    case 'invoice_not_found':
    case 'payment_not_found':
    case 'refund_not_found':
    case 'invalid_invoice':
    case 'invalid_payment':
      return 0;
    default:
      return undefined;
  }
}
