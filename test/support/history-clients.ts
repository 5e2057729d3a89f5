/**
 * Random clients: they create, read, list, change and cancel invoices, with keys and without, repeat what was not
 * answered, send duplicates, and use keys twice. Which operation comes n-th, and with what, depends on the seed;
 * what it works on also depends on what was answered before.
 */
import type { Api } from './api.ts';
import type { ShownInvoice } from './audit-table.ts';
import { type Answer, type Call, codeOf, isDone, isOpen, type ListQuery, type Recorder } from './history.ts';
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

type Wanted = Pick<Call, 'kind' | 'key' | 'invoice' | 'body' | 'query'>;

const customers = ['cust_1', 'cust_2', 'Someone@Example.com', 'cust_3', 'x'];
const spellings = ['cust_1', 'cust_2', 'someone@example.COM', 'cust_3', 'x', 'nobody'];
const statuses = ['pending', 'overdue', 'paid', 'cancelled'];
const maxAttempts = 5;

export class RandomClients {
  readonly #options: ClientOptions;
  readonly #invoices = new Map<string, ShownInvoice[]>();
  readonly #keyed = new Map<string, Wanted[]>();
  #calls = 0;
  #spent = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
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

  /** Every list and every invoice that was seen, once. */
  async readAll(): Promise<void> {
    for (const account of this.#options.accounts) {
      const queries = [undefined, ...statuses].flatMap((status) =>
        [undefined, ...spellings].map((customerId) => ({ status, customerId })),
      );
      for (const query of queries) {
        for (let offset = 0, more = true; more; offset += 40) {
          const call = await this.#send(account, { kind: 'list', query: { ...query, limit: 40, offset } });
          more = call.answer !== undefined && JSON.parse(call.answer.text).pagination?.hasMore === true;
        }
      }
      for (const { id } of this.#known(account)) await this.#send(account, { kind: 'get', invoice: id });
    }
  }

  async #act(number: number): Promise<void> {
    const { seed, accounts } = this.#options;
    const dice = diceOf(seed, 'operation', number);
    const account = dice.pick(accounts) as ClientAccount;
    const wanted = this.#choose(dice, account, number);
    const doubled = wanted.kind === 'cancel' ? 0.5 : 0.12;
    const calls = dice.chance(doubled) && wanted.key ? dice.integer(2, 4) : 1;
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
    const known = this.#known(account);
    const used = this.#keyed.get(account.owner) ?? [];
    const target = dice.chance(0.5) ? dice.pick(known.slice(-4)) : dice.pick(known);
    const roll = dice.next();
    if (!target || roll < 0.26) return this.#keyedOrNot(dice, account, this.#creation(dice, number), number);
    const invoice = target.id;
    if (roll < 0.48) {
      const update: Wanted = { kind: 'update', invoice, body: this.#changes(dice, target, number) };
      return this.#keyedOrNot(dice, account, update, number);
    }
    if (roll < 0.56) return this.#keyedOrNot(dice, account, { kind: 'cancel', invoice }, number);
    if (roll < 0.74) return { kind: 'get', invoice };
    if (roll < 0.94 || used.length === 0) return { kind: 'list', query: this.#query(dice, known.length) };
    const earlier = dice.pick(used) as Wanted;
    if (roll < 0.98) return earlier;
    const other = earlier.kind === 'create' ? this.#creation(dice, number) : { body: { amount: number } };
    return earlier.kind === 'cancel' ? { ...earlier, invoice } : { ...earlier, ...other };
  }

  #keyedOrNot(dice: Dice, { owner }: ClientAccount, wanted: Wanted, number: number): Wanted {
    if (!dice.chance(0.6)) return wanted;
    const keyed = { ...wanted, key: `key ${number}` };
    this.#keyed.set(owner, [...(this.#keyed.get(owner) ?? []), keyed].slice(-200));
    return keyed;
  }

  #creation(dice: Dice, number: number): Wanted {
    const due = this.#dueDate(dice);
    const amount = dice.chance(0.02) ? 0 : 1_000_000 + number;
    const body = {
      customerId: dice.pick(customers),
      amount,
      currency: 'USD',
      description: `Invoice ${number}`,
    };
    return { kind: 'create', body: { ...body, ...(due && { dueDate: due }) } };
  }

  /** Mostly something that no other operation sets; sometimes what it is already. */
  #changes(dice: Dice, { amount, description }: ShownInvoice, number: number): Record<string, unknown> {
    if (dice.chance(0.03)) return { amount: 0 };
    if (dice.chance(0.1)) return { amount };
    const due = dice.chance(0.3) ? this.#dueDate(dice) : undefined;
    return {
      amount: 1_000_000 + number,
      ...(dice.chance(0.2) && { description }),
      ...(due && { dueDate: due }),
    };
  }

  /** Soon, long past, or none: then it is 30 days. */
  #dueDate(dice: Dice): string | undefined {
    const minutes = dice.chance(0.1) ? -dice.integer(1_000, 100_000) : dice.integer(1, 40);
    if (dice.chance(0.4)) return undefined;
    return new Date(this.#options.now() + minutes * 60_000 + dice.integer(0, 59_999)).toISOString();
  }

  #query(dice: Dice, known: number): ListQuery {
    return {
      limit: dice.chance(0.3) ? 100 : dice.integer(1, 20),
      offset: dice.chance(0.5) ? 0 : dice.integer(0, known + 3),
      ...(dice.chance(0.5) && { status: dice.pick(statuses) }),
      ...(dice.chance(0.3) && { customerId: dice.pick(spellings) }),
    };
  }

  #send({ owner, api }: ClientAccount, wanted: Wanted): Promise<Call> {
    const label = `call-${this.#calls++}`;
    const { kind, key, invoice, body, query } = wanted;
    const method = { create: 'POST', get: 'GET', list: 'GET', update: 'PATCH', cancel: 'DELETE' }[kind];
    const path = `/api/invoices${invoice ? `/${invoice}` : ''}${query ? `?${queryText(query)}` : ''}`;
    const headers = { [invocationHeader]: label, ...(key && { 'Idempotency-Key': key }) };
    return this.#options.recorder.call({ label, owner, ...wanted }, async (): Promise<Answer> => {
      const { status, text, headers: got } = await api.send(method, path, { headers, body });
      return { status, text, replayed: got['idempotent-replayed'] === 'true' };
    });
  }

  #known({ owner }: ClientAccount): ShownInvoice[] {
    return this.#invoices.get(owner) ?? [];
  }

  #learn({ owner }: ClientAccount, call: Call): void {
    if (call.kind !== 'create' || !isDone(call) || codeOf(call)) return;
    const known = this.#invoices.get(owner) ?? [];
    const shown = JSON.parse(call.answer?.text ?? '') as ShownInvoice;
    if (!known.some(({ id }) => id === shown.id)) this.#invoices.set(owner, [...known, shown]);
  }
}

function queryText(query: ListQuery): string {
  const parameters = Object.entries(query).filter(([, value]) => value !== undefined);
  return parameters.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
}
