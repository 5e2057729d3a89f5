/**
 * Answers the calls of the relay and of leases from memory, with modeled latencies. The SDK's HTTP handler is replaced, so a
 * measurement includes all of the service's own work: marshalling, signing and parsing.
 *
 * - Time is modeled, too: it is the sum of the latencies that the service waits for and of the CPU time of this process.
 *   So other work on the machine changes the results little, and a measurement does not wait.
 * - It supports only the calls that these make, and it stores only what their answers depend on: event cursors,
 *   event pointers and webhook endpoints.
 * - It counts the calls of each operation, and notes when each outbox item is deleted.
 */
import { createHash } from 'node:crypto';
import {
  actionsOf,
  errorResponseOf,
  isTransaction,
  jsonHeaders,
  toWireCall,
  type WireCall,
  type WireRequest,
  type WireResponse,
} from '../test/support/wire-call.ts';

/** The modeled latencies in milliseconds: of reads and single writes, and of transactions, batches and messages. */
export const latencies = { single: 5, other: 10 };

/** Advances with the CPU time of this process, and jumps to the end of the next wait when the process has no work. */
export class ModeledClock {
  #nowMs = 0;
  #cpu = process.cpuUsage();
  #waits: { readonly endMs: number; readonly resolve: () => void }[] = [];
  #ticking = false;

  /** The time in milliseconds since the clock was created. */
  now(): number {
    const { user, system } = process.cpuUsage(this.#cpu);
    this.#cpu = process.cpuUsage();
    this.#nowMs += (user + system) / 1000;
    return this.#nowMs;
  }

  /** Resolves when `ms` milliseconds have passed. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = { endMs: this.now() + ms, resolve };
      const index = this.#waits.findIndex(({ endMs }) => endMs > end.endMs);
      this.#waits.splice(index === -1 ? this.#waits.length : index, 0, end);
      if (!this.#ticking) this.#tick();
    });
  }

  /** Ends the next wait after the event loop has done all other work. */
  #tick(): void {
    this.#ticking = true;
    setImmediate(() =>
      setImmediate(() => {
        const next = this.#waits.shift();
        this.#ticking = next !== undefined;
        if (!next) return;
        this.#nowMs = Math.max(this.now(), next.endMs);
        next.resolve();
        this.#tick();
      }),
    );
  }
}

export interface ModeledTable {
  /** The number of calls of each operation. */
  readonly calls: Map<string, number>;
  readonly clock: ModeledClock;
  /** When each outbox item was deleted, by sort key, on the modeled clock. */
  readonly deletedAt: Map<string, number>;
  /** The last position of each event cursor, by partition key. */
  readonly cursors: ReadonlyMap<string, number>;
  /** The items that a query of webhook endpoints returns, by partition key, in the format of the wire. */
  readonly endpoints: Map<string, object[]>;
  remove(): void;
}

type Json = Record<string, unknown>;
type Handle = (request: WireRequest) => Promise<WireResponse>;

/** Replaces the answers of DynamoDB and SQS until `remove()` is called. */
export async function modelTable(): Promise<ModeledTable> {
  const { dynamodb } = await import('../shared/store/client.ts');
  const prototype = Object.getPrototypeOf(dynamodb.config.requestHandler) as { handle: Handle };
  const { handle } = prototype;
  const table = new Answers();
  prototype.handle = async (request) => {
    const call = toWireCall(request);
    const isSingle = /^((Get|Put|Update|Delete)Item|Query)$/.test(call.operation);
    await table.clock.wait(isSingle ? latencies.single : latencies.other);
    return table.answer(call);
  };
  return Object.assign(table, {
    remove: () => {
      prototype.handle = handle;
    },
  });
}

const md5 = (body: unknown) => createHash('md5').update(String(body)).digest('hex');

class Answers {
  readonly clock = new ModeledClock();
  readonly calls = new Map<string, number>();
  readonly deletedAt = new Map<string, number>();
  readonly cursors = new Map<string, number>();
  readonly endpoints = new Map<string, object[]>();
  readonly #pointers = new Map<string, Json>();

