/** Sends the notifications of a double as providers do: at once, late, twice, in another order, and sometimes never. */
import type { DoubleNotification } from '../../../infra/local/provider-doubles/common/notification-sender.ts';
import type { ProviderDouble } from '../../../infra/local/provider-doubles/common/provider-double.ts';
import { seededRandom } from '../seeded-random.ts';
import type { Agenda } from './agenda.ts';
import { hourMs, minuteMs } from './stories.ts';

export interface NotificationPlan {
  readonly seed: number;
  readonly double: ProviderDouble;
  /** The addresses of the accounts that can be meant. */
  readonly urls: readonly string[];
  readonly agenda: Agenda;
}

/** Returns a function that plans the delivery of the notifications since its last call. */
export function planNotifications({ seed, double, urls, agenda }: NotificationPlan): () => void {
  let planned = 0;
  /** A provider repeats a notification until it is received, for a day. */
  const send = async (url: string, notification: DoubleNotification, attempts: number) => {
    const status = await double.notifications.send(url, notification).catch(() => 0);
    if (status !== 200 && attempts > 0)
      agenda.addLater(30 * minuteMs, () => send(url, notification, attempts - 1));
  };
  return () => {
    const fresh = double.notifications.all.slice(planned);
    for (const notification of fresh) {
      const random = seededRandom(seed, 'notification', planned++);
      if (random.chance(0.3)) continue;
      const times = random.chance(0.15) ? 2 : 1;
      for (let time = 0; time < times; time++) {
        const afterMs = random.chance(0.6)
          ? 0
          : random.integer(1, 20) * (random.chance(0.5) ? minuteMs : hourMs);
        agenda.addLater(afterMs, async () => {
          for (const url of urls) await send(url, notification, 20);
        });
      }
    }
  };
}
