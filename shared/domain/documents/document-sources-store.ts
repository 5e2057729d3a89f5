/** Reads what documents are made from: the seller, the customers, and the numbers and documents that exist. */
import { isRecordId, type Owner } from '../../base/ids.ts';
import { type Key, tableKeys } from '../../store/keys.ts';
import { fromItem, type Item, readItems } from '../../store/records.ts';
import { MalformedItemError, parseOrError } from '../../store/stored-fields.ts';
import { toAccount } from '../accounts/account-item.ts';
import type { Seller } from '../accounts/seller.ts';
import { toSeller } from '../accounts/seller-item.ts';
import type { Customer } from '../customers/customer.ts';
import { customerType } from '../customers/record.ts';
import {
  type InvoiceNumber,
  type StoredDocument,
  toDocument,
  toGivenNumbers,
  toInvoiceNumber,
} from './document-item.ts';
import type { DocumentOrder } from './document-order.ts';
import type { Parties } from './issue.ts';
import { seriesOf } from './series.ts';

/** The items of an account and its seller profile, as they were read. */
export interface ProfileItems {
  readonly account?: Item | undefined;
  readonly seller?: Item | undefined;
}

/** DynamoDB's limit for one call. */
const itemsPerRead = 100;

/** Reads what some documents are made from, in up to two calls in sequence. @throws the error of DynamoDB */
export async function readSources(
  owner: Owner,
  orders: readonly DocumentOrder[],
  profile: ProfileItems,
): Promise<DocumentSources> {
  const seller = profile.seller && parseOrError(profile.seller, toSeller);
  const numbers = unique(orders.map(({ invoiceId }) => tableKeys.invoiceNumber(invoiceId)));
  const customers = unique(orders.flatMap(({ change }) => customerKeyOf(change) ?? []));
  const series = unique(
    seller && !(seller instanceof MalformedItemError)
      ? orders.map(({ change, at }) => {
          const { kind, prefix } = seriesOf(seller, change.kind, at);
          return tableKeys.series(owner, kind, prefix);
        })
      : [],
  );
  const items = await readAll([...numbers, ...customers, ...series]);
  const found = (key: Key) => items.get(nameOf(key));
  const numberItems = new Map(numbers.map((key) => [key.pk, found(key)]));
  const wanted = orders.flatMap(({ id, invoiceId, change }) => {
    const number = numberItems.get(invoiceId);
    const parsed = number && parseOrError(number, toInvoiceNumber);
    if (!parsed || parsed instanceof MalformedItemError) return [];
    const ids = [
      ...(parsed.documents.includes(id) ? [id] : []),
      ...(change.kind === 'invoice' ? [] : [parsed.lastIssue]),
    ];
    return ids.map((document) => tableKeys.document(owner, document));
  });
  const documents = await readAll(unique(wanted));
  return new DocumentSources(owner, orders, profile, {
    seller,
    numbers: numberItems,
    customers: new Map(customers.map((key) => [key.pk, found(key)])),
    series: new Map(series.map((key) => [key.sk, found(key)])),
    documents: new Map([...documents.values()].map((item) => [String(item.sk), item])),
  });
}

interface SourceItems {
  readonly seller: Seller | MalformedItemError | undefined;
  readonly numbers: ReadonlyMap<string, Item | undefined>;
  readonly customers: ReadonlyMap<string, Item | undefined>;
  readonly series: ReadonlyMap<string, Item | undefined>;
  readonly documents: ReadonlyMap<string, Item>;
}

/** What documents are made from. Items are parsed when they are needed, so a malformed one prevents only its own document. */
export class DocumentSources {
  readonly #owner: Owner;
  readonly #orders: readonly DocumentOrder[];
  readonly #profile: ProfileItems;
  readonly #items: SourceItems;
  readonly #numbers = new Map<string, InvoiceNumber>();
  readonly #documents = new Map<string, StoredDocument>();
  readonly #last = new Map<string, number>();

  constructor(owner: Owner, orders: readonly DocumentOrder[], profile: ProfileItems, items: SourceItems) {
    this.#owner = owner;
    this.#orders = orders;
    this.#profile = profile;
    this.#items = items;
  }

  /** Reads the same again. */
  readAgain(): Promise<DocumentSources> {
    return readSources(this.#owner, this.#orders, this.#profile);
  }

  /** @throws MalformedItemError if the account has no seller, or one of its items cannot be read */
  partiesOf(customerId: string | undefined): Parties {
    const { account, mode } = this.#owner;
    const { seller, customers } = this.#items;
    if (seller instanceof MalformedItemError) throw seller;
    const profile = this.#profile.account;
    if (!(seller && profile)) throw new MalformedItemError(account, 'the account has no seller profile');
    const item = customerId === undefined ? undefined : customers.get(customerId);
    const customer: Customer | undefined = fromItem(customerType, this.#owner, item);
    return {
      seller,
      settings: toAccount(account, profile),
      customer: customer?.status === 'active' ? customer : undefined,
      mode,
    };
  }

  /** Returns the number of an invoice. Undefined: it has none. @throws MalformedItemError */
  numberOf(invoiceId: string): InvoiceNumber | undefined {
    const item = this.#items.numbers.get(invoiceId);
    return this.#numbers.get(invoiceId) ?? (item && toInvoiceNumber(item));
  }

  /** Returns a document that exists. @throws MalformedItemError */
  documentOf(id: string): StoredDocument | undefined {
    const item = this.#items.documents.get(id);
    return this.#documents.get(id) ?? (item && toDocument(item));
  }

  /** Returns the last number of a series. 0: it has none. @param name from `nameOfSeries` @throws MalformedItemError */
  lastNumberOf(name: string): number {
    const item = this.#items.series.get(name);
    return this.#last.get(name) ?? (item ? toGivenNumbers(item).last : 0);
  }

  /** Notes what a transaction has written. */
  learn(written: {
    readonly numbers: ReadonlyMap<string, InvoiceNumber>;
    readonly documents: ReadonlyMap<string, StoredDocument>;
    /** By the name of the series. */
    readonly last: ReadonlyMap<string, number>;
  }): void {
    for (const [invoice, number] of written.numbers) this.#numbers.set(invoice, number);
    for (const [id, document] of written.documents) this.#documents.set(id, document);
    for (const [name, last] of written.last) this.#last.set(name, last);
  }
}

/** The record of a customer that an invoice names by its id. */
function customerKeyOf(change: DocumentOrder['change']): Key | undefined {
  if (change.kind !== 'invoice') return undefined;
  const { customerId } = change.invoice;
  return isRecordId('customer', customerId) ? tableKeys.record(customerId) : undefined;
}

const nameOf = ({ pk, sk }: Key) => `${pk} ${sk}`;

const unique = (keys: readonly Key[]): Key[] => [...new Map(keys.map((key) => [nameOf(key), key])).values()];

async function readAll(keys: readonly Key[]): Promise<ReadonlyMap<string, Item>> {
  const reads: Promise<Item[]>[] = [];
  for (let start = 0; start < keys.length; start += itemsPerRead)
    reads.push(readItems(keys.slice(start, start + itemsPerRead)));
  const items = (await Promise.all(reads)).flat();
  return new Map(items.map((item) => [nameOf(item as Item & Key), item]));
}
