/**
 * A `curl` command and a TypeScript program for each operation, to be pasted as they stand: they find or make by
 * themselves what they work on, and read address and key from the environment. Beside them a receiver of webhooks.
 */

/**
 * What a sample needs to exist, and how it gets it: it finds the newest that there is or, to change it or pay it, makes
 * one of its own.
 */
interface Need {
  /** The name of the shell's variable. */
  readonly variable: string;
  readonly prefix: string;
  readonly path: string;
  /** With it, one is made. */
  readonly body?: object;
  /** A statement that finds or makes it. */
  readonly statement: string;
  /** Its id, where the statement has run. */
  readonly expression: string;
}

const invoice: Need = {
  variable: 'INVOICE',
  prefix: 'inv',
  path: '/api/invoices?limit=1',
  statement: 'const [invoice] = (await remit.invoices.list({ limit: 1 })).data;',
  expression: 'invoice.id',
};
const newInvoice: Need = {
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
const completedPayment: Need = {
  variable: 'PAYMENT',
  prefix: 'pay',
  path: '/api/payments?status=completed&limit=1',
  statement: "const [payment] = (await remit.payments.list({ status: 'completed', limit: 1 })).data;",
  expression: 'payment.id',
};
const payment: Need = {
  ...completedPayment,
  path: '/api/payments?limit=1',
  statement: 'const [payment] = (await remit.payments.list({ limit: 1 })).data;',
};
const refund: Need = {
  variable: 'REFUND',
  prefix: 'ref',
  path: '/api/refunds?limit=1',
  statement: 'const [refund] = (await remit.refunds.list({ limit: 1 })).data;',
  expression: 'refund.id',
};
const event: Need = {
  variable: 'EVENT',
  prefix: 'evt',
  path: '/api/events?limit=1',
  statement: 'const [event] = (await remit.events.list({ limit: 1 })).data;',
  expression: 'event.id',
};
const webhook: Need = {
  variable: 'WEBHOOK',
  prefix: 'wh',
  path: '/api/webhooks?limit=1',
  statement: 'const [webhook] = (await remit.webhooks.list({ limit: 1 })).data;',
  expression: 'webhook.id',
};
const newWebhook: Need = {
  ...webhook,
  path: '/api/webhooks',
  body: { url: 'https://example.com/webhooks', events: ['invoice.paid'] },
  statement: `const webhook = await remit.webhooks.create({
  url: 'https://example.com/webhooks',
  events: ['invoice.paid'],
});`,
};
const delivery: Need = {
  variable: 'DELIVERY',
  prefix: 'dlv',
  path: '/api/webhooks/$WEBHOOK/deliveries?limit=1',
  statement: 'const [delivery] = (await remit.webhooks.listDeliveries(webhook.id, { limit: 1 })).data;',
  expression: 'delivery.id',
};

interface Call {
  /** The client's method. */
  readonly method: string;
  /** In the order in which the path names them; what the body names stands in `inBody`. */
  readonly inPath?: readonly Need[];
  readonly inBody?: Readonly<Record<string, Need>>;
  readonly query?: Readonly<Record<string, string | number>>;
}

/** By `operationId`. */
const calls: Readonly<Record<string, Call>> = {
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
};

export interface Sampled {
  readonly operationId: string;
  /** In capitals. */
  readonly method: string;
  readonly path: string;
  /** An example of the body, if the operation takes one. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

export interface Samples {
  readonly curl: string;
  readonly typescript: string;
}

/** The samples of an operation. Throws if there is none for it, so that none can be forgotten. */
export function samplesOf(operation: Sampled): Samples {
  const call = calls[operation.operationId];
  if (!call) throw new Error(`There are no samples of ${operation.operationId}.`);
  return { curl: curlOf(operation, call), typescript: typescriptOf(operation, call) };
}

const authorization = '-H "Authorization: Bearer $REMIT_API_KEY"';
const jsonType = "-H 'Content-Type: application/json'";
const continued = ' \\\n  ';

function curlOf({ method, path, body }: Sampled, { inPath = [], inBody = {}, query = {} }: Call): string {
  const needs = [...inPath, ...Object.values(inBody)];
  const filled = inPath.reduce((text, { variable }) => text.replace(/\{\w+\}/, `$${variable}`), path);
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) search.set(name, String(value));
  const verb = method === 'GET' || (method === 'POST' && body) ? '' : `-X ${method} `;
  const parts = [`curl ${verb}"$REMIT_URL${filled}${search.size > 0 ? `?${search}` : ''}"`, authorization];
  if (body) parts.push(jsonType, shellBody(body, inBody));
  return [...needs.map(shellSearch), parts.join(continued)].join('\n');
}

function shellSearch({ variable, prefix, path, body }: Need): string {
  const parts = [`curl -s "$REMIT_URL${path}"`, authorization];
  if (body) parts.push(jsonType, `-d '${JSON.stringify(body)}'`);
  return `${variable}=$(${parts.join(continued)} |\n  grep -o '${prefix}_[0-9a-z]*' | head -n 1)`;
}

/** In single quotes as it is; a here document where the shell has something to fill in. */
function shellBody(body: object, inBody: Readonly<Record<string, Need>>): string {
  if (Object.keys(inBody).length === 0)
    return `-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`;
  const filled = Object.entries(inBody).map(([name, { variable }]) => [name, `$${variable}`]);
  return `-d @- <<JSON\n${JSON.stringify({ ...body, ...Object.fromEntries(filled) }, null, 2)}\nJSON`;
}

/** What each program begins with. */
const opening = `import { Remit } from 'remit-client';

const remit = new Remit({
  apiKey: process.env.REMIT_API_KEY ?? '',
  baseUrl: process.env.REMIT_URL ?? '',
});`;

function typescriptOf({ body }: Sampled, { method, inPath = [], inBody = {}, query }: Call): string {
  const needs = [...inPath, ...Object.values(inBody)];
  const filled = Object.entries(inBody).map(([name, need]) => [name, new Expression(need.expression)]);
  const given = body ? { ...body, ...Object.fromEntries(filled) } : query;
  const values = [...inPath.map(({ expression }) => expression), ...(given ? [literal(given)] : [])];
  const statement = `const result = await remit.${method}(${values.join(', ')});`;
  return [opening, '', ...needs.map((need) => need.statement), statement, 'console.log(result);'].join('\n');
}

/** Code among values. */
class Expression {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value as TypeScript writes it. */
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

/** A receiver of webhooks in a few lines, with the TypeScript client. */
export const receiver = `import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { verifyWebhook } from 'remit-client';

createServer(async (request, response) => {
  try {
    const body = await buffer(request); // the bytes as they came
    const secret = process.env.WEBHOOK_SECRET ?? '';
    const event = await verifyWebhook(body, request.headers, secret);
    // Queue the work; event.id comes again if the answer is lost.
    console.log(event.type, event.data.id);
    response.writeHead(204).end();
  } catch (error) {
    // It says why: the body was parsed, the secret or the clock is wrong.
    console.error(error);
    response.writeHead(400).end();
  }
}).listen(Number(process.env.PORT ?? 3000));`;
