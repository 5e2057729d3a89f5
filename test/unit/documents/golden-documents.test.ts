/**
 * Compares documents of Bhutan, India and the United States with what their rules want: docs/use/tax.md names the sources. Each
 * document is what the service issues for an invoice of the API: nothing here computes a tax.
 */
import { expect, test } from '@jest/globals';
import type { Seller } from '../../../shared/domain/accounts/seller.ts';
import { defaultSeries } from '../../../shared/domain/accounts/seller.ts';
import { creditNoteContent, invoiceContent } from '../../../shared/domain/documents/issue.ts';
import { type CreateInvoice, showInvoice } from '../../../shared/domain/invoices/invoice.ts';
import { createInvoice } from '../../../shared/domain/invoices/transitions.ts';
import { gstCodeOf } from '../../../shared/domain/parties/indian-states.ts';

const at = Date.parse('2026-11-27T04:00:00Z');
const address = { line1: null, line2: null, city: null, state: null, postalCode: null, country: null };
const seller = (fields: Partial<Seller>): Seller => ({
  legalName: 'Seller',
  address,
  taxIds: [],
  timeZone: 'Asia/Kolkata',
  fiscalYearStart: 4,
  series: defaultSeries,
  paymentDays: null,
  acceptPartial: false,
  writeOffPercent: 0,
  defaultTax: null,
  terms: null,
  footer: null,
  signatory: null,
  logo: null,
  taxes: [],
  color: null,
  ...fields,
});
const karnataka = { ...address, line1: '1 MG Road', state: 'Karnataka', country: 'IN' };
const indian = seller({
  legalName: 'Blue Exports',
  address: karnataka,
  taxIds: [{ type: 'in_gstin', value: '29AAGCB7383J1Z4' }],
});
const parties = (of: Seller) => ({
  seller: of,
  settings: { contact: undefined, paymentInstructions: undefined },
  customer: undefined,
  mode: 'live' as const,
});
const owner = { account: 'acct_1', mode: 'live' as const };

function issue(of: Seller, fields: Partial<CreateInvoice>, day = at) {
  const identity = {
    ...owner,
    id: 'inv_1',
    seq: 1,
    filterKeys: [],
    paymentUrl: 'https://pay.example/inv_1',
    isDocumented: true as const,
    sellerState: gstCodeOf(of.address),
  };
  const body = { customerId: 'c_1', currency: 'INR', description: 'Order', ...fields } as CreateInvoice;
  const { record } = createInvoice(identity, body, day);
  return invoiceContent(showInvoice(record), { number: 'INV-0001', revision: 0 }, parties(of), day);
}
const rows = (content: ReturnType<typeof issue>) =>
  content.taxes.map(({ name, percent, taxable, amount }) => [name, percent, taxable, amount]);

const lines = [
  {
    description: 'Cotton',
    quantity: '3',
    unit: 'kg',
    unitAmount: 3_335,
    tax: 'in_gst_5',
    productCode: '5208',
  },
  { description: 'Design', quantity: '1', unitAmount: 9_999, tax: 'in_gst_18', productCode: '998391' },
] as const;
const maharashtra = { ...karnataka, state: 'MH' };
const buyer = (of: object, taxIds: readonly string[] = []) => ({
  name: 'Tea Shop',
  address: of,
  taxIds: taxIds.map((value) => ({ type: 'in_gst', value })),
});

test('India, same state: CGST and SGST, each rounded for itself', () => {
  const content = issue(indian, { lines: [...lines], buyer: buyer(karnataka) });
  // 2.5 % of 100.05 is 2.50125; 9 % of 99.99 is 8.9991.
  expect(rows(content)).toEqual([
    ['CGST', '9', 9_999, 900],
    ['SGST', '9', 9_999, 900],
    ['CGST', '2.5', 10_005, 250],
    ['SGST', '2.5', 10_005, 250],
  ]);
  expect(content).toMatchObject({
    title: 'tax_invoice',
    amount: 22_304,
    totals: { taxable: 20_004, tax: 2_300 },
    placeOfSupply: 'Karnataka (29)',
    isReverseCharge: false,
    endorsement: null,
    buyer: { name: 'Tea Shop', address: { line1: '1 MG Road' } },
    seller: { taxIds: [{ type: 'in_gstin', value: '29AAGCB7383J1Z4' }] },
    lines: [{ productCode: '5208', unit: 'kg' }, { productCode: '998391' }],
  });
});

test('India, delivery to another state: its state is the place of supply, unless the buyer is registered', () => {
  const deliveryAddress = { ...maharashtra, line1: '9 Dock Road' };
  const content = issue(indian, { lines: [lines[1]], buyer: { ...buyer(karnataka), deliveryAddress } });
  expect(content).toMatchObject({
    placeOfSupply: 'Maharashtra (27)',
    taxes: [{ name: 'IGST' }],
    buyer: { address: { line1: '1 MG Road' }, deliveryAddress: { line1: '9 Dock Road', line2: null } },
  });
  const registered = { ...buyer(karnataka, ['29AAGCB7383J1Z4']), deliveryAddress };
  expect(issue(indian, { lines: [lines[1]], buyer: registered }).placeOfSupply).toBe('Karnataka (29)');
});

