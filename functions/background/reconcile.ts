/** Compares an account's records with its index pages and with one another, one batch of them for each message. */
import { queueHandler } from '../../shared/background/batch.ts';
import { fromMessage, reconcileBatch } from '../../shared/reconciliation/reconcile.ts';
import { now } from '../../shared/time.ts';

export const handler = queueHandler(async ({ body }) => {
  await reconcileBatch(fromMessage(body), now());
});
