/** Compares an account's records with index pages and with one another, a stretch of them with each message. */
import { queueHandler } from '../../shared/batch.ts';
import { reconcile, type Stretch } from '../../shared/reconciliation/reconcile.ts';
import { now } from '../../shared/time.ts';

export const handler = queueHandler(async ({ body }) => {
  await reconcile(JSON.parse(body) as Stretch, now());
});
