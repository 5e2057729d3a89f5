/** Describes the fields of documents, and shows an example. */
import { currency, cursor, type FieldTexts } from './common-field-texts.ts';
import { customer } from './example-records.ts';
import { invoice } from './invoice-field-texts.ts';
import type { Example } from './named-schemas.ts';

const content: Example<'DocumentContent'> = {
  kind: 'invoice',
  title: 'tax_invoice',
  number: 'INV-0042',
  revision: 0,
  mode: 'test',
  issuedOn: '2026-11-21',
  dueOn: '2026-12-21',
  seller: {
    name: 'Druk Web Design',
    address: customer.address,
    taxIds: customer.taxIds,
    contact: 'accounts@example.bt',
    paymentInstructions: null,
    terms: null,
    footer: null,
    signatory: null,
    color: null,
    logo: null,
  },
  buyer: {
    customerId: invoice.customerId,
    name: null,
    email: invoice.customerId,
    address: null,
    deliveryAddress: null,
    taxIds: [],
  },
  invoiceId: invoice.id,
  reference: invoice.reference,
  paymentUrl: invoice.paymentUrl,
  payment: null,
  corrects: null,
  reason: null,
  currency: invoice.currency,
  amount: invoice.amount,
  description: invoice.description,
  placeOfSupply: null,
  isReverseCharge: false,
  endorsement: null,
  prices: invoice.prices,
  discount: invoice.discount,
  roundTo: invoice.roundTo,
  lines: invoice.lines,
  taxes: invoice.taxes,
  totals: invoice.totals,
};

const summary: Example<'Document'> = {
  id: 'doc_01k0a9x2c7q4w8n5t3h6zd1mbe',
  kind: content.kind,
  title: content.title,
  number: content.number,
  revision: content.revision,
  invoiceId: content.invoiceId,
  amount: content.amount,
  currency: content.currency,
  issuedOn: content.issuedOn,
  issuedAt: invoice.createdAt,
  sha256: '3c9d1f0a5b7e824166d0f3a9c2b8e7145f60a1d2c3b4e5f60718293a4b5c6d7e',
};

/** An example of each schema of documents. */
export const documentExamples = { document: { ...summary, content }, summary } as const;

const parts = {
  kind: '`invoice`, `credit_note` or `receipt`. A credit note follows from a refund, and a receipt from the payment that pays the invoice.',
  title:
    'What the document is called. A seller with a tax number for GST issues a `tax_invoice` for taxed supplies, and in India a `bill_of_supply` for supplies without tax.',
  number:
    'The number. The numbers of a series follow each other without a gap, in the order in which the invoices were created.',
  revision: 'How often the invoice was issued before, because it was changed. The number stays the same.',
  invoiceId: 'The ID of the invoice.',
  amount:
    'The amount, in the smallest currency unit. For a credit note, the amount that is credited. For a receipt, the amount that was paid.',
  currency,
  issuedOn: 'The day of the issue, in the time zone of the seller.',
};
const summaryTexts = {
  id: 'The ID of the document.',
  ...parts,
  issuedAt: 'The time at which the invoice was created, changed or paid, or the refund was processed.',
  sha256:
    'The SHA-256 of `content` as JSON text, as it was issued. After an erasure of the customer, `content` differs from it.',
};
const taxIds = 'The numbers under which tax authorities know them.';

export const documentFieldTexts: Pick<
  FieldTexts,
  'Document' | 'DocumentWithContent' | 'DocumentList' | 'DocumentContent' | 'DocumentSeller' | 'DocumentBuyer'
> = {
  Document: summaryTexts,
  DocumentWithContent: { ...summaryTexts, content: 'What the document says.' },
  DocumentList: { data: 'The documents, newest first.', cursor },
  DocumentContent: {
    ...parts,
    mode: 'The mode of the invoice: `test` or `live`.',
    dueOn: 'The day on which payment is due. Null for other kinds than `invoice`.',
    seller: 'The seller, as it was at the issue.',
    buyer: 'The buyer, as it was at the issue.',
    reference: 'Your own number for the invoice. Null if you did not set one.',
    paymentUrl: 'Where the invoice can be paid. Null for other kinds than `invoice`.',
    payment: 'The payment of a receipt. Null for other kinds.',
    corrects: 'The number and the day of the invoice that a credit note corrects. Null for other kinds.',
    reason: 'The reason of the refund of a credit note. Null if it has none.',
    description: 'What the document is for.',
    placeOfSupply: 'The place of supply, if the law wants it.',
    isReverseCharge: 'Whether the buyer pays the tax to the state.',
    endorsement: 'A sentence that the law wants on the document. Null: none.',
    prices: 'Whether the unit amounts are without the taxes (`exclusive`) or contain them (`inclusive`).',
    discount: 'The discount on the sum of the lines. Null if it is not set.',
    roundTo: 'The amount is rounded to a multiple of this. Null: it is not rounded.',
    lines: 'What the document charges or credits.',
    taxes: 'The taxes, one row for each rate.',
    totals: 'What the lines come to.',
  },
  DocumentSeller: {
    name: 'The legal name.',
    address: 'The postal address.',
    taxIds,
    contact: 'How buyers reach the seller.',
    paymentInstructions: 'How to pay without the payment page.',
    terms: 'The terms of payment.',
    footer: 'The text at the end of each page.',
    signatory: 'The name of the person who signs.',
    color: 'The color of headings.',
    logo: 'The logo. Null: the document has none.',
  },
  DocumentBuyer: {
    customerId: 'The customer of the invoice.',
    name: 'The name. Null if it is not known.',
    email: 'The email address. Null if it is not known.',
    address: 'The postal address. Null if it is not known.',
    deliveryAddress: 'Where the goods go. Null: to `address`.',
    taxIds,
  },
};
