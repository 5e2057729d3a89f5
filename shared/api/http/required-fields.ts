/** Has an example of each required field. Errors show it if the field is missing. */

/** The values as JSON, by the dotted path of the field. */
const examples: Readonly<Record<string, string>> = {
  customerId: '"dorji@example.bt"',
  amount: '250000',
  currency: '"BTN"',
  description: '"Website design"',
  invoiceId: '"inv_…"',
  method: '"offline"',
  'card.number': '"4242424242424242"',
  'card.expMonth': '12',
  'card.expYear': '2030',
  'card.cvc': '"123"',
  paymentId: '"pay_…"',
  url: '"https://example.com/webhooks"',
  events: '["*"]',
  action: '"accept"',
  since: '"2026-01-31T00:00:00Z"',
  name: '"Billing service"',
  'buyer.name': '"Dorji Traders"',
  unitAmounts: '{"BTN": 90000}',
  reason: '"Recorded twice"',
  'settle.writeOff': '500',
  'settle.reason': '"tds"',
  bank: '"Bank of Bhutan"',
  'every.n': '1',
  'every.unit': '"month"',
  every: '{"n": 1, "unit": "month"}',
  startOn: '"2026-01-31"',
  invoice: '{"customerId": "c_1", "amount": 900}',
  kind: '"invoices"',
  claimId: '"clm_…"',
  rows: '[{"day": "2026-03-31", "amount": 250000}]',
};

/** Returns the message for a required field that is missing. @param field a dotted path */
export function missingFieldMessage(field: string): string {
  const example = examples[field] ?? examples[field.replace(/^invoice\./, '')];
  const remedy =
    example === undefined ? 'Add it' : `Add it, such as "${field.replace(/.*\./, '')}": ${example}`;
  return `${field} is required. ${remedy}.`;
}
