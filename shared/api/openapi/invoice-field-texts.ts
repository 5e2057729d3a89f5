/** Describes the fields of invoices, and shows an example. */
import {
  createdAt,
  currency,
  type FieldTexts,
  metadata,
  metadataUpdate,
  newMetadata,
  pagination,
  readOnly,
  updatedAt,
} from './common-field-texts.ts';
import type { Example } from './named-schemas.ts';

export const invoice: Example<'Invoice'> = {
  id: 'inv_7k2m9qv4xw0hzt3c8ejb5rnd1a',
  customerId: 'dorji@example.bt',
  amount: 250_000,
  currency: 'BTN',
  status: 'pending',
  description: 'Website design',
  dueDate: '2026-12-21T09:30:00.000Z',
  paymentUrl: 'https://remit.example.com/pay/inv_7k2m9qv4xw0hzt3c8ejb5rnd1a',
  createdAt: '2026-11-21T09:30:00.000Z',
  updatedAt: '2026-11-21T09:30:00.000Z',
  number: 'INV-0042',
  reference: 'INV-2026-0042',
  locale: 'en',
  buyer: null,
  gst: null,
  lines: [
    {
      id: null,
      description: 'Website design',
      quantity: '20',
      unit: 'hours',
      unitAmount: 11_000,
      discount: null,
      tax: 'bt_gst_5',
      taxPercent: null,
      productCode: null,
      amount: 220_000,
      taxableAmount: 220_000,
      taxAmount: 11_000,
    },
    {
      id: null,
      description: 'Hosting, one year',
      quantity: '1',
      unit: null,
      unitAmount: 20_000,
      discount: { percent: '5', amount: null },
      tax: 'none',
      taxPercent: null,
      productCode: null,
      amount: 19_000,
      taxableAmount: 19_000,
      taxAmount: 0,
    },
  ],
  prices: 'exclusive',
  discount: null,
  roundTo: null,
  taxes: [{ code: 'bt_gst_5', name: 'GST', percent: '5', taxable: 220_000, amount: 11_000 }],
  totals: { subtotal: 239_000, discount: 0, taxable: 239_000, tax: 11_000, rounding: 0 },
  metadata: { orderId: '1047' },
  replaces: null,
  replacedBy: null,
  acceptPartial: false,
  amountPaid: 0,
  amountDue: 250_000,
  amountWrittenOff: 0,
  reminders: null,
  scheduleId: null,
  period: null,
  claim: null,
};

export const claimExample: NonNullable<Example<'Invoice'>['claim']> = {
  id: 'clm_3n8x5tq0c7w2kz9v4hr6dbj1me',
  status: 'open',
  amount: 250_000,
  paidOn: '2026-12-01',
  bank: 'Bank of Bhutan',
  reference: '1204556781',
  reason: null,
  claimedAt: '2026-12-01T05:12:44.180Z',
};

const customerId =
  'The customer who pays: an email address, or an ID from your own system. An ID has 1 to 128 letters, digits and `_ . : -`, and begins with a letter or digit. You do not have to register customers with Remit. Required unless `buyer.email` is set, which is then the customer.';

const locale =
  'The language of the payment page, if the customer chooses no other. Without it, the page follows the browser.';

const prices =
  'Whether the unit amounts are without the taxes (`exclusive`) or contain them (`inclusive`). With inclusive prices, taxes never change the total.';
const roundTo =
  'The amount is rounded to a multiple of this, in the smallest currency unit: 100 rounds to whole rupees. Null: it is not rounded.';
const discount = 'The discount on the sum of the lines. Null if it is not set.';
const unitAmount = 'The price of one unit, in the smallest currency unit.';
const taxPercent =
  'The rate in percent of a tax whose rate the line says, such as `8.875` for `us_sales`. For a tax of your account, its rate on the day of the invoice, which is ignored in requests. Null for the other taxes.';
const taxName = 'What documents call a tax of your account. Absent for other taxes. Ignored in requests.';
const line = {
  id: 'Your own ID of the line.',
  description: 'What the line is for. The customer sees this text.',
  quantity: 'A decimal number as text, with at most 6 places, such as `2.5`.',
  unit: 'The unit of the quantity, such as `hours`.',
  unitAmount,
  discount: 'The discount on this line. Null if it is not set.',
  tax: 'The code of the tax. `bt_gst_5` is the GST of Bhutan, `bt_zero` a zero-rated supply such as an export, `bt_exempt` an exempt supply. `in_gst_0`, `in_gst_0_25`, `in_gst_1_5`, `in_gst_3`, `in_gst_5`, `in_gst_18` and `in_gst_40` are the GST of India. `us_sales` is a sales tax whose rate is in `taxPercent`, `none` no tax, and `own_…` a tax of your account.',
  taxPercent,
  taxName,
  productCode: 'The HSN or SAC code of the goods or service: 4 to 8 digits.',
  product:
    'The product that the line is about. It gives what the line does not say: `description`, `unit`, `unitAmount` in the currency of the invoice, `tax` and `productCode`, as they are now.',
};
const computed = 'Computed. Ignored in requests.';
const discountParts = {
  percent: 'The share in percent, such as `12.5`. Null if `amount` is set.',
  amount: 'The amount, in the smallest currency unit. Null if `percent` is set.',
};

