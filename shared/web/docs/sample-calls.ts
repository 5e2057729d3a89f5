/** Says what the samples of each operation call, and which resources they need first. */
import type { OperationName } from '../../api/openapi/operation-errors.ts';

/** A resource that a sample needs. The sample uses the newest one or, if it changes or pays the resource, creates one. */
export interface Prerequisite {
  /** The name of the shell variable that holds the ID. Other languages write it in lower case. */
  readonly variable: string;
  readonly prefix: string;
  readonly path: string;
  /** The body of the request that creates the resource. Without it, the sample uses the newest one. */
  readonly body?: object;
  /** A TypeScript statement that finds or creates the resource. */
  readonly statement: string;
  /** A TypeScript expression for the ID, after the statement has run. */
  readonly expression: string;
}

const invoice: Prerequisite = {
  variable: 'INVOICE',
  prefix: 'inv',
  path: '/api/invoices?limit=1',
  statement: 'const [invoice] = (await remit.invoices.list({ limit: 1 })).data;',
  expression: 'invoice.id',
};
const newInvoice: Prerequisite = {
  ...invoice,
  path: '/api/invoices',
  body: { customerId: 'cust_123', amount: 250000, currency: 'BTN', description: 'Website' },
  statement: `const invoice = await remit.invoices.create({
  customerId: 'cust_123',
  amount: 250000,
  currency: 'BTN',
  description: 'Website',
});`,
};
const completedPayment: Prerequisite = {
  variable: 'PAYMENT',
  prefix: 'pay',
  path: '/api/payments?status=completed&limit=1',
  statement: "const [payment] = (await remit.payments.list({ status: 'completed', limit: 1 })).data;",
  expression: 'payment.id',
};
const payment: Prerequisite = {
  ...completedPayment,
  path: '/api/payments?limit=1',
  statement: 'const [payment] = (await remit.payments.list({ limit: 1 })).data;',
};
const heldPayment: Prerequisite = {
  ...completedPayment,
  path: '/api/payments?status=pending&limit=1',
  statement: "const [payment] = (await remit.payments.list({ status: 'pending', limit: 1 })).data;",
};
const refund: Prerequisite = {
  variable: 'REFUND',
  prefix: 'ref',
  path: '/api/refunds?limit=1',
  statement: 'const [refund] = (await remit.refunds.list({ limit: 1 })).data;',
  expression: 'refund.id',
};
const customer: Prerequisite = {
  variable: 'CUSTOMER',
  prefix: 'cust',
  path: '/api/customers?limit=1',
  statement: 'const [customer] = (await remit.customers.list({ limit: 1 })).data;',
  expression: 'customer.id',
};
const newCustomer: Prerequisite = {
  ...customer,
  path: '/api/customers',
  body: { name: 'Pema Lhamo' },
  statement: "const customer = await remit.customers.create({ name: 'Pema Lhamo' });",
};
const product: Prerequisite = {
  variable: 'PRODUCT',
  prefix: 'prod',
  path: '/api/products?limit=1',
  statement: 'const [product] = (await remit.products.list({ limit: 1 })).data;',
  expression: 'product.id',
};
const newProduct: Prerequisite = {
  ...product,
  path: '/api/products',
  body: { name: 'Tea', unitAmounts: { BTN: 5000 } },
  statement: "const product = await remit.products.create({ name: 'Tea', unitAmounts: { BTN: 5000 } });",
};
const draft: Prerequisite = {
  variable: 'DRAFT',
  prefix: 'drft',
  path: '/api/drafts',
  body: { customerId: 'cust_123', amount: 250000, currency: 'BTN', description: 'Website' },
  statement: `const draft = await remit.drafts.create({
  customerId: 'cust_123',
  amount: 250000,
  currency: 'BTN',
  description: 'Website',
});`,
  expression: 'draft.id',
};
const schedule: Prerequisite = {
  variable: 'SCHEDULE',
  prefix: 'sch',
  path: '/api/schedules',
  body: {
    every: { n: 1, unit: 'month' },
    startOn: '2099-01-31',
    invoice: { customerId: 'cust_123', amount: 250000, currency: 'BTN', description: 'Hosting' },
  },
  statement: `const schedule = await remit.schedules.create({
  every: { n: 1, unit: 'month' },
  startOn: '2099-01-31',
  invoice: { customerId: 'cust_123', amount: 250000, currency: 'BTN', description: 'Hosting' },
});`,
  expression: 'schedule.id',
};
const statement: Prerequisite = {
  variable: 'STATEMENT',
  prefix: 'st',
  path: '/api/statements?limit=1',
  statement: 'const [statement] = (await remit.statements.list({ limit: 1 })).data;',
  expression: 'statement.id',
};
const row: Prerequisite = {
  variable: 'ROW',
  prefix: 'row',
  path: '/api/statements/$STATEMENT/rows?status=unmatched&limit=1',
  statement:
    "const [row] = (await remit.statements.listRows(statement.id, { status: 'unmatched', limit: 1 })).data;",
  expression: 'row.id',
};
const exportOf: Prerequisite = {
  variable: 'EXPORT',
  prefix: 'exp',
  path: '/api/exports?limit=1',
  statement: 'const [exported] = (await remit.exports.list({ limit: 1 })).data;',
  expression: 'exported.id',
};
const document: Prerequisite = {
  variable: 'DOCUMENT',
  prefix: 'doc',
  path: '/api/documents?limit=1',
  statement: 'const [document] = (await remit.documents.list({ limit: 1 })).data;',
  expression: 'document.id',
};
const mail: Prerequisite = {
  variable: 'MAIL',
  prefix: 'mail',
  path: '/api/mails?limit=1',
  statement: 'const [mail] = (await remit.mails.list({ limit: 1 })).data;',
  expression: 'mail.id',
};
const event: Prerequisite = {
  variable: 'EVENT',
  prefix: 'evt',
  path: '/api/events?limit=1',
  statement: 'const [event] = (await remit.events.list({ limit: 1 })).data;',
  expression: 'event.id',
};
const webhook: Prerequisite = {
  variable: 'WEBHOOK',
  prefix: 'wh',
  path: '/api/webhooks?limit=1',
  statement: 'const [webhook] = (await remit.webhooks.list({ limit: 1 })).data;',
  expression: 'webhook.id',
};
const newWebhook: Prerequisite = {
  ...webhook,
  path: '/api/webhooks',
  body: { url: 'https://example.com/webhooks', events: ['invoice.paid'] },
  statement: `const webhook = await remit.webhooks.create({
  url: 'https://example.com/webhooks',
  events: ['invoice.paid'],
});`,
};
const delivery: Prerequisite = {
  variable: 'DELIVERY',
  prefix: 'dlv',
  path: '/api/webhooks/$WEBHOOK/deliveries?limit=1',
  statement: 'const [delivery] = (await remit.webhooks.listDeliveries(webhook.id, { limit: 1 })).data;',
  expression: 'delivery.id',
};

