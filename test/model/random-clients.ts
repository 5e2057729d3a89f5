/**
 * Runs random clients. They perform the operations that `random-operations.ts` plans, with and without idempotency
 * keys. They repeat calls without a response, send duplicates, and use keys twice.
 *
 * The seed decides the n-th operation and its contents. Its record also depends on earlier responses.
 */
import type { Resource } from '../../shared/base/ids.ts';
import type { Api } from '../support/api.ts';
import { invocationHeader } from '../support/invocations.ts';
import { type Random, seededRandom } from '../support/seeded-random.ts';
import {
  callKinds,
  hasUnknownOutcome,
  type RecordedCall,
  type RecordedQuery,
  type RecordedResponse,
  type Recorder,
  readSnapshots,
  type Snapshot,
  wasSuccessful,
} from './history.ts';
import {
  type ClientContext,
  customerFilters,
  delayedCard,
  type PlannedCall,
  planOperation,
  statusFilters,
  withDifferentContents,
} from './random-operations.ts';

export interface ClientAccount {
  /** `account#mode`. */
  readonly owner: string;
  readonly api: Api;
}

export interface RandomClientOptions {
  readonly seed: number;
  readonly accounts: readonly ClientAccount[];
  readonly recorder: Recorder;
  /** Returns the service's clock, in milliseconds. */
  readonly now: () => number;
}

/** What the clients of one owner share. */
interface ClientMemory {
  readonly known: Record<
    Exclude<Resource, 'customer' | 'product' | 'draft' | 'statement' | 'schedule' | 'export'>,
    Snapshot[]
  >;
  /** The calls with an idempotency key, oldest first. */
  readonly keyed: PlannedCall[];
  readonly awaitingOutcome: string[];
}

const maxAttempts = 5;
/** How often a call with an idempotency key is sent several times at once, by kind. */
const duplicateChances: Readonly<Partial<Record<RecordedCall['kind'], number>>> = {
  cancel: 0.5,
  replace: 0.3,
  pay: 0.3,
  refund: 0.3,
};
const defaultDuplicateChance = 0.12;

export class RandomClients {
  readonly #options: RandomClientOptions;
  readonly #memories: ReadonlyMap<string, ClientMemory>;
  #callCount = 0;
  #operationCount = 0;

