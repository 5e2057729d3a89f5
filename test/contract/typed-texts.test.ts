/**
 * Tests that no text which a person types can contain a card number, and that identifiers can look like one. Walks all text
 * fields of the route table. `test/dashboard/every-form.test.ts` does the same for the forms of the dashboard.
 */
import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import { type Route, routes } from '../../shared/api/routes.ts';

const cards = ['4242 4242 4242 4242', '4242424242424242', '3782 822463 10005'];

/** The bodies that can have lines. */
const withLines = [
  'createInvoice',
  'replaceInvoice',
  'updateInvoice',
  'createDraft',
  'updateDraft',
  'createSchedule.invoice',
  'updateSchedule.invoice',
];

/** Texts that another system chose, or that have a form in which a card number is rare. */
const identifiers = [
  'createInvoice.customerId',
  'createInvoice.reference',
  'createDraft.customerId',
  'createDraft.reference',
  'updateDraft.customerId',
  'updateDraft.reference',
  'createSchedule.invoice.customerId',
  'updateSchedule.invoice.customerId',
  'createPayment.invoiceId',
  'createPayment.claim',
  'createPayment.creditFrom',
  'confirmClaim.claimId',
  'confirmClaim.paymentId',
  'rejectClaim.claimId',
  'createStatement.rows.0.reference',
  'createStatement.rows.0.text',
  'matchStatementRow.invoiceId',
  'matchStatementRow.paymentId',
  'matchStatementRow.refundId',
  'createRefund.paymentId',
  'replaceInvoice.customerId',
  'createExport.filters.status',
  'createCustomer.email',
  'createCustomer.phone',
  'createCustomer.reference',
  'createCustomer.taxIds.0.value',
  ...withLines.flatMap((name) => [
    `${name}.lines.0.id`,
    `${name}.buyer.email`,
    `${name}.buyer.taxIds.0.value`,
  ]),
  'updateAccount.seller.taxIds.0.value',
  'updateAccount.mail.replyTo',
  'updateAccount.mail.noticesTo',
  'sendInvoice.to',
  'updateCustomer.email',
  'updateCustomer.phone',
  'updateCustomer.reference',
  'updateCustomer.taxIds.0.value',
];

/** Email addresses. */
const isAddress = (field: string) => /\.(email|replyTo|noticesTo)$|^sendInvoice\.to$/.test(field);

/** Texts that only a number, a date or an address range can be. */
const formatted = [
  'createApiKey.allowedAddresses.0',
  'createApiKey.expiresAt',
  'createWebhook.target',
  'updateWebhook.target',
  'sendInvoice.about',
  'createExport.filters.invoiceId',
  'createExport.filters.paymentId',
  'createExport.filters.customerId',
  'createExport.from',
  'createExport.to',
  'createCustomer.address.country',
  'createCustomer.taxIds.0.type',
  'createInvoice.dueDate',
  'createDraft.dueDate',
  'updateDraft.dueDate',
  ...withLines.flatMap((name) => [
    `${name}.buyer.address.country`,
    `${name}.buyer.deliveryAddress.country`,
    `${name}.buyer.taxIds.0.type`,
    `${name}.gst.placeOfSupply`,
    `${name}.discount.percent`,
    `${name}.lines.0.discount.percent`,
    `${name}.lines.0.product`,
    `${name}.lines.0.productCode`,
    `${name}.lines.0.quantity`,
    `${name}.lines.0.tax`,
    `${name}.lines.0.taxPercent`,
  ]),
  'createWebhook.filters.0.path',
  'updateWebhook.filters.0.path',
  'createPayment.card.cvc',
  'createPayment.card.number',
  'createPayment.receivedOn',
  'createSchedule.startOn',
  'createSchedule.endOn',
  'createSchedule.timeZone',
  'updateSchedule.endOn',
  'updateSchedule.timeZone',
  'createStatement.file',
  'createStatement.rows.0.day',
  'moveTestClock.to',
  'rollOverApiKey.expiresAt',
  'startRecovery.since',
  'updateApiKey.allowedAddresses.0',
  'updateAccount.seller.address.country',
  'updateAccount.seller.color',
  'updateAccount.seller.logo.data',
  'updateAccount.seller.logo.sha256',
  'createProduct.productCode',
  'createProduct.tax',
  'updateProduct.productCode',
  'updateProduct.tax',
  'updateAccount.seller.defaultTax',
  'updateAccount.seller.taxes.0.code',
  'updateAccount.seller.taxes.0.rates.0.from',
  'updateAccount.seller.taxes.0.rates.0.percent',
  'updateAccount.seller.series.creditNote.prefix',
  'updateAccount.seller.series.invoice.prefix',
  'updateAccount.seller.series.receipt.prefix',
  'updateAccount.seller.timeZone',
  'updateCustomer.address.country',
  'updateCustomer.taxIds.0.type',
  'replaceInvoice.dueDate',
  'updateInvoice.dueDate',
];

