/** Documents as sellers of Bhutan, India and the United States issue them, each with the particulars that its rules name. */
import { computeCharges } from '../../../shared/domain/charges/compute.ts';
import type { ChargeInput, LineInput, ShownLine, TaxRow } from '../../../shared/domain/charges/line.ts';
import { plainCharges, plainLines, plainTotals } from '../../../shared/domain/charges/plain-charges.ts';
import type {
  DocumentBuyer,
  DocumentContent,
  DocumentSeller,
} from '../../../shared/domain/documents/document.ts';
import type { Address } from '../../../shared/domain/parties/party.ts';

const address = (parts: Partial<Address>): Address => ({
  line1: null,
  line2: null,
  city: null,
  state: null,
  postalCode: null,
  country: null,
  ...parts,
});

const plainSeller: DocumentSeller = {
  name: 'Druk Crafts',
  address: null,
  taxIds: [],
  contact: null,
  paymentInstructions: null,
  terms: null,
  footer: null,
  signatory: null,
  color: null,
  logo: null,
};

const plainBuyer: DocumentBuyer = {
  customerId: 'cust_karma',
  name: null,
  email: null,
  address: null,
  deliveryAddress: null,
  taxIds: [],
};

/** A line with what lines usually lack. */
export const sampleLine = (
  line: Partial<LineInput> & Pick<LineInput, 'description' | 'unitAmount'>,
): LineInput => ({
  id: null,
  quantity: '1',
  unit: null,
  discount: null,
  tax: 'none',
  taxPercent: null,
  productCode: null,
  ...line,
});

type Head = Omit<DocumentContent, keyof ReturnType<typeof computeCharges>>;

const head: Head = {
  kind: 'invoice',
  title: 'tax_invoice',
  number: 'DC-2026-0042',
  revision: 0,
  mode: 'live',
  issuedOn: '2026-03-01',
  dueOn: '2026-03-31',
  seller: plainSeller,
  buyer: plainBuyer,
  invoiceId: 'inv_00000000000000000000000042',
  reference: null,
  paymentUrl: 'https://pay.example.bt/pay/inv_00000000000000000000000042',
  payment: null,
  corrects: null,
  reason: null,
  currency: 'BTN',
  description: 'Handwoven textiles',
  placeOfSupply: null,
  isReverseCharge: false,
  endorsement: null,
};

/** Returns a document whose lines are computed as those of invoices. */
export function sampleDocument(
  input: Partial<ChargeInput> & Pick<ChargeInput, 'lines'>,
  content: Partial<Head> = {},
): DocumentContent {
  const shown = { ...head, ...content };
  const charges = { prices: 'exclusive', discount: null, roundTo: null, ...input } as const;
  return { ...shown, ...computeCharges(charges, shown.issuedOn) };
}

/** Goods and Services Tax Act of Bhutan: 5 % from 2026 on. The seller has a taxpayer number (TPN). */
export const bhutan = sampleDocument(
  {
    lines: [
      sampleLine({
        description: 'Kira, handwoven silk',
        quantity: '2',
        unit: 'pcs',
        unitAmount: 1_250_000,
        tax: 'bt_gst_5',
      }),
      sampleLine({
        description: 'Tailoring, ཀི་ར་དང་རྒོ་ལ།',
        quantity: '3.5',
        unit: 'hours',
        unitAmount: 60_000,
        tax: 'bt_gst_5',
        discount: { percent: '10', amount: null },
      }),
      sampleLine({ description: 'School books', unitAmount: 45_000, tax: 'bt_exempt' }),
    ],
    discount: { percent: null, amount: 10_000 },
  },
  {
    seller: {
      ...plainSeller,
      address: address({ line1: 'Norzin Lam 12', city: 'Thimphu', postalCode: '11001', country: 'BT' }),
      taxIds: [{ type: 'bt_tpn', value: 'TAB12345' }],
      contact: 'accounts@drukcrafts.example, +975 2 323 456',
      paymentInstructions: 'Bank of Bhutan, account 100 200 300\nAccount name: Druk Crafts',
      terms: 'Payment within 30 days. Goods remain ours until they are paid.',
      footer: 'Thank you for your order. བཀའ་དྲིན་ཆེ།',
      signatory: 'Dorji Wangmo',
      color: '#b45309',
    },
    buyer: {
      ...plainBuyer,
      name: 'Karma Tshering',
      email: 'karma@example.bt',
      address: address({ line1: 'Chang Lam 3', city: 'Paro', country: 'BT' }),
      deliveryAddress: address({ line1: 'Bazaar 7', city: 'Haa', country: 'BT' }),
      taxIds: [{ type: 'bt_tpn', value: 'TAC98765' }],
    },
    reference: 'PO-77',
  },
);

const indianLine = (line: Partial<ShownLine>): ShownLine => ({
  ...sampleLine({ description: 'Design of a website', unitAmount: 4_000_000 }),
  quantity: '1',
  unit: 'OTH',
  productCode: '998314',
  amount: 4_000_000,
  taxableAmount: 4_000_000,
  taxAmount: 720_000,
  ...line,
  tax: 'in_gst_18' as ShownLine['tax'],
});

const indianTax = (name: string, percent: string, amount: number): TaxRow => ({
  code: 'in_gst_18' as TaxRow['code'],
  name,
  percent,
  taxable: 4_000_000,
  amount,
});

