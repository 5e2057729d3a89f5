/** The timer that leads to a delivery's next attempt. */
import type { Mode } from '../ids.ts';
import type { Timer } from '../store/timers.ts';
import type { Delivery } from './delivery.ts';
import type { DeliveryReference } from './delivery-store.ts';

/** For a delivery that is pending. Messages of one endpoint are one group. */
export function deliveryTimer(delivery: Delivery): Timer {
  const { account, mode, webhookId, id, position, nextAttemptAt } = delivery;
  if (nextAttemptAt === undefined) throw new Error(`The delivery ${id} is not pending.`);
  const reference = [account, mode, webhookId, id, position].join('/');
  return { due: nextAttemptAt, kind: 'webhook', reference, group: webhookId };
}

/** The delivery that a timer is about. */
export function referenceOf({ reference }: Pick<Timer, 'reference'>): DeliveryReference {
  const [account = '', mode, webhookId = '', id = '', position] = reference.split('/');
  return { account, mode: mode as Mode, webhookId, id, position: Number(position) };
}
