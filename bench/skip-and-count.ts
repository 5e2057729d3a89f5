/**
 * The baseline of the list benchmark: the same records as one item collection, newest first. A list counts all records
 * for its total and skips to its offset. It is the best version of this method: it counts without returning items, and
 * reads the rows last.
 */
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { type AttributeMap, readUnits, sizeOf } from '../test/support/capacity-units.ts';
import { modelLatencyMs } from '../test/support/wire-call.ts';
import type { Ledger } from './ledger.ts';

export interface SkipAndCountResult {
  readonly total: number;
  readonly rows: number;
  readonly calls: number;
  readonly readUnits: number;
  readonly modeledMs: number;
}

const queryBytes = 1024 * 1024;

export class SkipAndCountList {
  readonly #ledger: Ledger;
  readonly #partition: string;
  #bytes = 0;

  constructor(ledger: Ledger, partition: string) {
    this.#ledger = ledger;
    this.#partition = partition;
  }

  /** Stores the id in an attribute, because the key attributes have other values. */
  #item(seq: number): Record<string, unknown> {
    const { pk: id, ...record } = this.#ledger.record(seq);
    return { ...record, id, pk: this.#partition, sk: String(seq).padStart(10, '0') };
  }

  async load(write: (items: Record<string, unknown>[]) => Promise<void>, batch: number): Promise<void> {
    for (let first = 1; first <= this.#ledger.count; first += batch) {
      const length = Math.min(batch, this.#ledger.count - first + 1);
      const items = Array.from({ length }, (_, index) => this.#item(first + index));
      this.#bytes += items.reduce((sum, item) => sum + sizeOf(marshall(item) as unknown as AttributeMap), 0);
      await write(items);
    }
  }

  get bytesPerItem(): number {
    return this.#bytes / this.#ledger.count;
  }

  /** Lists a page. The emulator does not stop filtered queries at one megabyte as AWS does, so `Limit` stops them. */
  async list(status: string | undefined, offset: number, limit: number): Promise<SkipAndCountResult> {
    const { dynamodb } = await import('../shared/store/client.ts');
    const perQuery = Math.floor(queryBytes / this.bytesPerItem);
    const cost = { calls: 0, readUnits: 0, modeledMs: 0 };
    const query = async (input: {
      Select?: 'COUNT';
      ExclusiveStartKey?: Record<string, unknown> | undefined;
    }) => {
      const result = await dynamodb.send(
        new QueryCommand({
          TableName: process.env.TABLE_NAME,
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': this.#partition, ...(status && { ':status': status }) },
          ...(status && {
            FilterExpression: '#status = :status',
            ExpressionAttributeNames: { '#status': 'status' },
          }),
          ScanIndexForward: false,
          ConsistentRead: true,
          Limit: perQuery,
          ...input,
        }),
      );
      const bytes = (result.ScannedCount ?? 0) * this.bytesPerItem;
      cost.calls += 1;
      cost.readUnits += readUnits(bytes);
      cost.modeledMs += modelLatencyMs({ operation: 'Query', input: {} }, bytes);
      return result;
    };

    let total = 0;
    let rowsFrom: { start: Record<string, unknown> | undefined; skip: number } | undefined;
    let start: Record<string, unknown> | undefined;
    do {
      const { Count = 0, LastEvaluatedKey } = await query({ Select: 'COUNT', ExclusiveStartKey: start });
      if (!rowsFrom && total + Count > offset) rowsFrom = { start, skip: offset - total };
      total += Count;
      start = LastEvaluatedKey;
    } while (start);
    const rows: unknown[] = [];
    for (let from = rowsFrom; from && rows.length < limit; ) {
      const { Items = [], LastEvaluatedKey } = await query({ ExclusiveStartKey: from.start });
      rows.push(...Items.slice(from.skip, from.skip + limit - rows.length));
      from = LastEvaluatedKey ? { start: LastEvaluatedKey, skip: 0 } : undefined;
    }
    return { total, rows: rows.length, ...cost };
  }
}
