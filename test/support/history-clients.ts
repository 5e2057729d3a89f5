/**
 * Random clients: they send what `history-choices.ts` chooses, with keys and without, repeat what was not answered,
 * send duplicates, and use keys twice. Which operation comes n-th, and with what, depends on the seed; what it works
 * on also depends on what was answered before.
 */
import type { Api } from './api.ts';
import {
  type Answer,
  type Call,
  callKinds,
  isDone,
  isOpen,
  type ListQuery,
  type Recorder,
  type Resource,
  type Shown,
  shownBy,
} from './history.ts';
import {
  chooseOperation,
  laterCard,
  otherContents,
  type Situation,
  spellings,
  statusesOf,
  type Wanted,
} from './history-choices.ts';
import { invocationHeader } from './invocations.ts';
import { type Dice, diceOf } from './seeded-random.ts';

export interface ClientAccount {
  /** `account#mode`. */
  readonly owner: string;
  readonly api: Api;
}

export interface ClientOptions {
  readonly seed: number;
  readonly accounts: readonly ClientAccount[];
  readonly recorder: Recorder;
  readonly now: () => number;
}

/** What the clients of one owner know. */
interface Known {
  readonly seen: Record<Resource, Shown[]>;
  readonly keyed: Wanted[];
  readonly awaited: string[];
}

const maxAttempts = 5;
/** Which calls are sent several times at once, if they have a key. */
const doubled: Readonly<Partial<Record<Call['kind'], number>>> = { cancel: 0.5, pay: 0.3, refund: 0.3 };

export class RandomClients {
  readonly #options: ClientOptions;
  readonly #known: ReadonlyMap<string, Known>;
  #calls = 0;
  #spent = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#known = new Map(
      options.accounts.map(({ owner }) => [
        owner,
        { seen: { invoice: [], payment: [], refund: [] }, keyed: [], awaited: [] },
      ]),
    );
  }

  /** @param before is told the number of each operation that is about to begin */
  async run(operations: number, concurrency: number, before: (number: number) => void): Promise<void> {
    const client = async () => {
      while (this.#spent < operations) {
        this.#spent += 1;
        const number = this.#spent;
        before(number);
        await this.#act(number);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, client));
  }

  /** Every list, and everything that was seen, once. */
  async readAll(): Promise<void> {
    await Promise.all(this.#options.accounts.map((account) => this.#readAllOf(account)));
  }

  async #readAllOf(account: ClientAccount): Promise<void> {
    const { seen } = this.#of(account);
    for (const { kind, query } of allLists(seen)) {
      for (let offset = 0, more = true; more; offset += 40) {
        const call = await this.#send(account, { kind, query: { ...query, limit: 40, offset } });
        more = call.answer !== undefined && JSON.parse(call.answer.text).pagination?.hasMore === true;
      }
    }
    for (const { id } of seen.invoice) await this.#send(account, { kind: 'get', invoice: id });
    for (const { id } of seen.payment) await this.#send(account, { kind: 'get payment', payment: id });
    for (const { id } of seen.refund) await this.#send(account, { kind: 'get refund', refund: id });
  }

  async #act(number: number): Promise<void> {
    const { seed, accounts } = this.#options;
    const dice = diceOf(seed, 'operation', number);
    const account = dice.pick(accounts) as ClientAccount;
    const wanted = this.#choose(dice, account, number);
    const calls = wanted.key && dice.chance(doubled[wanted.kind] ?? 0.12) ? dice.integer(2, 4) : 1;
    await Promise.all(Array.from({ length: calls }, () => this.#persist(account, wanted)));
  }

  /** Sends until it is answered; without a key a client cannot, so it does not repeat. */
  async #persist(account: ClientAccount, wanted: Wanted): Promise<void> {
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const call = await this.#send(account, wanted);
      this.#learn(account, call);
      if (!isOpen(call) || !wanted.key) return;
    }
  }

  #choose(dice: Dice, account: ClientAccount, number: number): Wanted {
    const { seen, keyed, awaited } = this.#of(account);
    const live = account.owner.endsWith('#live');
    const situation: Situation = { dice, number, seen, awaited, live, now: this.#options.now() };
    const earlier = dice.pick(keyed.slice(-200));
    const roll = dice.next();
    if (earlier && roll < 0.04) return earlier;
    if (earlier && roll < 0.06) return otherContents(earlier, situation);
    const wanted = chooseOperation(situation);
    if (callKinds[wanted.kind].does !== 'write' || !dice.chance(0.6)) return wanted;
    const withKey = { ...wanted, key: `key ${number}` };
    keyed.push(withKey);
    return withKey;
  }

  #send({ owner, api }: ClientAccount, wanted: Wanted): Promise<Call> {
    const label = `call-${this.#calls++}`;
    const { key, body } = wanted;
    const { method, path } = requestOf(wanted);
    const headers = { [invocationHeader]: label, ...(key && { 'Idempotency-Key': key }) };
    return this.#options.recorder.call({ label, owner, ...wanted }, async (): Promise<Answer> => {
      const { status, text, headers: got } = await api.send(method, path, { headers, body });
      return { status, text, replayed: got['idempotent-replayed'] === 'true' };
    });
  }

  #of({ owner }: ClientAccount): Known {
    return this.#known.get(owner) as Known;
  }

  #learn(account: ClientAccount, call: Call): void {
    const { seen, awaited } = this.#of(account);
    const { number } = (call.body?.card ?? {}) as { number?: string };
    if (number === laterCard && call.invoice && isDone(call))
      awaited.splice(0, awaited.length - 4, call.invoice);
    const known = seen[callKinds[call.kind].resource];
    for (const shown of shownBy(call)) if (!known.some(({ id }) => id === shown.id)) known.push(shown);
  }
}

function requestOf({ kind, invoice, payment, refund, query }: Wanted): { method: string; path: string } {
  const { resource, does } = callKinds[kind];
  const method =
    kind === 'update' ? 'PATCH' : kind === 'cancel' ? 'DELETE' : does === 'write' ? 'POST' : 'GET';
  const id = { invoice, payment, refund }[resource];
  const isNamed = id !== undefined && method !== 'POST';
  const path = `/api/${resource}s${isNamed ? `/${id}` : ''}${query ? `?${queryText(query)}` : ''}`;
  return { method, path };
}

function queryText(query: ListQuery): string {
  const parameters = Object.entries(query).filter(([, value]) => value !== undefined);
  return parameters.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
}

/** Of the lists by one invoice or payment, some. */
function allLists(seen: Record<Resource, Shown[]>): Pick<Wanted, 'kind' | 'query'>[] {
  const customers = spellings.map((customerId) => ({ customerId }));
  const invoices = seen.invoice.slice(-5).map(({ id: invoiceId }) => ({ invoiceId }));
  const payments = seen.payment.slice(-5).map(({ id: paymentId }) => ({ paymentId }));
  const filters = {
    list: [{}, ...customers],
    'list payments': [{}, ...customers, ...invoices],
    'list refunds': [{}, ...invoices, ...payments],
  };
  const page = { limit: 40, offset: 0 };
  return Object.entries(filters).flatMap(([name, values]) => {
    const kind = name as keyof typeof filters;
    return [undefined, ...statusesOf[callKinds[kind].resource]].flatMap((status) =>
      values.map((filter) => ({ kind, query: { ...page, status, ...filter } })),
    );
  });
}