const indianSeller: DocumentSeller = {
  ...plainSeller,
  name: 'Ranga Studio Private Limited',
  address: address({
    line1: '14 Residency Road',
    city: 'Bengaluru',
    state: 'Karnataka',
    postalCode: '560025',
    country: 'IN',
  }),
  taxIds: [{ type: 'in_gst', value: '29AAACR5055K1Z6' }],
  signatory: 'R. Ranganathan',
};

const indianHead: Head = {
  ...head,
  number: 'INV/26-27/0007',
  issuedOn: '2026-04-02',
  dueOn: '2026-04-17',
  seller: indianSeller,
  buyer: {
    ...plainBuyer,
    customerId: 'cust_asha',
    name: 'आशा ट्रेडर्स',
    address: address({
      line1: '7 MG Road',
      city: 'Mysuru',
      state: 'Karnataka',
      postalCode: '570001',
      country: 'IN',
    }),
    taxIds: [{ type: 'in_gst', value: '29AAFCA1234B1Z0' }],
  },
  currency: 'INR',
  description: 'Design of a website',
  placeOfSupply: 'Karnataka (29)',
};

/** CGST Rule 46, buyer in the state of the seller: CGST and SGST, each for itself. */
export const indiaSameState: DocumentContent = {
  ...indianHead,
  prices: 'exclusive',
  discount: null,
  roundTo: 100,
  lines: [indianLine({})],
  taxes: [indianTax('CGST', '9', 360_000), indianTax('SGST', '9', 360_000)],
  totals: { subtotal: 4_000_000, discount: 0, taxable: 4_000_000, tax: 720_000, rounding: 0 },
  amount: 4_720_000,
};

/** CGST Rule 46, buyer in another state: IGST, and the place of supply with the name of the state. Here with reverse charge. */
export const indiaOtherState: DocumentContent = {
  ...indiaSameState,
  number: 'INV/26-27/0008',
  placeOfSupply: 'Maharashtra (27)',
  isReverseCharge: true,
  taxes: [indianTax('IGST', '18', 720_049)],
  totals: { subtotal: 4_000_000, discount: 0, taxable: 4_000_000, tax: 720_049, rounding: -49 },
};

/** CGST Rule 49: a bill of supply for exempt goods. It shows no tax. */
export const indiaBillOfSupply: DocumentContent = {
  ...indiaSameState,
  title: 'bill_of_supply',
  number: 'BOS/26-27/0001',
  lines: [
    indianLine({
      description: 'Fresh milk',
      productCode: '0401',
      quantity: '40',
      unit: 'LTR',
      unitAmount: 100_000,
      taxAmount: 0,
    }),
  ],
  taxes: [],
  totals: { subtotal: 4_000_000, discount: 0, taxable: 4_000_000, tax: 0, rounding: 0 },
  amount: 4_000_000,
};

/** CGST Rule 53: a credit note names the invoice that it corrects, with its date. */
export const indiaCreditNote: DocumentContent = {
  ...indiaSameState,
  kind: 'credit_note',
  title: 'credit_note',
  number: 'CN/26-27/0001',
  issuedOn: '2026-04-20',
  dueOn: null,
  paymentUrl: null,
  corrects: { number: 'INV/26-27/0007', issuedOn: '2026-04-02' },
  reason: 'Goods returned',
};

/** The receipt of a card payment. */
export const receipt: DocumentContent = {
  ...indiaSameState,
  kind: 'receipt',
  title: 'receipt',
  number: 'RCP-0001',
  issuedOn: '2026-04-05',
  dueOn: null,
  paymentUrl: null,
  payment: {
    id: `pay_${'0'.repeat(26)}`,
    number: 'INV/26-27/0007',
    issuedOn: '2026-04-02',
    method: 'card',
    card: { brand: 'Visa', last4: '4242' },
    reference: null,
    receivedOn: null,
    bank: null,
  },
  ...plainCharges,
  lines: plainLines(4_720_000, 'Payment of INV/26-27/0007'),
  totals: plainTotals(4_720_000),
  amount: 4_720_000,
};

/** A seller in the United States with two rates of sales tax. */
export const usa = sampleDocument(
  {
    lines: [
      sampleLine({
        description: 'Trail shoes',
        quantity: '2',
        unitAmount: 8_995,
        tax: 'us_sales',
        taxPercent: '8.875',
      }),
      sampleLine({ description: 'Freight', unitAmount: 1_200 }),
    ],
  },
  {
    title: 'invoice',
    number: 'US-1001',
    currency: 'USD',
    seller: {
      ...plainSeller,
      name: 'Hudson Outfitters LLC',
      address: address({
        line1: '350 5th Ave',
        city: 'New York',
        state: 'NY',
        postalCode: '10118',
        country: 'US',
      }),
      taxIds: [{ type: 'us_ein', value: '12-3456789' }],
    },
    buyer: { ...plainBuyer, email: 'pat@example.com' },
  },
);

/** An invoice with as many lines, which differ in description and price. */
export const manyLines = (count: number): DocumentContent =>
  sampleDocument({
    lines: Array.from({ length: count }, (_, index) =>
      sampleLine({
        description: `Woven scarf, pattern ${index + 1}`,
        quantity: '2',
        unit: 'pcs',
        unitAmount: 120_000 + index,
        tax: 'bt_gst_5',
      }),
    ),
  });