  answer(call: WireCall): WireResponse {
    const { operation, input } = call;
    this.calls.set(operation, (this.calls.get(operation) ?? 0) + 1);
    if (isTransaction(call)) return this.#transact(call);
    if (operation === 'SendMessage') {
      return success({ MessageId: '1', MD5OfMessageBody: md5(input.MessageBody) });
    }
    if (operation === 'SendMessageBatch') {
      const Successful = (input.Entries as Json[]).map(({ Id, MessageBody }) => ({
        Id,
        MessageId: '1',
        MD5OfMessageBody: md5(MessageBody),
      }));
      return success({ Successful });
    }
    if (operation === 'Query') {
      const { ':pk': pk } = input.ExpressionAttributeValues as Json;
      return success({ Items: this.endpoints.get(textOf(pk)) ?? this.#newestEvent(textOf(pk)) });
    }
    if (operation === 'PutItem') return this.#put(input);
    if (operation === 'GetItem') return success(this.#get(keyOf(input)));
    if (operation === 'DeleteItem') this.#delete(keyOf(input));
    if (operation === 'BatchWriteItem') {
      for (const request of Object.values(input.RequestItems as Record<string, Json[]>).flat()) {
        if (request.DeleteRequest) this.#delete(keyOf(request.DeleteRequest as Json));
      }
    }
    return success({});
  }

  #get({ pk }: Place): Json {
    if (pk === 'SWEEP') return { Item: { closed: { N: '0' }, done: { N: '0' } } };
    const position = this.cursors.get(pk);
    return position === undefined ? {} : { Item: { position: { N: String(position) } } };
  }

  /** Returns the newest event of a log, whose position is that of the cursor. */
  #newestEvent(pk: string): Json[] {
    const position = this.cursors.get(pk.replace('EVENTS#', 'EVENTCURSOR#'));
    if (position === undefined) return [];
    return [{ id: { S: 'evt' }, sk: { S: String(position) }, expiresAt: { N: '99999999999' } }];
  }

  /** Puts an item. Refuses a pointer that exists, and an event at a position that is taken. */
  #put(input: Json): WireResponse {
    const { pk, sk } = keyOf(input);
    const cursor = pk.replace('EVENTS#', 'EVENTCURSOR#');
    const isTaken = pk.startsWith('EVENTS#') && Number(sk) <= (this.cursors.get(cursor) ?? 0);
    if (isTaken || this.#pointers.has(pk))
      return errorResponseOf('ConditionalCheckFailedException', { Item: this.#pointers.get(pk) });
    if (pk.startsWith('EVENTS#')) this.cursors.set(cursor, Number(sk));
    if (pk.startsWith('EVENT#')) this.#pointers.set(pk, input.Item as Json);
    return success({});
  }

  #delete({ pk, sk }: Place): void {
    if (pk.startsWith('OUTBOX#')) this.deletedAt.set(sk, this.clock.now());
  }

  /** Appends events: each transaction compares and raises a cursor, and puts events and pointers. */
  #transact(call: WireCall): WireResponse {
    const [cursor = {}, ...puts] = actionsOf(call);
    const { pk } = keyOf(cursor);
    const values = cursor.ExpressionAttributeValues as Record<string, { N: string }>;
    const expected = Number(values[':cursor']?.N ?? 0);
    const pointers = puts.filter((put) => keyOf(put).pk.startsWith('EVENT#'));
    const isStored = (put: Json) => this.#pointers.has(keyOf(put).pk);
    if (expected !== (this.cursors.get(pk) ?? 0) || pointers.some(isStored)) {
      const CancellationReasons = [cursor, ...puts].map((action) => ({
        Code: (action === cursor ? expected !== (this.cursors.get(pk) ?? 0) : isStored(action))
          ? 'ConditionalCheckFailed'
          : 'None',
        Item: this.#pointers.get(keyOf(action).pk),
      }));
      return errorResponseOf('TransactionCanceledException', { CancellationReasons });
    }
    this.cursors.set(pk, Number(values[':last']?.N));
    for (const put of pointers) this.#pointers.set(keyOf(put).pk, put.Item as Json);
    return success({});
  }
}

interface Place {
  readonly pk: string;
  readonly sk: string;
}

const textOf = (value: unknown) => (value as { S: string }).S;

function keyOf({ Key, Item }: Json): Place {
  const { pk, sk } = (Key ?? Item) as Json;
  return { pk: textOf(pk), sk: textOf(sk) };
}

function success(body: Json): WireResponse {
  return { response: { statusCode: 200, headers: jsonHeaders, body: Buffer.from(JSON.stringify(body)) } };
}
