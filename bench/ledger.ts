/**
 * Simulates the invoices of one large account. The ledger knows the status and customer of each invoice by its sequence
 * number. It builds the items that the service would have written, and computes the expected list responses.
 */
import { randomUUID } from 'node:crypto';
import type { Stack } from '../infra/local/stack.ts';
import { type Owner, recordId } from '../shared/base/ids.ts';
import { accountStateAttributes, IdKeys } from '../shared/store/account-state.ts';
import { pageSize, pagesPerVolume, tableKeys, volumeSize } from '../shared/store/keys.ts';
import { type Api, invoiceBody, newAccount } from '../test/support/api.ts';
import { seededNumber } from '../test/support/seeded-random.ts';
import { type TestItem, type TestTable, tableOf } from '../test/support/table.ts';

/** The share of each status. `late` is the share of paid and cancelled invoices that were overdue before. */
export interface StatusMix {
  readonly paid: number;
  readonly cancelled: number;
  readonly overdue: number;
  readonly late: number;
}

export interface LedgerOptions {
  readonly seed: number;
  readonly count: number;
  readonly mix: StatusMix;
  readonly customers: number;
}

export interface LedgerFilter {
  readonly status?: string | undefined;
  /** The number of the customer. */
  readonly customer?: number | undefined;
}

/** How the index of an account is stored. */
export type IndexForm = 'pages' | 'volumes';

export const ledgerStatuses = ['pending', 'overdue', 'paid', 'cancelled'] as const;
/** The set attributes of an index page, in the order of `ledgerStatuses`. */
const sets = ['c', 'o', 'p', 'x'] as const;

export const customerId = (customer: number): string => `accounts-${customer}@example-company.com`;

export class Ledger {
  readonly api: Api;
  readonly count: number;
  readonly table: TestTable;
  readonly #owner: Owner;
  readonly #idKeys: IdKeys;
  readonly #template: TestItem;
  readonly #filterKeys: readonly string[];
  /** The index of each invoice's status. Bit 2 is set if the invoice was overdue before. */
  readonly #states: Uint8Array;
  /** The customer of each invoice. */
  readonly #customers: Uint8Array;

