/**
 * A great many invoices of one account, known by number without being stored: which state and customer each has, what
 * the service would have written for them, and what a list of them must therefore answer.
 */
import { randomUUID } from 'node:crypto';
import type { Stack } from '../infra/local/stack.ts';
import { type Owner, recordId } from '../shared/ids.ts';
import { headAttributes, IdKeys } from '../shared/store/heads.ts';
import { keys, pageSize } from '../shared/store/keys.ts';
import { type Api, invoiceBody, newAccount } from '../test/support/api.ts';
import { chanceOf } from '../test/support/seeded-random.ts';
import { type TestItem, type TestTable, tableOf } from '../test/support/table.ts';

/** Shares of the states; `late`: the share of paid and cancelled ones that were overdue before. */
export interface Mix {
  readonly paid: number;
  readonly cancelled: number;
  readonly overdue: number;
  readonly late: number;
}

export interface LedgerOptions {
  readonly seed: number;
  readonly count: number;
  readonly mix: Mix;
  readonly customers: number;
}

export interface Filter {
  readonly status?: string | undefined;
  /** The customer's number. */
  readonly customer?: number | undefined;
}

export const statuses = ['pending', 'overdue', 'paid', 'cancelled'] as const;
/** The sets of an index page, in the order of `statuses`. */
const sets = ['c', 'o', 'p', 'x'] as const;

export const customerId = (customer: number): string => `accounts-${customer}@example-company.com`;

export class Ledger {
  readonly api: Api;
  readonly count: number;
  readonly table: TestTable;
  readonly #owner: Owner;
  readonly #idKeys: IdKeys;
  readonly #template: TestItem;
  readonly #dimensions: readonly string[];
  /** By number: the index of its status, with bit 2 set if it was overdue before; and its customer. */
  readonly #states: Uint8Array;
  readonly #customers: Uint8Array;

  private constructor(
    { seed, count, mix, customers }: LedgerOptions,
    parts: {
      api: Api;
      table: TestTable;
      owner: Owner;
      head: TestItem;
      template: TestItem;
      dimensions: string[];
    },
  ) {
    this.api = parts.api;
    this.count = count;
    this.table = parts.table;
    this.#owner = parts.owner;
    this.#idKeys = new IdKeys(parts.head);
    this.#template = parts.template;
    this.#dimensions = parts.dimensions;
    this.#states = new Uint8Array(count + 1);
    this.#customers = new Uint8Array(count + 1);
    for (let seq = 1; seq <= count; seq++) {
      this.#states[seq] = stateOf(mix, chanceOf(seed, seq, 'state'), chanceOf(seed, seq, 'late'));
      this.#customers[seq] = Math.floor(customers * chanceOf(seed, seq, 'customer') ** 2);
    }
  }

  /** A new account whose head has drawn so many numbers. One real invoice is the model for the items of all. */
  static async open(stack: Stack, options: LedgerOptions): Promise<Ledger> {
    const { tableHash } = await import('../shared/secrets/deployment-secret.ts');
    const table = tableOf(stack);
    const { accountId, test: api } = await newAccount(stack.baseUrl);
    const owner: Owner = { account: accountId, mode: 'test' };
    const { json } = await api.post('/api/invoices', invoiceBody({ description: 'd'.repeat(100) }));
    const [template, head] = await Promise.all([
      table.get(keys.record(json.id)),
      table.get(keys.head(owner)),
    ]);
    if (!template || !head) throw new Error('The invoice was not written.');
    await table.put({ ...head, [headAttributes.seq.invoice]: options.count });
    const dimensions: string[] = [];
    for (let customer = 0; customer < options.customers; customer++) {
      dimensions.push(`#customer#${await tableHash('customer', customerId(customer))}`);
    }
    return new Ledger(options, { api, table, owner, head, template, dimensions });
  }

  id(seq: number): string {
    return recordId(this.#idKeys.of(seq), { ...this.#owner, resource: 'invoice' }, seq);
  }

  status(seq: number): (typeof statuses)[number] {
    return statuses[(this.#states[seq] ?? 0) & 3] ?? 'pending';
  }

  /** The item of an invoice's record. */
  record(seq: number): TestItem {
    const customer = this.#customers[seq] ?? 0;
    const status = this.status(seq);
    return {
      ...this.#template,
      ...keys.record(this.id(seq)),
      seq,
      version: status === 'pending' ? 1 : 2,
      dimensions: [this.#dimensions[customer]],
      customerId: customerId(customer),
      status,
      change: randomUUID(),
    };
  }

  /** The index pages of the list of all, or of one customer's. */
  pages(customer?: number): TestItem[] {
    const dimension = customer === undefined ? '' : (this.#dimensions[customer] ?? '');
    const pages: TestItem[] = [];
    for (let page = 0; page <= Math.floor(this.count / pageSize); page++) {
      const members = sets.map(() => new Set<Uint8Array>());
      for (let low = 0; low < pageSize; low++) this.#addTo(members, page * pageSize + low, customer);
      const entries = sets.map((set, index) => [set, members[index] ?? new Set()] as const);
      const filled = Object.fromEntries(entries.filter(([, numbers]) => numbers.size > 0));
      if (members[0]?.size === 0) continue;
      pages.push({ ...keys.indexPage(this.#owner, 'invoice', dimension, page), ...filled });
    }
    return pages;
  }

  #addTo(members: readonly Set<Uint8Array>[], seq: number, customer: number | undefined): void {
    if (!this.#matches(seq, { customer })) return;
    const state = this.#states[seq] ?? 0;
    const numbers = new Set([0, state & 3, ...(state & 4 ? [1] : [])]);
    for (const index of numbers) members[index]?.add(Uint8Array.of(seq % pageSize));
  }

  /** Reads a page of the list without HTTP and admission; returns how many rows it has. */
  async list({ status, customer }: Filter, offset: number, limit: number): Promise<number> {
    const { listInvoices, readInvoiceIndex } = await import('../shared/invoices/store.ts');
    const view = await readInvoiceIndex(
      this.#owner,
      customer === undefined ? undefined : customerId(customer),
    );
    const admission = { owner: this.#owner, idKeys: this.#idKeys, seq: 0 };
    return (await listInvoices(admission, view, { status, offset, limit })).data.length;
  }

  /** What the list must answer. */
  expected(filter: Filter, offset: number, limit: number): { total: number; seqs: number[] } {
    const seqs: number[] = [];
    let total = 0;
    for (let seq = this.count; seq >= 1; seq--) {
      if (!this.#matches(seq, filter)) continue;
      if (total >= offset && seqs.length < limit) seqs.push(seq);
      total += 1;
    }
    return { total, seqs };
  }

  #matches(seq: number, { status, customer }: Filter): boolean {
    if (seq < 1 || seq > this.count) return false;
    if (customer !== undefined && this.#customers[seq] !== customer) return false;
    return status === undefined || this.status(seq) === status;
  }
}

function stateOf({ paid, cancelled, overdue, late }: Mix, chance: number, lateChance: number): number {
  const wasLate = lateChance < late ? 4 : 0;
  if (chance < paid) return statuses.indexOf('paid') | wasLate;
  if (chance < paid + cancelled) return statuses.indexOf('cancelled') | wasLate;
  return statuses.indexOf(chance < paid + cancelled + overdue ? 'overdue' : 'pending');
}
