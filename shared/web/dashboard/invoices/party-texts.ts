/** The English texts of the buyer and of the GST of India, in the forms of invoices. */
import type { SupplyKind } from '../../../domain/charges/indian-supply.ts';

/** The fields of the buyer that an invoice itself carries, in their order. */
export const buyerFields = {
  buyerName: { label: 'Buyer name', hint: 'A person or a company, as the invoice shows it.' },
  buyerLine1: { label: 'Address line 1' },
  buyerLine2: { label: 'Address line 2' },
  buyerCity: { label: 'City' },
  buyerState: { label: 'State or district', hint: 'In India the name of the state, such as Karnataka.' },
  buyerPostalCode: { label: 'Postal code' },
  buyerCountry: { label: 'Country', message: 'Country must be one of the list.' },
  buyerTaxIds: {
    label: 'Tax IDs',
    hint: 'One per line. A GSTIN alone, or type:number, for example bt_tpn:TAB12345.',
    message:
      'Tax IDs must have a GSTIN or type:number per line, at most 10, and none twice. A type is a country or eu and a kind, such as bt_tpn, and a number has at most 50 characters.',
  },
  deliveryLine1: { label: 'Delivery address line 1' },
  deliveryLine2: { label: 'Delivery address line 2' },
  deliveryCity: { label: 'Delivery city' },
  deliveryState: { label: 'Delivery state or district' },
  deliveryPostalCode: { label: 'Delivery postal code' },
  deliveryCountry: {
    label: 'Delivery country',
    hint: 'The code with two letters, such as IN.',
    message: 'Delivery country must be the code of a country with two letters, such as IN.',
  },
} as const;

export const buyerTexts = {
  summary: 'Name, address and tax IDs of the buyer',
  hint: 'Leave this empty for one of your customers (cust_…), whose details the invoice takes.',
  noCountry: 'Not given',
  delivery: 'Deliver to another address',
  customerOrBuyer:
    'An invoice has either one of your customers (cust_…) or a buyer. Empty these fields, or enter another customer.',
  otherEmail: 'The email address of the buyer is that of the customer. Enter it as the customer.',
  deliveryNeeded:
    'For 50,000 rupees or more, the address of the delivery must be whole. Enter its line 1, state or district, and country.',
  addressNeeded:
    'For 50,000 rupees or more, the invoice must have the address of a buyer without a GSTIN. Enter Address line 1, State or district, and Country.',
} as const;

/** The fields of the GST of India. Only accounts in India, and invoices that have them, show them. */
export const gstFields = {
  gstPlace: { label: 'Place of supply', message: 'Place of supply must be one of the list.' },
  gstSupply: { label: 'Kind of supply', message: 'Kind of supply must be one of the list.' },
  gstReverse: { label: 'Reverse charge', message: 'Reverse charge must be one of the list.' },
} as const;

export const gstTexts = {
  summary: 'GST of India: place of supply, exports, reverse charge',
  ofBuyer: 'That of the buyer',
  supplies: {
    domestic: 'Within India',
    export: 'Export, with IGST',
    export_lut: 'Export, under a bond or letter of undertaking',
    sez: 'Special economic zone, with IGST',
    sez_lut: 'Special economic zone, under a bond or letter of undertaking',
  } as const satisfies Readonly<Record<SupplyKind, string>>,
  reverse: [
    ['no', 'No'],
    ['yes', 'Yes, the buyer pays the tax'],
  ],
  needsLine: 'This needs a line with a GST rate of India. Choose one, or choose the first value here.',
  placeOfExport: 'The place of supply of an export is outside India. Choose “That of the buyer”.',
  placeNeeded: 'The state of this customer is not known here. Choose the place of supply.',
  buyerAbroad:
    'The buyer is outside India. Choose an export as the kind of supply, or a state as the place of supply.',
} as const;
