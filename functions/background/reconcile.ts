/**
 * Compares an account's records with its index pages and with one another, one batch of them for each message. Folds the
 * lists that other messages name.
 */
import { queueHandler } from '../../shared/background/batch.ts';
import { foldList, listToFold } from '../../shared/folding/fold-lists.ts';
import { fromMessage } from '../../shared/reconciliation/batch.ts';
import { reconcileBatch } from '../../shared/reconciliation/reconcile.ts';
import { now } from '../../shared/time.ts';

export const handler = queueHandler(
  'reconciliation',
  (body) => {
    const list = listToFold(body);
    return list ? { list } : { batch: fromMessage(body) };
  },
  ({ list, batch }) => (list ? foldList(list) : reconcileBatch(batch, now())),
);