const buyer = 'Who buys, as documents name the buyer.';
const gst = 'The supply, for lines with a tax of India.';
const gstParts = {
  placeOfSupply:
    'The state of the supply: its name, GST code or ISO code. It decides between CGST with SGST or UTGST, and IGST. The default is the state of the GSTIN of the buyer or customer, of the delivery, of the address, or of the seller.',
  supply:
    '`domestic`, `export` or `sez` (a special economic zone), with `_lut` under a letter of undertaking without tax. The default is `domestic`.',
  reverseCharge:
    'Whether the buyer pays the tax to the state, so that none is charged. The default is `false`.',
};
const buyerParts = {
  name: 'The name of the person or company.',
  email: 'The email address. It is the customer of the invoice.',
  address: 'The postal address.',
  deliveryAddress: 'Where the goods go. Null: to `address`.',
  taxIds: 'The tax IDs. The check digit and the state of a GSTIN (`in_gst`) are checked.',
};

const reminders =
  'The days of reminders by email, from the due date: `-3` is three days before. Null: those of your account. An empty list pauses them. It has an effect only if your account sends reminders.';
const acceptPartial =
  'Whether the invoice can be paid in parts. The default is `seller.acceptPartial` of the account, else `false`.';

const claimTexts = {
  id: 'The ID of the claim.',
  status:
    'The status of the claim: `open` until you decide, `confirmed` by a payment, `rejected`, or `closed` if the invoice was paid or cancelled before you decided.',
  amount: 'What the payer says was paid, in the smallest currency unit.',
  paidOn:
    'The day on which the payer claims to have paid, such as `2026-03-31`. At most one year before the invoice was created.',
  bank: 'The bank, as the payer typed it. Null after an erasure.',
  reference: 'The journal number of the transfer, as the payer typed it. Null after an erasure.',
  reason: 'Why you rejected the claim. The payer sees it. Null if you did not.',
  claimedAt: 'When the payer claimed it.',
};

const update = {
  id: readOnly,
  customerId: readOnly,
  amount:
    'The new amount, in the smallest currency unit. With lines, it is computed: leave it out, or send the amount that they come to.',
  currency: readOnly,
  status: 'Read-only. Accepted only with its current value. To cancel the invoice, send a DELETE request.',
  description: 'The new description.',
  dueDate: 'The new due date, in the same formats as when you create an invoice.',
  paymentUrl: readOnly,
  createdAt: readOnly,
  updatedAt: readOnly,
  number: 'Read-only. Ignored.',
  reference: readOnly,
  locale: `${locale} Null removes it.`,
  buyer: 'The new buyer, which replaces the former one. Null removes it.',
  gst,
  lines: 'The new lines, which replace all former ones.',
  prices,
  discount,
  roundTo,
  taxes: readOnly,
  totals: readOnly,
  metadata: metadataUpdate,
  replaces: readOnly,
  replacedBy: readOnly,
  acceptPartial,
  amountPaid: readOnly,
  amountDue: readOnly,
  amountWrittenOff: readOnly,
  reminders: `${reminders} Sent alone, it can change also while the invoice is overdue.`,
  scheduleId: readOnly,
  period: readOnly,
  claim: readOnly,
};

/** The texts that drafts have in common with invoices. */
export const sharedTexts = { customerId, locale, prices, roundTo, discount, line, buyer, gst, gstParts };

export const invoiceFieldTexts: Pick<
  FieldTexts,
  | 'Invoice'
  | 'Claim'
  | 'ConfirmClaim'
  | 'RejectClaim'
  | 'InvoiceList'
  | 'InvoiceCancellation'
  | 'CreateInvoice'
  | 'UpdateInvoice'
  | 'ReplaceInvoice'
  | 'InvoiceLine'
  | 'InvoiceLineInput'
  | 'Discount'
  | 'DiscountInput'
  | 'InvoiceTax'
  | 'InvoiceTotals'
  | 'Buyer'
  | 'Gst'
  | 'GstInput'
  | 'BuyerInput'
