/**
 * Adds entries to the audit log. Only the relay does this.
 *
 * - One transaction puts entries and raises the last number in the head of the log. It has a condition on the head that was read,
 *   and on the absence of each entry. So there is never a gap and never a twin, whatever crashes or runs at the same time.
 * - An entry that exists was added by an earlier relay of the same outbox item, and is left as it is.
 */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../base/env.ts';
import { timeOfAuditEntry } from '../../base/ids.ts';
import { toSeconds } from '../../base/time.ts';
import { auditSealer } from '../../platform/secrets/audit-secret.ts';
import { dynamodb, retryDelayMs } from '../../store/client.ts';
import { tableKeys } from '../../store/keys.ts';
import type { Item } from '../../store/records.ts';
import { count, defineItem } from '../../store/stored-fields.ts';
import { type TransactionItem, writeTransaction } from '../../store/transactions.ts';
import { type AuditScope, auditRetentionMs, nameOfScope } from './audit-store.ts';
import type { AuditEntry } from './entry.ts';
import { type AuditHead, emptyHead, sealedTextOf, sealedTextOfHead } from './sealed-entry.ts';

/** A transaction has at most 100 actions, and one of them raises the number. */
const entriesAtOnce = 99;
/** Another relay adds entries of the same log between two attempts. Each attempt that fails means that another one did not. */
const maxAttempts = 50;

/**
 * Adds entries, in their order. Does nothing for those that exist.
 * @param entries of one scope
 * @param headItem the head of the log, as it was read. Another relay may have changed it since
 * @throws the error of DynamoDB or of the secret; Error if other relays kept adding entries
 */
export async function appendAuditEntries(
  scope: AuditScope,
  entries: readonly AuditEntry[],
  headItem?: Item,
): Promise<void> {
  const seal = await auditSealer();
  let head = toHead(headItem);
  let missing = [...new Map(entries.map((entry) => [entry.id, entry])).values()];
  for (let attempt = 0; missing.length > 0; attempt++) {
    if (attempt === maxAttempts) throw new Error('Other relays kept adding entries to the audit log.');
    const batch = missing.slice(0, entriesAtOnce);
    const plan = planOf(scope, head, batch, seal);
    const result = await writeTransaction(plan.actions);
    if (result.written) {
      head = plan.head;
      missing = missing.slice(batch.length);
      attempt = -1;
      continue;
    }
    const [ofHead, ...ofEntries] = result.failed;
    const existing = new Set(batch.filter((_, index) => ofEntries[index]?.failed));
    missing = missing.filter((entry) => !existing.has(entry));
    if (!ofHead?.failed) continue;
    head = toHead(ofHead.item);
    await new Promise((resolve) => setTimeout(resolve, retryDelayMs(attempt)));
  }
}

/** Reads the item of the head of a log, strongly consistent. Undefined: the log never had an entry. */
export async function readAuditHeadItem(scope: AuditScope): Promise<Item | undefined> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: tableKeys.auditHead(scope), ConsistentRead: true }),
  );
  return item;
}

const parseHead = defineItem<AuditHead>(({ pk }) => String(pk), { last: count, lastExpiry: count });

/**
 * Returns the head that an item stores.
 * @throws MalformedItemError, because no number could follow
 */
export function toHead(item: Item | undefined): AuditHead {
  if (!item) return emptyHead;
  const { last, lastExpiry } = parseHead(item);
  return { last, lastExpiry };
}

/** Returns the actions that add entries after a head, the first of which raises the head, and the head that follows. */
function planOf(
  scope: AuditScope,
  before: AuditHead,
  entries: readonly AuditEntry[],
  seal: (text: string) => string,
): { readonly actions: TransactionItem[]; readonly head: AuditHead } {
  const name = nameOfScope(scope);
  let head = before;
  const puts = entries.map((entry): TransactionItem => {
    const at = timeOfAuditEntry(entry.id);
    const expiresAt = toSeconds(at + auditRetentionMs);
    const numbered = { ...entry, number: head.last + 1, previousExpiry: head.lastExpiry };
    head = { last: numbered.number, lastExpiry: expiresAt };
    const { id, ...attributes } = numbered;
    const Item = {
      ...tableKeys.auditEntry(scope, at, id),
      ...attributes,
      seal: seal(sealedTextOf(name, numbered)),
      expiresAt,
    };
    return { Put: { TableName: env.tableName(), Item, ConditionExpression: 'attribute_not_exists(pk)' } };
  });
  return { actions: [putHead(scope, before, head, seal(sealedTextOfHead(name, head))), ...puts], head };
}

function putHead(scope: AuditScope, before: AuditHead, after: AuditHead, seal: string): TransactionItem {
  return {
    Put: {
      TableName: env.tableName(),
      Item: { ...tableKeys.auditHead(scope), ...after, seal },
      ...(before === emptyHead
        ? { ConditionExpression: 'attribute_not_exists(pk)' }
        : {
            ConditionExpression: '#last = :last',
            ExpressionAttributeNames: { '#last': 'last' },
            ExpressionAttributeValues: { ':last': before.last },
          }),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}
