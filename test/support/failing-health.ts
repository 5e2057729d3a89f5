/** Makes the item of an endpoint that fails, without failed attempts. */
import type { Health } from '../../shared/domain/webhooks/health.ts';
import { tableKeys } from '../../shared/store/keys.ts';

const monthSeconds = 30 * 86_400;

/** Returns the item of the health of an endpoint that fails since `now`, in milliseconds. It expires after a month. */
export const failingHealth = (webhookId: string, now: number, health: Partial<Health> = {}) => ({
  ...tableKeys.webhookHealth(webhookId),
  failingSince: now,
  ...health,
  expiresAt: Math.ceil(now / 1000) + monthSeconds,
});
