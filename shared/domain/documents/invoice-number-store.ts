/** Reads the numbers of invoices. They are beside the records, so issuing a document changes no record. */
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../base/env.ts';
import { isRecordId, type Owner } from '../../base/ids.ts';
import { dynamodb } from '../../store/client.ts';
import { tableKeys } from '../../store/keys.ts';
import { leaveOutMalformed } from '../../store/left-out-items.ts';
import { fromItem, type Item, readItems } from '../../store/records.ts';
import { parseOrError } from '../../store/stored-fields.ts';
import type { Invoice, ShownInvoice } from '../invoices/invoice.ts';
import { invoiceType } from '../invoices/record.ts';
import { type InvoiceNumber, toInvoiceNumber } from './document-item.ts';

/** An invoice with the number of its document. */
export interface NumberedInvoice {
  /** Undefined: it does not exist. */
  readonly invoice: Invoice | undefined;
  /** Undefined: no document is issued yet, or the account issues none. */
  readonly number: string | undefined;
  /** What is known of its documents. Undefined: as for `number`. */
  readonly issued?: InvoiceNumber | undefined;
}

/**
 * Reads an invoice with its number in one call, strongly consistent. It costs as much as a read of the invoice alone. A malformed
 * number is left out.
 * @param owner Undefined: of any account
 * @throws MalformedItemError if the invoice cannot be read
 */
export async function readNumberedInvoice(owner: Owner | undefined, id: string): Promise<NumberedInvoice> {
  if (!isRecordId('invoice', id)) return { invoice: undefined, number: undefined };
  const from = tableKeys.invoiceNumber(id);
  const to = tableKeys.record(id);
  const { Items: items = [] } = await dynamodb.send(
    new QueryCommand({
      TableName: env.tableName(),
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
      ExpressionAttributeValues: { ':pk': id, ':from': from.sk, ':to': to.sk },
      ConsistentRead: true,
    }),
  );
  const record = items.find(({ sk }) => sk === to.sk);
  const invoice = record && fromItem(invoiceType, owner ?? (record as unknown as Owner), record);
  const issued = invoice && issuedIn(items).get(id);
  return { invoice, number: issued?.number, issued };
}

/** DynamoDB's limit for one call. */
const idsPerRead = 100;

/**
 * The numbers of the invoices of a list. They are read while the records are, so the list takes no longer. The list of an account
 * without a seller profile reads none. Malformed numbers are left out.
 */
export class InvoiceNumbers {
  readonly #owner: Owner;
  readonly #isIssuing: boolean;
  readonly #reads = new Map<string, Promise<ReadonlyMap<string, string>>>();

  /** @param isIssuing whether the account may issue documents */
  constructor(owner: Owner, isIssuing = true) {
    this.#owner = owner;
    this.#isIssuing = isIssuing;
  }

  /** Begins to read the numbers of invoices. Undefined: the account issues no documents. */
  get onRead(): ((ids: readonly string[]) => void) | undefined {
    return this.#isIssuing ? (ids) => this.#read(ids) : undefined;
  }

  #read(ids: readonly string[]): void {
    const unread = ids.filter((id) => !this.#reads.has(id));
    for (let start = 0; start < unread.length; start += idsPerRead) {
      const some = unread.slice(start, start + idsPerRead);
      const read = readInvoiceNumbers(this.#owner, some);
      // `addTo` awaits it, if it is needed.
      read.catch(() => {});
      for (const id of some) this.#reads.set(id, read);
    }
  }

  /** Returns a page with the numbers of its invoices. */
  async addTo<Page extends { readonly data: readonly ShownInvoice[] }>(page: Page): Promise<Page> {
    const numbers = await this.of(page.data.map(({ id }) => id));
    const rows = page.data.map((row) => {
      const number = numbers.get(row.id);
      return number === undefined ? row : { ...row, number };
    });
    return { ...page, data: rows };
  }

  /** Returns the numbers of invoices, by their ids. */
  async of(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (!this.#isIssuing) return new Map();
    this.#read(ids);
    const reads = [...new Set(ids.flatMap((id) => this.#reads.get(id) ?? []))];
    return new Map((await Promise.all(reads)).flatMap((numbers) => [...numbers]));
  }
}

/** Reads the numbers of up to 100 invoices, by their ids. Malformed numbers are left out. */
export async function readInvoiceNumbers(
  owner: Owner,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const items = await readItems(ids.map(tableKeys.invoiceNumber));
  const own = items.filter(({ account, mode }) => account === owner.account && mode === owner.mode);
  return new Map([...issuedIn(own)].map(([id, { number }]) => [id, number]));
}

/** Returns what is known of the documents of invoices, by the ids of the invoices. */
function issuedIn(items: readonly Item[]): ReadonlyMap<string, InvoiceNumber> {
  const { sk } = tableKeys.invoiceNumber('');
  const issued = items
    .filter((item) => item.sk === sk)
    .map((item) => parseOrError(item, (each) => ({ id: String(each.pk), issued: toInvoiceNumber(each) })));
  return new Map(leaveOutMalformed(issued).map((each) => [each.id, each.issued]));
}