test('India, other state: IGST, by the state of the address or of the GSTIN', () => {
  const content = issue(indian, { lines: [...lines], buyer: buyer(maharashtra) });
  expect(rows(content)).toEqual([
    ['IGST', '18', 9_999, 1_800],
    ['IGST', '5', 10_005, 500],
  ]);
  expect(content).toMatchObject({ title: 'tax_invoice', placeOfSupply: 'Maharashtra (27)', amount: 22_304 });
  const registered = issue(indian, {
    lines: [...lines],
    buyer: { name: 'T', taxIds: buyer({}, ['27AAGCB7383J1Z8']).taxIds },
  });
  expect(registered.placeOfSupply).toBe('Maharashtra (27)');
  expect(rows(registered)).toEqual(rows(content));
});

test('India, union territory without a legislature: CGST and UTGST; Delhi has SGST', () => {
  const of = (state: string) => seller({ ...indian, taxIds: [], address: { ...karnataka, state } });
  const names = (state: string) => rows(issue(of(state), { lines: [lines[0]] })).map(([name]) => name);
  for (const state of ['Chandigarh', 'Ladakh', 'Lakshadweep', 'Andaman and Nicobar Islands'])
    expect(names(state)).toEqual(['CGST', 'UTGST']);
  expect(names('Dadra and Nagar Haveli and Daman and Diu')).toEqual(['CGST', 'UTGST']);
  for (const state of ['Delhi', 'Puducherry', 'Jammu and Kashmir', 'Karnataka'])
    expect(names(state)).toEqual(['CGST', 'SGST']);
});

test('India, export: IGST or a letter of undertaking, with the endorsement of Rule 46', () => {
  const abroad = buyer({ ...address, line1: '1 Main St', country: 'US' });
  const paid = issue(indian, {
    lines: [lines[1]],
    buyer: abroad,
    gst: { supply: 'export' },
    currency: 'USD',
  });
  expect(rows(paid)).toEqual([['IGST', '18', 9_999, 1_800]]);
  expect(paid).toMatchObject({
    title: 'tax_invoice',
    placeOfSupply: 'Outside India (96)',
    endorsement: expect.stringMatching(/^SUPPLY MEANT FOR EXPORT.+ ON PAYMENT OF INTEGRATED TAX$/),
  });
  const free = issue(indian, {
    lines: [lines[1]],
    buyer: abroad,
    gst: { supply: 'export_lut' },
    currency: 'USD',
  });
  expect(rows(free)).toEqual([['IGST', '0', 9_999, 0]]);
  expect(free).toMatchObject({
    title: 'tax_invoice',
    amount: 9_999,
    endorsement: expect.stringMatching(/LETTER OF UNDERTAKING WITHOUT PAYMENT OF INTEGRATED TAX$/),
  });
});

test('India, special economic zone in the same state: IGST, because it is between states', () => {
  const content = issue(indian, { lines: [lines[1]], buyer: buyer(karnataka), gst: { supply: 'sez' } });
  expect(rows(content)).toEqual([['IGST', '18', 9_999, 1_800]]);
  expect(content.placeOfSupply).toBe('Karnataka (29)');
});

test('India, reverse charge: the rates are shown, and no tax is charged', () => {
  const content = issue(indian, { lines: [lines[1]], buyer: buyer(karnataka), gst: { reverseCharge: true } });
  expect(rows(content)).toEqual([
    ['CGST', '9', 9_999, 0],
    ['SGST', '9', 9_999, 0],
  ]);
  expect(content).toMatchObject({ title: 'tax_invoice', amount: 9_999, isReverseCharge: true });
});

test('India, exempt goods: a bill of supply (Rule 49)', () => {
  const content = issue(indian, { lines: [{ ...lines[0], tax: 'in_gst_0' }] });
  expect(content).toMatchObject({ title: 'bill_of_supply', amount: 10_005, totals: { tax: 0 } });
});

test('India, credit note: names the invoice and its date (Rule 53), and each tax has its share', () => {
  const invoice = issue(indian, { lines: [...lines], buyer: buyer(karnataka) });
  const note = (amount: number, before?: Parameters<typeof creditNoteContent>[3]) =>
    creditNoteContent({ amount, reason: null }, 'CN-0001', invoice, before, parties(indian), at);
  const first = note(11_152);
  expect(first.content).toMatchObject({
    title: 'credit_note',
    corrects: { number: 'INV-0001', issuedOn: '2026-11-27' },
    placeOfSupply: 'Karnataka (29)',
  });
  const last = note(11_152, first.credited);
  const sums = invoice.taxes.map((row, index) => {
    const of = (content: typeof invoice) => content.taxes[index]?.amount ?? 0;
    return [row.amount, of(first.content) + of(last.content)];
  });
  for (const [whole, credited] of sums) expect(credited).toBe(whole);
});

