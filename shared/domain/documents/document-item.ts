/** Describes how documents, the numbers of invoices and the last numbers of series are stored. */
import { createHash } from 'node:crypto';
import { modes, type Owner } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import { tableKeys } from '../../store/keys.ts';
import type { Item } from '../../store/records.ts';
import {
  arrayOf,
  compressibleText,
  count,
  defineItem,
  flag,
  instant,
  MalformedItemError,
  objectOf,
  oneOf,
  optional,
  positive,
  text,
} from '../../store/stored-fields.ts';
import { toStoredText } from '../../store/stored-text.ts';
import type { Credited } from './credit.ts';
import { type DocumentContent, type DocumentKind, documentKinds } from './document.ts';

/** A document as it is stored. It never changes, except by the erasure of personal data. */
export interface StoredDocument extends Owner {
  readonly id: string;
  readonly invoiceId: string;
  readonly kind: DocumentKind;
  readonly number: string;
  /** When the change happened for which it was issued, in the time of the account. */
  readonly issuedAt: Instant;
  /** SHA-256 of the JSON text of the content at the issue, in hexadecimal digits. */
  readonly sha256: string;
  /** Whether personal data was erased from the content, so `sha256` is not that of the content any more. */
  readonly isErased?: boolean | undefined;
  readonly content: DocumentContent;
}

/** What is known of the documents of an invoice. */
export interface InvoiceNumber extends Owner {
  readonly number: string;
  /** The ids of all documents of the invoice, in the order of their issue. */
  readonly documents: readonly string[];
  /** The id of the last issue of the invoice itself. */
  readonly lastIssue: string;
  /** How often the invoice was issued again. */
  readonly revision: number;
  /** What credit notes have credited. Undefined: nothing. */
  readonly credited?: Credited | undefined;
  /** Each change of this item raises it by one. */
  readonly version: number;
}

const owner = { account: text, mode: oneOf(...modes) };

/** The attributes of the item beside its keys. A record of an invoice has others. */
export const numberAttributes: readonly (keyof InvoiceNumber)[] = [
  'account',
  'mode',
  'number',
  'documents',
  'lastIssue',
  'revision',
  'credited',
  'version',
];

/** Returns what an item says of the documents of an invoice. @throws MalformedItemError */
export const toInvoiceNumber: (item: Item) => InvoiceNumber = defineItem<InvoiceNumber>(
  ({ pk }) => `the number of ${pk}`,
  {
    ...owner,
    number: text,
    documents: arrayOf(text),
    lastIssue: text,
    revision: count,
    credited: optional(objectOf<Credited>({ amount: count, parts: arrayOf(count) })),
    version: positive,
  },
);

/** The numbers that a series has given. */
interface GivenNumbers {
  /** Undefined: 1. */
  readonly first?: number | undefined;
  readonly last: number;
}

/** Returns the numbers that a series has given. @throws MalformedItemError */
export const toGivenNumbers = defineItem<GivenNumbers>(({ pk, sk }) => `the series ${pk} ${sk}`, {
  first: optional(positive),
  last: count,
});

const parseDocument = defineItem<Omit<StoredDocument, 'id' | 'content'> & { readonly content: string }>(
  ({ sk }) => String(sk),
  {
    ...owner,
    invoiceId: text,
    kind: oneOf(...documentKinds),
    number: text,
    issuedAt: instant,
    sha256: text,
    isErased: optional(flag),
    content: compressibleText,
  },
  ['content'],
);

/** Returns the document in an item. @throws MalformedItemError */
export function toDocument(item: Item): StoredDocument {
  const { content, ...attributes } = parseDocument(item);
  const id = String(item.sk);
  try {
    return { id, ...attributes, content: JSON.parse(content) };
  } catch (cause) {
    throw new MalformedItemError(id, 'its attribute content is not JSON text', { cause });
  }
}

/** Returns a new document. */
export function newDocument(
  { account, mode }: Owner,
  id: string,
  issuedAt: Instant,
  content: DocumentContent,
): StoredDocument {
  const { invoiceId, kind, number } = content;
  const sha256 = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  return { id, account, mode, invoiceId, kind, number, issuedAt, sha256, content };
}

/** Returns the item that stores a document. */
export function toDocumentItem({ id, content, ...attributes }: StoredDocument): Item {
  const key = tableKeys.document(attributes, id);
  return { ...key, ...attributes, content: toStoredText(JSON.stringify(content)) };
}
