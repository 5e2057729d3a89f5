/**
 * Compares an account's records with its index pages and with one another, one batch of them for each message. Folds the
 * lists that other messages name.
 */

import { now } from '../../shared/base/time.ts';
import { queueHandler } from '../../shared/operations/background/batch.ts';
import { foldList, listToFold } from '../../shared/operations/folding/fold-lists.ts';
import { fromMessage } from '../../shared/operations/reconciliation/batch.ts';
import { reconcileBatch } from '../../shared/operations/reconciliation/reconcile.ts';

export const handler = queueHandler(
  'reconciliation',
  (body) => {
    const list = listToFold(body);
    return list ? { list } : { batch: fromMessage(body) };
  },
  ({ list, batch }) => (list ? foldList(list) : reconcileBatch(batch, now())),
);