test('India: what the law does not allow is refused', () => {
  const refusal = (of: Seller, fields: Partial<CreateInvoice>) => {
    try {
      issue(of, fields);
    } catch (error) {
      const { code, field } = error as { code: string; field: string };
      return [code, field];
    }
    return [];
  };
  const one = { lines: [lines[1]] };
  expect(refusal(seller({ address: { ...address, country: 'BT' } }), one)).toEqual([
    'invalid_lines',
    'lines.0.tax',
  ]);
  expect(refusal(indian, { ...one, buyer: buyer({ ...address, country: 'US' }) })).toEqual([
    'invalid_gst',
    'gst.supply',
  ]);
  expect(refusal(indian, { ...one, buyer: buyer({ ...karnataka, state: 'Texas' }) })).toEqual([
    'invalid_buyer',
    'buyer.address.state',
  ]);
  expect(refusal(indian, { ...one, gst: { supply: 'export', placeOfSupply: '29' } })).toEqual([
    'invalid_gst',
    'gst.placeOfSupply',
  ]);
  expect(refusal(indian, { amount: 1, gst: { reverseCharge: true } })).toEqual(['invalid_gst', 'gst']);
  expect(refusal(indian, { lines: [{ ...lines[1], tax: 'none' }], gst: {} })).toEqual(['invalid_gst', 'gst']);
  for (const productCode of ['99839', '99839112'])
    expect(refusal(indian, { lines: [{ ...lines[1], productCode }] })).toEqual([
      'invalid_lines',
      'lines.0.productCode',
    ]);
  // Rule 46(e): from 50,000 rupees on, the address of a buyer without a GSTIN.
  const of = (unitAmount: number) => ({ lines: [{ ...lines[1], unitAmount }] });
  const shop = { name: 'Tea Shop' };
  expect(refusal(indian, { ...of(4_999_999), buyer: shop })).toEqual([]);
  expect(refusal(indian, { ...of(5_000_000), buyer: shop })).toEqual(['invalid_buyer', 'buyer.address']);
  expect(refusal(indian, of(5_000_000))).toEqual(['invalid_buyer', 'buyer.address']);
  expect(refusal(indian, { ...of(5_000_000), buyer: buyer(karnataka) })).toEqual([]);
  const goa = { line1: '3 Beach Road', state: 'Goa', country: 'IN' };
  const delivered = (deliveryAddress: object) => ({ ...buyer(karnataka), deliveryAddress });
  expect(refusal(indian, { ...of(5_000_000), buyer: delivered(goa) })).toEqual([]);
  expect(refusal(indian, { ...of(5_000_000), buyer: delivered({ city: 'Panaji' }) })).toEqual([
    'invalid_buyer',
    'buyer.deliveryAddress',
  ]);
  expect(refusal(indian, { ...one, buyer: delivered({ state: 'Paro' }) })).toEqual([
    'invalid_buyer',
    'buyer.deliveryAddress.state',
  ]);
  expect(refusal(indian, { ...one, buyer: delivered({ country: 'BT' }) })).toEqual([
    'invalid_gst',
    'gst.supply',
  ]);
  expect(refusal(indian, { ...of(5_000_000), buyer: buyer(karnataka, ['29AAGCB7383J1Z4']) })).toEqual([]);
});

test('Bhutan: GST of 5 % on taxed lines, exports zero-rated, with the taxpayer number', () => {
  const druk = seller({
    address: { ...address, city: 'Thimphu', country: 'BT' },
    taxIds: [{ type: 'bt_tpn', value: 'TAB12345' }],
    timeZone: 'Asia/Thimphu',
  });
  const content = issue(druk, {
    currency: 'BTN',
    lines: [
      { description: 'Kira', quantity: '1', unitAmount: 249_999, tax: 'bt_gst_5' },
      { description: 'Export', quantity: '1', unitAmount: 10_000, tax: 'bt_zero' },
    ],
  });
  expect(rows(content)).toEqual([
    ['GST', '5', 249_999, 12_500],
    ['GST zero-rated', '0', 10_000, 0],
  ]);
  expect(content).toMatchObject({ title: 'tax_invoice', amount: 272_499, placeOfSupply: null });
});

test('United States: the sales tax of the line, and no name of the law for the document', () => {
  const shop = seller({ address: { ...address, state: 'New York', country: 'US' } });
  const content = issue(shop, {
    currency: 'USD',
    lines: [{ description: 'Tea', quantity: '1', unitAmount: 1_999, tax: 'us_sales', taxPercent: '8.875' }],
  });
  expect(rows(content)).toEqual([['Sales tax', '8.875', 1_999, 177]]);
  expect(content).toMatchObject({ title: 'invoice', amount: 2_176, placeOfSupply: null });
});