  private constructor(
    { seed, count, mix, customers }: LedgerOptions,
    parts: {
      api: Api;
      table: TestTable;
      owner: Owner;
      accountState: TestItem;
      template: TestItem;
      filterKeys: string[];
    },
  ) {
    this.api = parts.api;
    this.count = count;
    this.table = parts.table;
    this.#owner = parts.owner;
    this.#idKeys = new IdKeys(parts.accountState);
    this.#template = parts.template;
    this.#filterKeys = parts.filterKeys;
    this.#states = new Uint8Array(count + 1);
    this.#customers = new Uint8Array(count + 1);
    for (let seq = 1; seq <= count; seq++) {
      this.#states[seq] = initialState(
        mix,
        seededNumber(seed, seq, 'state'),
        seededNumber(seed, seq, 'late'),
      );
      this.#customers[seq] = Math.floor(customers * seededNumber(seed, seq, 'customer') ** 2);
    }
  }

  /**
   * Creates an account whose allocated sequence numbers match the ledger. One real invoice is the template of all
   * items.
   */
  static async open(stack: Stack, options: LedgerOptions): Promise<Ledger> {
    const { tableHash } = await import('../shared/platform/secrets/deployment-secret.ts');
    const table = tableOf(stack);
    const { accountId, test: api } = await newAccount(stack.baseUrl);
    const owner: Owner = { account: accountId, mode: 'test' };
    const { json } = await api.post('/api/invoices', invoiceBody({ description: 'd'.repeat(100) }));
    const [template, accountState] = await Promise.all([
      table.get(tableKeys.record(json.id)),
      table.get(tableKeys.accountState(owner)),
    ]);
    if (!template || !accountState) throw new Error('The invoice was not stored.');
    await table.put({ ...accountState, [accountStateAttributes.seq.invoice]: options.count });
    const filterKeys: string[] = [];
    for (let customer = 0; customer < options.customers; customer++) {
      filterKeys.push(`#customer#${await tableHash('customer', customerId(customer))}`);
    }
    return new Ledger(options, { api, table, owner, accountState, template, filterKeys });
  }

  id(seq: number): string {
    return recordId(this.#idKeys.of(seq), { ...this.#owner, resource: 'invoice' }, seq);
  }

  status(seq: number): (typeof ledgerStatuses)[number] {
    return ledgerStatuses[(this.#states[seq] ?? 0) & 3] ?? 'pending';
  }

  /** Returns the record item of an invoice. */
  record(seq: number): TestItem {
    const customer = this.#customers[seq] ?? 0;
    const status = this.status(seq);
    return {
      ...this.#template,
      ...tableKeys.record(this.id(seq)),
      seq,
      version: status === 'pending' ? 1 : 2,
      filterKeys: [this.#filterKeys[customer]],
      customerId: customerId(customer),
      status,
      change: randomUUID(),
    };
  }

  /** Loads the index of all invoices in parts. @param form pages as requests write them, or folded into volumes */
  async loadIndex(form: IndexForm): Promise<void> {
    const { foldVolume, settleMs } = await import('../shared/store/lists/volumes/fold-volume.ts');
    const { foldStoreOf } = await import('../shared/store/lists/volumes/volume-store.ts');
    const store = foldStoreOf(this.#owner, 'invoice', '');
    for (let volume = 0; volume * volumeSize <= this.count; volume++) {
      const first = volume * pagesPerVolume;
      await this.table.putAll(this.pages(undefined, first, first + pagesPerVolume - 1));
      let at = Date.now() - 24 * settleMs;
      const fold = () => foldVolume(store, 'invoice', volume, () => at);
      while (form === 'volumes' && (await fold()) === 'waiting') at += settleMs;
    }
  }

  /** Returns the index pages `first` to `last` of all invoices, or of one customer's invoices. By default all pages. */
  pages(customer?: number, first = 0, last = Number.POSITIVE_INFINITY): TestItem[] {
    const filterKey = customer === undefined ? '' : (this.#filterKeys[customer] ?? '');
    const pages: TestItem[] = [];
    for (let page = first; page <= Math.min(last, Math.floor(this.count / pageSize)); page++) {
      const members = sets.map(() => new Set<Uint8Array>());
      for (let low = 0; low < pageSize; low++) this.#addTo(members, page * pageSize + low, customer);
      const entries = sets.map((set, index) => [set, members[index] ?? new Set()] as const);
      const filled = Object.fromEntries(entries.filter(([, numbers]) => numbers.size > 0));
      if (members[0]?.size === 0) continue;
      pages.push({ ...tableKeys.indexPage(this.#owner, 'invoice', filterKey, page), ...filled });
    }
    return pages;
  }

  /** Returns the account and the filter key of the list of all invoices, or of that of one customer. */
  listOf(customer?: number): { owner: Owner; filterKey: string } {
    const filterKey = customer === undefined ? '' : (this.#filterKeys[customer] ?? '');
    return { owner: this.#owner, filterKey };
  }

  #addTo(members: readonly Set<Uint8Array>[], seq: number, customer: number | undefined): void {
    if (!this.#matches(seq, { customer })) return;
    const state = this.#states[seq] ?? 0;
    const numbers = new Set([0, state & 3, ...(state & 4 ? [1] : [])]);
    for (const index of numbers) members[index]?.add(Uint8Array.of(seq % pageSize));
  }

  /** Reads a page of the list without HTTP and authorization. Returns the number of rows. */
  async list({ status, customer }: LedgerFilter, offset: number, limit: number): Promise<number> {
    const { listInvoicePage, readInvoiceIndex } = await import('../shared/domain/invoices/invoice-store.ts');
    const view = await readInvoiceIndex(this.#owner, {
      customerId: customer === undefined ? undefined : customerId(customer),
    });
    const principal = { owner: this.#owner, idKeys: this.#idKeys, seq: 0 };
    return (await listInvoicePage(principal, view, { status, offset, limit })).data.length;
  }

  /** Returns the expected total and the expected sequence numbers of a list page. */
  expected(filter: LedgerFilter, offset: number, limit: number): { total: number; seqs: number[] } {
    const seqs: number[] = [];
    let total = 0;
    for (let seq = this.count; seq >= 1; seq--) {
      if (!this.#matches(seq, filter)) continue;
      if (total >= offset && seqs.length < limit) seqs.push(seq);
      total += 1;
    }
    return { total, seqs };
  }

  #matches(seq: number, { status, customer }: LedgerFilter): boolean {
    if (seq < 1 || seq > this.count) return false;
    if (customer !== undefined && this.#customers[seq] !== customer) return false;
    return status === undefined || this.status(seq) === status;
  }
}

function initialState(
  { paid, cancelled, overdue, late }: StatusMix,
  chance: number,
  lateChance: number,
): number {
  const wasLate = lateChance < late ? 4 : 0;
  if (chance < paid) return ledgerStatuses.indexOf('paid') | wasLate;
  if (chance < paid + cancelled) return ledgerStatuses.indexOf('cancelled') | wasLate;
  return ledgerStatuses.indexOf(chance < paid + cancelled + overdue ? 'overdue' : 'pending');
}
