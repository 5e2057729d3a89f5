/** Decides what an erasure of personal data leaves of a document. Pure. */
import { isDeepStrictEqual } from 'node:util';
import {
  type ErasureTable,
  eraseEach,
  eraseFields,
  eraseText,
  type FieldErasures,
  keepValue,
  replaceCustomerId,
  replaceWith,
} from '../../store/field-erasure.ts';
import type { Item } from '../../store/records.ts';
import { chargesErasures } from '../charges/stored-charges.ts';
import type { Address, TaxId } from '../parties/party.ts';
import type { DocumentContent } from './document.ts';
import { toDocument, toDocumentItem } from './document-item.ts';

const keptAddress: FieldErasures<Address> = {
  line1: keepValue,
  line2: keepValue,
  city: keepValue,
  state: keepValue,
  postalCode: keepValue,
  country: keepValue,
};

/** The seller, the number, the days, the amounts and the taxes stay, because the books need them. */
const contentErasures: FieldErasures<DocumentContent> = {
  kind: keepValue,
  title: keepValue,
  number: keepValue,
  revision: keepValue,
  issuedOn: keepValue,
  dueOn: keepValue,
  seller: {
    name: keepValue,
    address: keptAddress,
    taxIds: eraseEach<TaxId>({ type: keepValue, value: keepValue }),
    contact: keepValue,
    paymentInstructions: keepValue,
    terms: keepValue,
    footer: keepValue,
    signatory: keepValue,
    color: keepValue,
    logo: { sha256: keepValue, type: keepValue, width: keepValue, height: keepValue },
  },
  buyer: {
    customerId: replaceCustomerId,
    name: replaceWith(null),
    email: replaceWith(null),
    address: replaceWith(null),
    deliveryAddress: replaceWith(null),
    taxIds: replaceWith([]),
  },
  invoiceId: keepValue,
  reference: eraseText,
  paymentUrl: keepValue,
  payment: {
    id: keepValue,
    number: keepValue,
    issuedOn: keepValue,
    method: keepValue,
    // The books need the brand and the last four digits, and they name nobody.
    card: { brand: keepValue, last4: keepValue },
    reference: eraseText,
    receivedOn: keepValue,
    bank: eraseText,
  },
  corrects: { number: keepValue, issuedOn: keepValue },
  reason: eraseText,
  currency: keepValue,
  amount: keepValue,
  description: eraseText,
  // The state in which the supply is taxed.
  placeOfSupply: keepValue,
  isReverseCharge: keepValue,
  endorsement: keepValue,
  ...chargesErasures,
};

/**
 * Returns the attributes of a document that change when its personal data is erased. Undefined: it has none any more.
 * @param pseudonym replaces the customer id. Undefined: the invoice keeps its customer id and its texts, and only what the document has
 *   from the deleted customer is erased
 * @throws MalformedItemError
 */
export function eraseDocument(item: Item, pseudonym: string | undefined): Item | undefined {
  const document = toDocument(item);
  const { content } = document;
  const table = (
    pseudonym === undefined ? { buyer: contentErasures.buyer } : contentErasures
  ) as ErasureTable;
  const erased = eraseFields(table, content, {
    pseudonym: pseudonym ?? content.buyer.customerId,
    isShown: false,
  }) as DocumentContent;
  if (isDeepStrictEqual(erased, content)) return undefined;
  const changed = toDocumentItem({ ...document, content: erased, isErased: true });
  return { content: changed.content, isErased: changed.isErased };
}
