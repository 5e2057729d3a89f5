/**
 * Sets the timer of a checkout for now, because something says that its state has changed. The worker then asks the
 * provider. A hint itself changes nothing.
 */

import type { Instant } from '../../../base/time.ts';
import { tableHash } from '../../../platform/secrets/deployment-secret.ts';
import { hourOf } from '../../../store/account-state.ts';
import { tableKeys } from '../../../store/keys.ts';
import { setTimer } from '../../../store/timers/timers.ts';
import { countInHour } from '../../auth/hour-count-store.ts';
import { checkoutTimer } from './transitions.ts';

/** How many hints of payers a checkout follows in a clock hour. The page of the payer refreshes itself and repeats them. */
const hintsPerHour = 60;

/** Follows the hint of a payer who has returned, within a limit. Everyone who has the link can send it. */
export async function hintByPayer(checkoutId: string, now: Instant): Promise<void> {
  const key = tableKeys.attempts(await tableHash('attempts:checkout-hint', checkoutId), hourOf(now));
  if ((await countInHour(key, hintsPerHour, now)) <= hintsPerHour)
    await setTimer(checkoutTimer({ id: checkoutId }, now), now);
}