type Schema = v.GenericSchema & {
  readonly wrapped?: Schema;
  readonly item?: Schema;
  readonly entries?: Readonly<Record<string, Schema>>;
};

/** Returns the paths of all texts in a body, with 0 for the items of a list. */
function textsIn(schema: Schema): string[][] {
  if (schema.wrapped) return textsIn(schema.wrapped);
  if (schema.item) return textsIn(schema.item).map((path) => ['0', ...path]);
  if (schema.entries)
    return Object.entries(schema.entries).flatMap(([key, entry]) =>
      textsIn(entry).map((path) => [key, ...path]),
    );
  return ['string', 'custom'].includes(schema.type) ? [[]] : [];
}

/** Returns a body with a text at a path. */
function bodyWith([key, ...rest]: readonly string[], text: string): unknown {
  if (key === undefined) return text;
  if (key === 'metadata') return { metadata: { note: text } };
  const value = bodyWith(rest, text);
  return key === '0' ? [value] : { [key]: value };
}

/** Returns the message about the field at the path. Undefined if its schema accepts the text. */
function messageAbout(schema: v.GenericSchema, path: readonly string[], text: string): string | undefined {
  const { issues = [] } = v.safeParse(schema, bodyWith(path, text));
  const field = path.join('.');
  return issues.find((issue) => {
    const place = v.getDotPath(issue) ?? '';
    return `${place}.`.startsWith(`${field}.`) || field.startsWith(`${place}.`);
  })?.message;
}

const fields = Object.entries<Route>(routes).flatMap(([name, { body }]) =>
  body ? textsIn(body as Schema).map((path) => ({ field: `${name}.${path.join('.')}`, body, path })) : [],
);

const fieldsWhere = (check: (message: string | undefined) => boolean, text: string) =>
  fields.filter(({ body, path }) => check(messageAbout(body, path, text))).map(({ field }) => field);

/** A person can type all other texts. */
const typedTexts = fields
  .map(({ field }) => field)
  .filter((field) => ![...identifiers, ...formatted].includes(field));

test('the lists name only fields that exist', () => {
  const names = fields.map(({ field }) => field);
  expect([...identifiers, ...formatted].filter((field) => !names.includes(field))).toEqual([]);
  expect(typedTexts).toEqual(expect.arrayContaining(['createInvoice.description', 'updateApiKey.note']));
});

test.each(cards)('texts that people type refuse a card number, and say what to do: %s', (card) => {
  const refusing = fieldsWhere(
    (message) => message?.includes('must not contain a card number') ?? false,
    card,
  );
  expect(refusing.sort()).toEqual([...typedTexts].sort());
});

test('identifiers accept a number that looks like a card number', () => {
  const accepting = fieldsWhere((message) => message === undefined, '378282246310005');
  const emails = identifiers.filter(isAddress);
  expect([...accepting, ...emails].sort()).toEqual([...identifiers, 'createPayment.card.number'].sort());
});

test.each(['dcda6a1e-abcf-4606-8251-93380169c3f8', 'EAN-4006381333931'])('every text accepts %s', (token) => {
  const texts = [...typedTexts, ...identifiers].filter(
    (field) => !isAddress(field) && !/\.(phone|postalCode)$/.test(field),
  );
  const refusing = fieldsWhere((message) => message !== undefined, token);
  expect(refusing.filter((field) => texts.includes(field))).toEqual([]);
});