const key: Prerequisite = {
  variable: 'KEY',
  prefix: 'key',
  path: '/api/keys?limit=1',
  statement: 'const [key] = (await remit.keys.list({ limit: 1 })).data;',
  expression: 'key.id',
};
const newKey: Prerequisite = {
  ...key,
  path: '/api/keys',
  body: { name: 'Shop', permissions: ['invoices:read'] },
  statement: `const key = await remit.keys.create({
  name: 'Shop',
  permissions: ['invoices:read'],
});`,
};

export interface SampleCall {
  /** The method of the TypeScript client. */
  readonly method: string;
  /** The resources whose IDs are in the path, in the order of the path. */
  readonly inPath?: readonly Prerequisite[];
  /** The resources whose IDs are in the body, by field. */
  readonly inBody?: Readonly<Record<string, Prerequisite>>;
  readonly query?: Readonly<Record<string, string | number>>;
  /** The name under which the sample saves the answer, which is a file. */
  readonly file?: string;
}

/** What the samples call, by `operationId`. */
export const sampleCalls: Readonly<Record<OperationName, SampleCall>> = {
  listInvoices: { method: 'invoices.list', query: { status: 'pending', limit: 5 } },
  createInvoice: { method: 'invoices.create' },
  getInvoice: { method: 'invoices.retrieve', inPath: [invoice] },
  updateInvoice: { method: 'invoices.update', inPath: [newInvoice] },
  cancelInvoice: { method: 'invoices.cancel', inPath: [newInvoice] },
  replaceInvoice: { method: 'invoices.replace', inPath: [newInvoice] },
  confirmClaim: {
    method: 'invoices.confirmClaim',
    inPath: [invoice],
    inBody: { paymentId: completedPayment },
  },
  rejectClaim: { method: 'invoices.rejectClaim', inPath: [invoice] },
  listPayments: { method: 'payments.list', query: { status: 'completed', limit: 5 } },
  createPayment: { method: 'payments.create', inBody: { invoiceId: newInvoice } },
  getPayment: { method: 'payments.retrieve', inPath: [payment] },
  resolvePayment: { method: 'payments.resolve', inPath: [heldPayment] },
  voidPayment: { method: 'payments.void', inPath: [completedPayment] },
  listRefunds: { method: 'refunds.list', query: { limit: 5 } },
  createRefund: { method: 'refunds.create', inBody: { paymentId: completedPayment } },
  getRefund: { method: 'refunds.retrieve', inPath: [refund] },
  listCustomers: { method: 'customers.list', query: { limit: 5 } },
  createCustomer: { method: 'customers.create' },
  getCustomer: { method: 'customers.retrieve', inPath: [customer] },
  updateCustomer: { method: 'customers.update', inPath: [customer] },
  deleteCustomer: { method: 'customers.delete', inPath: [newCustomer] },
  listProducts: { method: 'products.list', query: { limit: 5 } },
  createProduct: { method: 'products.create' },
  getProduct: { method: 'products.retrieve', inPath: [product] },
  updateProduct: { method: 'products.update', inPath: [product] },
  deleteProduct: { method: 'products.delete', inPath: [newProduct] },
  listDrafts: { method: 'drafts.list', query: { limit: 5 } },
  createDraft: { method: 'drafts.create' },
  getDraft: { method: 'drafts.retrieve', inPath: [draft] },
  updateDraft: { method: 'drafts.update', inPath: [draft] },
  deleteDraft: { method: 'drafts.delete', inPath: [draft] },
  finalizeDraft: { method: 'drafts.finalize', inPath: [draft] },
  listSchedules: { method: 'schedules.list', query: { limit: 5 } },
  createSchedule: { method: 'schedules.create' },
  getSchedule: { method: 'schedules.retrieve', inPath: [schedule] },
  updateSchedule: { method: 'schedules.update', inPath: [schedule] },
  skipSchedule: { method: 'schedules.skip', inPath: [schedule] },
  runSchedule: { method: 'schedules.run', inPath: [schedule] },
  previewSchedule: { method: 'schedules.preview', inPath: [schedule] },
  listScheduleOccurrences: { method: 'schedules.listOccurrences', inPath: [schedule] },
  listStatements: { method: 'statements.list', query: { limit: 5 } },
  createStatement: { method: 'statements.create' },
  getStatement: { method: 'statements.retrieve', inPath: [statement] },
  listStatementRows: { method: 'statements.listRows', inPath: [statement], query: { status: 'unmatched' } },
  matchStatementRow: {
    method: 'statements.matchRow',
    inPath: [statement, row],
    inBody: { invoiceId: newInvoice },
  },
  ignoreStatementRow: { method: 'statements.ignoreRow', inPath: [statement, row] },
  linkStatementFile: { method: 'statements.linkFile', query: { size: 81920 } },
  previewStatementFile: {
    method: 'statements.previewFile',
    query: { file: 'file_3hb0kz5m9q4x8nvd2tj6w7r1ce', currency: 'BTN' },
  },
  listExports: { method: 'exports.list', query: { limit: 5 } },
  createExport: { method: 'exports.create' },
  getExport: { method: 'exports.retrieve', inPath: [exportOf] },
  listDocuments: { method: 'documents.list', query: { limit: 5 } },
  getDocument: { method: 'documents.retrieve', inPath: [document] },
  getDocumentPdf: { method: 'documents.pdf', inPath: [document], file: 'document.pdf' },
  sendInvoice: { method: 'invoices.send', inPath: [newInvoice] },
  listInvoiceMails: { method: 'invoices.listMails', inPath: [invoice] },
  listMails: { method: 'mails.list' },
  allowMailAddress: { method: 'mails.allowAddress', inPath: [mail] },
  listInvoiceDocuments: { method: 'invoices.listDocuments', inPath: [invoice] },
  listEvents: { method: 'events.list', query: { after: 'start', limit: 5 } },
  getEvent: { method: 'events.retrieve', inPath: [event] },
  listWebhooks: { method: 'webhooks.list' },
  createWebhook: { method: 'webhooks.create' },
  getWebhook: { method: 'webhooks.retrieve', inPath: [webhook] },
  updateWebhook: { method: 'webhooks.update', inPath: [webhook] },
  deleteWebhook: { method: 'webhooks.delete', inPath: [newWebhook] },
  rotateWebhookSecret: { method: 'webhooks.rotateSecret', inPath: [webhook] },
  testWebhook: { method: 'webhooks.test', inPath: [webhook] },
  listDeliveries: { method: 'webhooks.listDeliveries', inPath: [webhook], query: { limit: 5 } },
  redeliver: { method: 'webhooks.redeliver', inPath: [webhook, delivery] },
  startRecovery: { method: 'webhooks.recover', inPath: [webhook] },
  listApiKeys: { method: 'keys.list', query: { status: 'active' } },
  createApiKey: { method: 'keys.create' },
  getApiKey: { method: 'keys.retrieve', inPath: [key] },
  updateApiKey: { method: 'keys.update', inPath: [newKey] },
  revokeApiKey: { method: 'keys.revoke', inPath: [newKey] },
  rollOverApiKey: { method: 'keys.rollOver', inPath: [newKey] },
  getAccount: { method: 'account.retrieve' },
  updateAccount: { method: 'account.update' },
  getTestClock: { method: 'testClock.retrieve' },
  moveTestClock: { method: 'testClock.move' },
  resetTestClock: { method: 'testClock.reset' },
  listAuditLog: { method: 'auditLog.list', query: { limit: 5 } },
  listJournal: { method: 'journal.list', query: { limit: 5 } },
  getSummary: { method: 'summary.retrieve', query: { by: 'month' } },
  getBalance: { method: 'customers.balance', query: { customerId: 'dorji@example.bt' } },
  searchRecords: { method: 'search', query: { q: '1250' } },
};

/** The operation of a sample. */
export interface SampledOperation {
  readonly operationId: string;
  /** In uppercase. */
  readonly method: string;
  readonly path: string;
  /** An example of the body, if the operation has one. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  /** The version of the API that the samples ask for. Undefined: they name none, and get that of the key. */
  readonly apiVersion?: string | undefined;
}
