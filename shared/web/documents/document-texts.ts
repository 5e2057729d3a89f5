/**
 * Holds the texts of documents in English, and defines which texts a language must have. The other languages are beside this file.
 * A language in which a text is missing does not compile.
 */
import type { DocumentTitle } from '../../domain/documents/document.ts';

export interface DocumentTexts {
  /**
   * Whether a native reader has checked the texts. A document in another language says that it is a copy for reading, and that the
   * English one counts.
   */
  readonly isChecked: boolean;
  /** What a copy says about itself. Null in a language that is checked. */
  readonly copy: string | null;
  readonly titles: Readonly<Record<DocumentTitle, string>>;
  readonly cancelled: string;
  readonly test: string;
  readonly number: string;
  readonly revision: string;
  readonly issuedOn: string;
  readonly dueOn: string;
  readonly reference: string;
  readonly corrects: string;
  readonly pays: string;
  readonly paidBy: string;
  readonly paymentId: string;
  readonly receivedOn: string;
  readonly bank: string;
  readonly methods: Readonly<Record<'card' | 'offline' | 'provider' | 'credit', string>>;
  /** Names a document and its day: `INV-1 of 1 March 2026`. */
  readonly numberAndDay: (number: string, day: string) => string;
  readonly reason: string;
  readonly billTo: string;
  readonly deliverTo: string;
  readonly placeOfSupply: string;
  readonly reverseCharge: string;
  readonly description: string;
  readonly productCode: string;
  readonly quantity: string;
  readonly unitAmount: string;
  readonly lineTax: string;
  readonly amount: string;
  readonly lineDiscount: string;
  readonly subtotal: string;
  readonly discount: string;
  readonly including: string;
  readonly rounding: string;
  readonly total: string;
  readonly credit: string;
  readonly received: string;
  readonly tax: string;
  readonly rate: string;
  readonly taxable: string;
  readonly taxAmount: string;
  readonly inWords: string;
  readonly howToPay: string;
  readonly payOnline: string;
  readonly scanToPay: string;
  readonly terms: string;
  readonly signatory: string;
  readonly forSeller: (seller: string) => string;
  readonly page: (page: string, pages: string) => string;
}

export const englishTexts: DocumentTexts = {
  isChecked: true,
  copy: null,
  titles: {
    invoice: 'Invoice',
    tax_invoice: 'Tax invoice',
    bill_of_supply: 'Bill of supply',
    credit_note: 'Credit note',
    receipt: 'Receipt',
  },
  cancelled: 'Cancelled',
  test: 'Test mode',
  number: 'Number',
  revision: 'Revision',
  issuedOn: 'Date',
  dueOn: 'Due',
  reference: 'Our reference',
  corrects: 'Corrects invoice',
  pays: 'For invoice',
  paidBy: 'Paid by',
  paymentId: 'Payment ID',
  receivedOn: 'Received on',
  bank: 'Bank',
  methods: {
    card: 'Card',
    offline: 'Outside the payment page',
    provider: 'Online payment',
    credit: 'Credit',
  },
  numberAndDay: (number, day) => `${number} of ${day}`,
  reason: 'Reason',
  billTo: 'Bill to',
  deliverTo: 'Deliver to',
  placeOfSupply: 'Place of supply',
  reverseCharge: 'Tax is payable on reverse charge: Yes. The buyer pays the tax.',
  description: 'Item',
  productCode: 'HSN/SAC',
  quantity: 'Quantity',
  unitAmount: 'Price',
  lineTax: 'Tax',
  amount: 'Amount',
  lineDiscount: 'less',
  subtotal: 'Subtotal',
  discount: 'Discount',
  including: 'including',
  rounding: 'Rounding',
  total: 'Total',
  credit: 'Total credit',
  received: 'Total received',
  tax: 'Tax',
  rate: 'Rate',
  taxable: 'Taxable value',
  taxAmount: 'Tax amount',
  inWords: 'In words',
  howToPay: 'How to pay',
  payOnline: 'Pay online',
  scanToPay: 'Scan to pay',
  terms: 'Terms',
  signatory: 'Authorized signatory',
  forSeller: (seller) => `For ${seller}`,
  page: (page, pages) => `Page ${page} of ${pages}`,
};