  constructor(options: RandomClientOptions) {
    this.#options = options;
    this.#memories = new Map(
      options.accounts.map(({ owner }) => [
        owner,
        { known: { invoice: [], payment: [], refund: [] }, keyed: [], awaitingOutcome: [] },
      ]),
    );
  }

  /** @param beforeOperation is called with the number of each operation before it starts */
  async run(
    operations: number,
    concurrency: number,
    beforeOperation: (number: number) => void,
  ): Promise<void> {
    const client = async () => {
      while (this.#operationCount < operations) {
        this.#operationCount += 1;
        const number = this.#operationCount;
        beforeOperation(number);
        await this.#performOperation(number);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, client));
  }

  /** Reads all lists, and each known record once. */
  async readAll(): Promise<void> {
    await Promise.all(this.#options.accounts.map((account) => this.#readAllOf(account)));
  }

  async #readAllOf(account: ClientAccount): Promise<void> {
    const { known } = this.#memoryOf(account);
    for (const { kind, query } of finalLists(known)) {
      for (let offset = 0, hasMore = true; hasMore; offset += finalPageSize) {
        const call = await this.#send(account, { kind, query: { ...query, limit: finalPageSize, offset } });
        hasMore = call.response !== undefined && JSON.parse(call.response.text).pagination?.hasMore === true;
      }
    }
    for (const { id } of known.invoice) await this.#send(account, { kind: 'get', invoice: id });
    for (const { id } of known.payment) await this.#send(account, { kind: 'get payment', payment: id });
    for (const { id } of known.refund) await this.#send(account, { kind: 'get refund', refund: id });
  }

  async #performOperation(number: number): Promise<void> {
    const { seed, accounts } = this.#options;
    const random = seededRandom(seed, 'operation', number);
    const account = random.pick(accounts) as ClientAccount;
    const planned = this.#plan(random, account, number);
    const duplicateChance = duplicateChances[planned.kind] ?? defaultDuplicateChance;
    const count = planned.key && random.chance(duplicateChance) ? random.integer(2, 4) : 1;
    await Promise.all(Array.from({ length: count }, () => this.#sendUntilAnswered(account, planned)));
  }

  /** Repeats a call until its outcome is known. A call without an idempotency key cannot be repeated safely. */
  async #sendUntilAnswered(account: ClientAccount, planned: PlannedCall): Promise<void> {
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const call = await this.#send(account, planned);
      this.#remember(account, call);
      if (!hasUnknownOutcome(call) || !planned.key) return;
    }
  }

  #plan(random: Random, account: ClientAccount, number: number): PlannedCall {
    const { known, keyed, awaitingOutcome } = this.#memoryOf(account);
    const isLive = account.owner.endsWith('#live');
    const context: ClientContext = {
      random,
      number,
      known,
      awaitingOutcome,
      isLive,
      now: this.#options.now(),
    };
    const earlier = random.pick(keyed.slice(-200));
    const chance = random.next();
    if (earlier && chance < 0.04) return earlier;
    if (earlier && chance < 0.06) return withDifferentContents(earlier, context);
    const planned = planOperation(context);
    if (callKinds[planned.kind].action !== 'write' || !random.chance(0.6)) return planned;
    const withKey = { ...planned, key: `key ${number}` };
    keyed.push(withKey);
    return withKey;
  }

  #send({ owner, api }: ClientAccount, planned: PlannedCall): Promise<RecordedCall> {
    const label = `call-${this.#callCount++}`;
    const { key, body } = planned;
    const { method, path } = requestOf(planned);
    const headers = { [invocationHeader]: label, ...(key && { 'Idempotency-Key': key }) };
    return this.#options.recorder.call({ label, owner, ...planned }, async (): Promise<RecordedResponse> => {
      const response = await api.send(method, path, { headers, body });
      const replayed = response.headers['idempotent-replayed'] === 'true';
      return { status: response.status, text: response.text, replayed };
    });
  }

  #memoryOf({ owner }: ClientAccount): ClientMemory {
    return this.#memories.get(owner) as ClientMemory;
  }

  #remember(account: ClientAccount, call: RecordedCall): void {
    const { known, awaitingOutcome } = this.#memoryOf(account);
    const { number } = (call.body?.card ?? {}) as { number?: string };
    if (number === delayedCard && call.invoice && wasSuccessful(call))
      awaitingOutcome.splice(0, awaitingOutcome.length - 4, call.invoice);
    const ofResource = known[callKinds[call.kind].resource];
    for (const snapshot of readSnapshots(call))
      if (!ofResource.some(({ id }) => id === snapshot.id)) ofResource.push(snapshot);
  }
}

function requestOf({ kind, invoice, payment, refund, query }: PlannedCall): { method: string; path: string } {
  const { resource, action } = callKinds[kind];
  const method =
    kind === 'update' ? 'PATCH' : kind === 'cancel' ? 'DELETE' : action === 'write' ? 'POST' : 'GET';
  const id = { invoice, payment, refund }[resource];
  const ofOne = kind === 'replace' ? `/${id}/replace` : id !== undefined && method !== 'POST' ? `/${id}` : '';
  const path = `/api/${resource}s${ofOne}${query ? `?${toQueryString(query)}` : ''}`;
  return { method, path };
}

function toQueryString(query: RecordedQuery): string {
  const parameters = Object.entries(query).filter(([, value]) => value !== undefined);
  return parameters.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
}

const finalPageSize = 40;

/** Returns the lists that are read at the end: with each status and filter, but only for some invoices and payments. */
function finalLists(
  known: Record<
    Exclude<Resource, 'customer' | 'product' | 'draft' | 'statement' | 'schedule' | 'export'>,
    Snapshot[]
  >,
): Pick<PlannedCall, 'kind' | 'query'>[] {
  const customers = customerFilters.map((customerId) => ({ customerId }));
  const invoices = known.invoice.slice(-5).map(({ id: invoiceId }) => ({ invoiceId }));
  const payments = known.payment.slice(-5).map(({ id: paymentId }) => ({ paymentId }));
  const filters = {
    list: [{}, ...customers],
    'list payments': [{}, ...customers, ...invoices],
    'list refunds': [{}, ...invoices, ...payments],
  };
  const firstPage = { limit: finalPageSize, offset: 0 };
  return Object.entries(filters).flatMap(([name, values]) => {
    const kind = name as keyof typeof filters;
    return [undefined, ...statusFilters[callKinds[kind].resource]].flatMap((status) =>
      values.map((filter) => ({ kind, query: { ...firstPage, status, ...filter } })),
    );
  });
}
