import { env } from '../../base/env.ts';
import { timeOfAuditEntry } from '../../base/ids.ts';
import { toSeconds } from '../../base/time.ts';
import { auditSealer } from '../../platform/secrets/audit-secret.ts';
import type { OpenLog } from '../../store/append-to-logs.ts';
import { tableKeys } from '../../store/keys.ts';
import type { Item } from '../../store/records.ts';
import { count, defineItem } from '../../store/stored-fields.ts';
import type { FailedAction, TransactionItem } from '../../store/transactions.ts';
import { type AuditScope, auditRetentionMs, nameOfScope } from './audit-store.ts';
import type { AuditEntry } from './entry.ts';
import { type AuditHead, emptyHead, sealedTextOf, sealedTextOfHead } from './sealed-entry.ts';

type Seal = (text: string) => string;

/** The audit log of a scope, from the head on that was read. */
export class AuditLog implements OpenLog {
  readonly #scope: AuditScope;
  readonly #seal: Seal;
  #head: AuditHead;
  #missing = new Map<string, AuditEntry>();
  #next: AuditHead;

  private constructor(scope: AuditScope, seal: Seal, head: AuditHead) {
    this.#scope = scope;
    this.#seal = seal;
    this.#head = head;
    this.#next = head;
  }

  /**
   * Opens a log.
   * @param head the item of the head, as it was read. Another relay may have changed it since
   * @throws MalformedItemError if the head cannot be read; the error of the secret
   */
  static async open(scope: AuditScope, head: Item | undefined): Promise<AuditLog> {
    return new AuditLog(scope, await auditSealer(), toHead(head));
  }

  /** Adds entries to append, in their order. */
  add(entries: readonly AuditEntry[]): void {
    for (const entry of entries) this.#missing.set(entry.id, entry);
  }

  actions(): readonly TransactionItem[] {
    if (this.#missing.size === 0) return [];
    const plan = planOf(this.#scope, this.#head, [...this.#missing.values()], this.#seal);
    this.#next = plan.head;
    return plan.actions;
  }

  onWritten(): void {
    this.#head = this.#next;
    this.#missing.clear();
  }

  async onRefused([head, ...entries]: readonly FailedAction[]): Promise<boolean> {
    [...this.#missing.keys()].forEach((id, index) => {
      if (entries[index]?.failed) this.#missing.delete(id);
    });
    if (head?.failed) this.#head = toHead(head.item);
    return head?.failed ?? false;
  }
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
  seal: Seal,
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
