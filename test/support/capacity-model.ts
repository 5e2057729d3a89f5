/**
 * Models the throughput limits of DynamoDB: how many units a second an item, a partition and a table serve.
 *
 * - A limit is a bucket of units that fills at its rate. An operation that finds too few units is throttled and takes
 *   none. An operation that is larger than the bucket needs a full bucket, and leaves a debt.
 * - All items of a partition key are one partition. DynamoDB can split such a partition, so this is the worst case.
 * - An update or a delete costs as much as the last put of the item, and one unit if there was none.
 * - A query is charged after its page is known, so it can leave a debt.
 */
import { actionsOf, isTransaction, itemBytes, type WireCall } from './wire-call.ts';

/** Units a second. An absent one has no limit. */
export interface ThroughputLimit {
  readonly write?: number;
  readonly read?: number;
}

export interface ThroughputLimits {
  readonly item?: ThroughputLimit;
  readonly partition?: ThroughputLimit;
  readonly table?: ThroughputLimit;
  /** The seconds of unused capacity that a bucket keeps. The default is 0: DynamoDB does not guarantee bursts. */
  readonly burstSeconds?: number;
}

/** The limits of an on-demand table in a new AWS account. */
export const awsThroughputLimits: ThroughputLimits = {
  item: { write: 1_000, read: 3_000 },
  partition: { write: 1_000, read: 3_000 },
  table: { write: 40_000, read: 40_000 },
};

type Unit = keyof ThroughputLimit;
type Scope = 'item' | 'partition' | 'table';
type Json = Record<string, unknown>;

/** What one action of a call costs. */
interface ActionCost {
  readonly pk: string;
  readonly sk: string;
  readonly unit: Unit;
  readonly units: number;
}

/** The action at `index` is throttled by the limit of `scope`. */
export interface ThrottledAction {
  readonly index: number;
  readonly scope: Scope;
}

/** Decides which calls are throttled. The caller passes the time in milliseconds, which never goes back. */
export class CapacityModel {
  readonly #limits: ThroughputLimits;
  readonly #buckets = new Map<string, { units: number; at: number }>();
  readonly #bytes = new Map<string, number>();

  constructor(limits: ThroughputLimits) {
    this.#limits = limits;
  }

  /**
   * Charges a call, unless it is throttled.
   * @returns the throttled actions. A batch is charged for its other keys. All other calls are charged for nothing if
   *   one action is throttled.
   */
  admit(call: WireCall, nowMs: number): ThrottledAction[] {
    const costs = this.#costsOf(call);
    const isBatch = call.operation === 'BatchGetItem';
    const throttled: ThrottledAction[] = [];
    const charged: ActionCost[] = [];
    for (const [index, cost] of costs.entries()) {
      const scope = this.#scopes(cost).find(([, key, limit]) => !this.#hasUnits(key, limit, cost, nowMs));
      if (scope) throttled.push({ index, scope: scope[0] });
      else {
        this.#charge(cost, nowMs);
        charged.push(cost);
      }
    }
    if (throttled.length > 0 && !isBatch)
      for (const cost of charged) this.#charge({ ...cost, units: -cost.units }, nowMs);
    return throttled;
  }

  /** Charges a query for the items of its page, beyond the unit that it was charged before. */
  chargeQuery({ input }: WireCall, items: readonly Json[], nowMs: number): void {
    const bytes = items.reduce((sum, item) => sum + itemBytes(item), 0);
    const units = (Math.max(1, Math.ceil(bytes / 4096)) - 1) * readFactor(input);
    this.#charge({ pk: queriedPartition(input), sk: '', unit: 'read', units }, nowMs);
  }

  #costsOf(call: WireCall): ActionCost[] {
    const { operation, input } = call;
    if (isTransaction(call)) {
      const unit = operation === 'TransactGetItems' ? 'read' : 'write';
      return actionsOf(call).map((action) => this.#costOf(action, unit, 2));
    }
    if (/^(Put|Update|Delete)Item$/.test(operation)) return [this.#costOf(input, 'write', 1)];
    if (operation === 'GetItem') return [this.#costOf(input, 'read', readFactor(input))];
    if (operation === 'BatchGetItem') {
      return batchKeys(call).map(({ Key, request }) => this.#costOf({ Key }, 'read', readFactor(request)));
    }
    if (operation !== 'Query') return [];
    return [{ pk: queriedPartition(input), sk: '', unit: 'read', units: readFactor(input) }];
  }

  #costOf({ Key, Item }: Json, unit: Unit, factor: number): ActionCost {
    const { pk, sk } = (Key ?? Item) as Record<'pk' | 'sk', { S: string }>;
    const name = JSON.stringify([pk.S, sk.S]);
    const before = this.#bytes.get(name) ?? 0;
    const after = Item ? itemBytes(Item as Json) : before;
    this.#bytes.set(name, after);
    const bytesOfUnit = unit === 'write' ? 1024 : 4096;
    const units = Math.max(1, Math.ceil(Math.max(before, after) / bytesOfUnit)) * factor;
    return { pk: pk.S, sk: sk.S, unit, units };
  }

  #scopes({ pk, sk, unit }: ActionCost): [Scope, string, number][] {
    const { item, partition, table } = this.#limits;
    return [
      // A query touches no single item.
      ['item', JSON.stringify([unit, pk, sk]), (sk && item?.[unit]) || Number.POSITIVE_INFINITY],
      ['partition', JSON.stringify([unit, pk]), partition?.[unit] ?? Number.POSITIVE_INFINITY],
      ['table', JSON.stringify([unit]), table?.[unit] ?? Number.POSITIVE_INFINITY],
    ];
  }

  #hasUnits(key: string, limit: number, { units }: ActionCost, nowMs: number): boolean {
    if (limit === Number.POSITIVE_INFINITY) return true;
    return this.#fill(key, limit, nowMs).units >= Math.min(units, this.#sizeOf(limit));
  }

  #charge(cost: ActionCost, nowMs: number): void {
    for (const [, key, limit] of this.#scopes(cost)) {
      if (limit !== Number.POSITIVE_INFINITY) this.#fill(key, limit, nowMs).units -= cost.units;
    }
  }

  #fill(key: string, limit: number, nowMs: number): { units: number; at: number } {
    const size = this.#sizeOf(limit);
    const bucket = this.#buckets.get(key) ?? { units: size, at: nowMs };
    bucket.units = Math.min(size, bucket.units + ((nowMs - bucket.at) / 1000) * limit);
    bucket.at = nowMs;
    this.#buckets.set(key, bucket);
    return bucket;
  }

  #sizeOf(limit: number): number {
    return limit * (1 + (this.#limits.burstSeconds ?? 0));
  }
}

/** Returns the keys of a batch in the order of its actions, each with the table and the request that contain it. */
export function batchKeys({ input }: WireCall): { table: string; Key: Json; request: Json }[] {
  const tables = Object.entries((input.RequestItems ?? {}) as Record<string, Json & { Keys: Json[] }>);
  return tables.flatMap(([table, request]) => request.Keys.map((Key) => ({ table, Key, request })));
}

const readFactor = ({ ConsistentRead }: Json) => (ConsistentRead === true ? 1 : 0.5);

/** Every query of the service names its partition `:pk`. */
const queriedPartition = ({ ExpressionAttributeValues }: Json) =>
  (ExpressionAttributeValues as { ':pk'?: { S: string } } | undefined)?.[':pk']?.S ?? '';