> = {
  Invoice: {
    id: 'The ID of the invoice.',
    customerId: 'The customer who pays the invoice, exactly as you sent it.',
    amount: 'The amount of the invoice, in the smallest currency unit. For example, 250000 is Nu. 2,500.00.',
    currency,
    status:
      'The status of the invoice. It is `pending` at first, and becomes `paid`, `cancelled` or, after the due date, `overdue`. An `overdue` invoice can still be paid or cancelled.',
    description: 'What the invoice is for. The customer sees this text.',
    dueDate: 'The time at which payment is due. The invoice becomes `overdue` within two minutes after it.',
    paymentUrl:
      'The URL of the web page (HTML) where the customer can view and pay the invoice. The page does not require an API key.',
    createdAt,
    updatedAt,
    number:
      'The number of the document of the invoice. Null until it is issued, within a second after the creation, and if your account has no seller profile.',
    reference: 'Your own number for the invoice. Null if you did not set one.',
    locale,
    buyer,
    gst: 'The supply, if a line has a tax of India. Otherwise null.',
    lines: 'What the invoice charges. An invoice that was created with an amount alone has one line.',
    prices,
    discount,
    roundTo,
    taxes: 'The taxes, one row for each rate.',
    totals: 'What the lines come to.',
    metadata,
    replaces: 'The ID of the invoice that this one replaces. Null if it replaces none.',
    replacedBy:
      'The ID of the invoice that replaces this one. Null if it is not replaced. A `paid` invoice with it is credited in full, because a payment was voided.',
    acceptPartial,
    amountPaid:
      'What its completed payments have paid, in the smallest currency unit. Refunds do not lower it. 0 if another invoice has taken the payments over.',
    amountDue:
      'What is still to be paid, in the smallest currency unit. 0 if the invoice is `paid` or `cancelled`.',
    amountWrittenOff:
      'What is not paid and no longer due, because you accepted less. In the smallest currency unit.',
    reminders,
    scheduleId: 'The ID of the schedule that made the invoice. Null if none did.',
    period: 'The days that the invoice is for. Null if no schedule made it.',
    claim: 'The last claim of a payer to have paid by bank transfer. Null if no payer has claimed it.',
  },
  Claim: claimTexts,
  ConfirmClaim: {
    claimId: 'The ID of the open claim that you confirm.',
    paymentId:
      'The ID of the payment of the invoice, recorded outside Remit, that is the money of the claim.',
  },
  RejectClaim: {
    claimId: 'The ID of the open claim that you reject.',
    reason: 'Why. The payment page shows it to the payer, so say what to do.',
  },
  InvoiceList: { data: 'The invoices, newest first.', pagination },
  InvoiceCancellation: {
    id: 'The ID of the invoice.',
    status: 'Always `cancelled`.',
    deletedAt: 'The time at which the invoice was cancelled.',
  },
  CreateInvoice: {
    customerId,
    amount:
      'The amount due, in the smallest currency unit. For example, use 250000 for Nu. 2,500.00. Required without `lines`. With `lines`, it is computed: leave it out, or send the amount that they come to.',
    currency,
    description:
      'What the invoice is for. The customer sees this text. It must not be only white space or contain a card number, and it is stored exactly as sent.',
    dueDate:
      'The time at which payment is due: an ISO 8601 date and time with `Z`, with an offset such as `+06:00`, or without a time zone (UTC). A date without a time means the end of that day in UTC. The default is 30 days from now, or what `seller.paymentDays` says.',
    reference:
      'Your own number for the invoice. It cannot be changed, and no other invoice of your account and mode can ever have it: a second request gets `reference_taken`, which names the first invoice. So it protects from duplicates like an idempotency key that never expires.',
    locale,
    buyer: `${buyer} Not with a customer \`cust_…\`, which documents name instead.`,
    gst,
    lines: 'What the invoice charges: 1 to 100 lines.',
    prices: `${prices} The default is \`exclusive\`.`,
    discount,
    roundTo,
    metadata: newMetadata,
    send: 'Whether the invoice goes to the customer by email. The mail goes out after the response, once. The default is `false`.',
    acceptPartial,
    reminders,
    useCredit:
      'Whether credit of the customer pays the invoice as far as it goes: the oldest first, of five payments at most. So the new invoice can be `paid`, or paid in part. The default is `false`.',
  },
  UpdateInvoice: update,
  ReplaceInvoice: {
    ...update,
    customerId: 'The customer of the new invoice.',
    currency: 'The currency of the new invoice. The amounts do not change with it.',
    status: readOnly,
  },
  InvoiceLine: {
    ...line,
    amount: 'The quantity times the unit amount, less the discount of the line.',
    taxableAmount:
      'The part of the amount without taxes, after the share of the discount on the sum of the lines.',
    taxAmount: 'The share of the line in all taxes.',
  },
  InvoiceLineInput: { ...line, amount: computed, taxableAmount: computed, taxAmount: computed },
  Discount: discountParts,
  DiscountInput: discountParts,
  Gst: gstParts,
  GstInput: gstParts,
  Buyer: buyerParts,
  BuyerInput: buyerParts,
  InvoiceTax: {
    code: 'The code of the tax.',
    name: 'What documents call the tax.',
    percent: 'The rate in percent.',
    taxable: 'The amount on which the tax is computed.',
    amount: 'The tax.',
  },
  InvoiceTotals: {
    subtotal: 'The sum of the amounts of the lines.',
    discount: 'The discount on that sum.',
    taxable: 'The sum without taxes, after the discount.',
    tax: 'The sum of the taxes.',
    rounding: 'What rounding has added to the amount, or taken from it. It can be negative.',
  },
};
