/**
 * The rival of the index pages: the same records as one item collection, newest first, where a list counts them all for
 * its total and skips to its offset. It is given the best of its kind: counts without their items, rows read last.
 */

import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { readUnits, sizeOf, type WireItem } from '../test/support/units.ts';
import { modelledMs } from '../test/support/wire-call.ts';
import type { Ledger } from './ledger.ts';

export interface SkipAndCount {
  readonly total: number;
  readonly rows: number;
  readonly calls: number;
  readonly readUnits: number;
  readonly modelledMs: number;
}

const queryBytes = 1024 * 1024;

export class Rival {
  readonly #ledger: Ledger;
  readonly #partition: string;
  #bytes = 0;

  constructor(ledger: Ledger, partition: string) {
    this.#ledger = ledger;
    this.#partition = partition;
  }

  /** The id stands in an attribute, as the keys are taken. */
  #item(seq: number): Record<string, unknown> {
    const { pk: id, ...record } = this.#ledger.record(seq);
    return { ...record, id, pk: this.#partition, sk: String(seq).padStart(10, '0') };
  }

  async load(write: (items: Record<string, unknown>[]) => Promise<void>, batch: number): Promise<void> {
    for (let first = 1; first <= this.#ledger.count; first += batch) {
      const length = Math.min(batch, this.#ledger.count - first + 1);
      const items = Array.from({ length }, (_, index) => this.#item(first + index));
      this.#bytes += items.reduce((sum, item) => sum + sizeOf(marshall(item) as unknown as WireItem), 0);
      await write(items);
    }
  }

  get bytesPerItem(): number {
    return this.#bytes / this.#ledger.count;
  }

  /** A query ends at one megabyte; the limit makes it so for filtered ones, too, where the emulator would not. */
  async list(status: string | undefined, offset: number, limit: number): Promise<SkipAndCount> {
    const { dynamodb } = await import('../shared/store/client.ts');
    const perQuery = Math.floor(queryBytes / this.bytesPerItem);
    const cost = { calls: 0, readUnits: 0, modelledMs: 0 };
    const query = async (input: {
      Select?: 'COUNT';
      ExclusiveStartKey?: Record<string, unknown> | undefined;
    }) => {
      const answer = await dynamodb.send(
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
      const bytes = (answer.ScannedCount ?? 0) * this.bytesPerItem;
      cost.calls += 1;
      cost.readUnits += readUnits(bytes);
      cost.modelledMs += modelledMs({ operation: 'Query', input: {} }, bytes);
      return answer;
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
