/**
 * Builds the samples of the reference page: a `curl` command and a TypeScript program for each operation, and a receiver of
 * webhooks.
 * - You can paste every sample unchanged. It reads the URL and the API key from the environment.
 * - A sample finds or creates the resources that it needs.
 */
import type { OperationName } from '../openapi/operation-errors.ts';

/** A resource that a sample needs. The sample uses the newest one or, if it changes or pays the resource, creates one. */
interface Prerequisite {
  /** The name of the shell variable that holds the ID. */
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
const refund: Prerequisite = {
  variable: 'REFUND',
  prefix: 'ref',
  path: '/api/refunds?limit=1',
  statement: 'const [refund] = (await remit.refunds.list({ limit: 1 })).data;',
  expression: 'refund.id',
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

interface SampleCall {
  /** The method of the TypeScript client. */
  readonly method: string;
  /** The resources whose IDs are in the path, in the order of the path. */
  readonly inPath?: readonly Prerequisite[];
  /** The resources whose IDs are in the body, by field. */
  readonly inBody?: Readonly<Record<string, Prerequisite>>;
  readonly query?: Readonly<Record<string, string | number>>;
}

/** The client calls by `operationId`. */
const calls: Readonly<Record<OperationName, SampleCall>> = {
  listInvoices: { method: 'invoices.list', query: { status: 'pending', limit: 5 } },
  createInvoice: { method: 'invoices.create' },
  getInvoice: { method: 'invoices.retrieve', inPath: [invoice] },
  updateInvoice: { method: 'invoices.update', inPath: [newInvoice] },
  cancelInvoice: { method: 'invoices.cancel', inPath: [newInvoice] },
  listPayments: { method: 'payments.list', query: { status: 'completed', limit: 5 } },
  createPayment: { method: 'payments.create', inBody: { invoiceId: newInvoice } },
  getPayment: { method: 'payments.retrieve', inPath: [payment] },
  listRefunds: { method: 'refunds.list', query: { limit: 5 } },
  createRefund: { method: 'refunds.create', inBody: { paymentId: completedPayment } },
  getRefund: { method: 'refunds.retrieve', inPath: [refund] },
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
  listAuditLog: { method: 'auditLog.list', query: { limit: 5 } },
};

export interface SampledOperation {
  readonly operationId: string;
  /** In uppercase. */
  readonly method: string;
  readonly path: string;
  /** An example of the body, if the operation has one. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

export interface Samples {
  readonly curl: string;
  readonly typescript: string;
}

/** Returns the samples of an operation. Throws if it has none, so that no operation can be forgotten. */
export function samplesOf(operation: SampledOperation): Samples {
  const call = calls[operation.operationId as OperationName];
  if (!call) throw new Error(`${operation.operationId} has no samples. Add them to shared/docs/samples.ts.`);
  return { curl: curlOf(operation, call), typescript: typescriptOf(operation, call) };
}

const authorization = '-H "Authorization: Bearer $REMIT_API_KEY"';
const jsonType = "-H 'Content-Type: application/json'";
const continued = ' \\\n  ';

function curlOf(
  { method, path, body }: SampledOperation,
  { inPath = [], inBody = {}, query = {} }: SampleCall,
): string {
  const prerequisites = [...inPath, ...Object.values(inBody)];
  const filledPath = inPath.reduce((text, { variable }) => text.replace(/\{\w+\}/, `$${variable}`), path);
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) search.set(name, String(value));
  const verb = method === 'GET' || (method === 'POST' && body) ? '' : `-X ${method} `;
  const parts = [
    `curl ${verb}"$REMIT_URL${filledPath}${search.size > 0 ? `?${search}` : ''}"`,
    authorization,
  ];
  if (body) parts.push(jsonType, shellBody(body, inBody));
  return [...prerequisites.map(shellLookup), parts.join(continued)].join('\n');
}

/** Returns the shell command that stores the ID of a resource in its variable. */
function shellLookup({ variable, prefix, path, body }: Prerequisite): string {
  const parts = [`curl -s "$REMIT_URL${path}"`, authorization];
  if (body) parts.push(jsonType, `-d '${JSON.stringify(body)}'`);
  return `${variable}=$(${parts.join(continued)} |\n  grep -o '${prefix}_[0-9a-z]*' | head -n 1)`;
}

/** Returns the body as a quoted argument, or as a here document if the shell has to insert IDs. */
function shellBody(body: object, inBody: Readonly<Record<string, Prerequisite>>): string {
  if (Object.keys(inBody).length === 0)
    return `-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`;
  const variables = Object.entries(inBody).map(([name, { variable }]) => [name, `$${variable}`]);
  return `-d @- <<JSON\n${JSON.stringify({ ...body, ...Object.fromEntries(variables) }, null, 2)}\nJSON`;
}

/** The first lines of each program. */
const programStart = `import { Remit } from 'remit-client';

const remit = new Remit({
  apiKey: process.env.REMIT_API_KEY ?? '',
  baseUrl: process.env.REMIT_URL ?? '',
});`;

function typescriptOf(
  { body }: SampledOperation,
  { method, inPath = [], inBody = {}, query }: SampleCall,
): string {
  const prerequisites = [...inPath, ...Object.values(inBody)];
  const ids = Object.entries(inBody).map(([name, { expression }]) => [name, new Expression(expression)]);
  const input = body ? { ...body, ...Object.fromEntries(ids) } : query;
  const values = [...inPath.map(({ expression }) => expression), ...(input ? [literal(input)] : [])];
  const call = `const result = await remit.${method}(${values.join(', ')});`;
  return [
    programStart,
    '',
    ...prerequisites.map(({ statement }) => statement),
    call,
    'console.log(result);',
  ].join('\n');
}

/** A TypeScript expression among the values of a literal. */
class Expression {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Returns a value as a TypeScript literal. */
function literal(value: unknown, indent = ''): string {
  if (value instanceof Expression) return value.text;
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, indent)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).map(
    ([name, each]) => `${indent}  ${name}: ${literal(each, `${indent}  `)},`,
  );
  return `{\n${fields.join('\n')}\n${indent}}`;
}

/** A receiver of webhooks with the TypeScript client. */
export const receiver = `import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { verifyWebhook } from 'remit-client';

createServer(async (request, response) => {
  try {
    const body = await buffer(request); // the raw bytes
    const secret = process.env.WEBHOOK_SECRET ?? '';
    const event = await verifyWebhook(body, request.headers, secret);
    // Queue the event for processing. Use event.id to detect duplicates.
    console.log(event.type, event.data.id);
    response.writeHead(204).end();
  } catch (error) {
    // The error tells you why: for example, the secret is wrong.
    console.error(error);
    response.writeHead(400).end();
  }
}).listen(Number(process.env.PORT ?? 3000));`;
