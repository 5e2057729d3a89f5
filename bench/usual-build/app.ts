/**
 * The usual build: the create, get and list endpoints of invoices and card payments with Fastify and PostgreSQL, as a good team
 * builds them in a week. It has API keys, rate limits, idempotency keys, an outbox, prepared statements and a pool of connections.
 */
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import { type NewPayment, payWithCard } from './payments.ts';
import {
  authorize,
  type Caller,
  createInvoice,
  findInvoice,
  type InvoiceFilter,
  listInvoices,
  type NewInvoice,
} from './store.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
  }
}

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength });
const invoice = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    customerId: { type: 'string' },
    amount: { type: 'integer' },
    currency: { type: 'string' },
    status: { type: 'string' },
    description: { type: 'string' },
    dueDate: { type: 'string' },
    paymentUrl: { type: 'string' },
    createdAt: { type: 'string' },
    updatedAt: { type: 'string' },
  },
};
const pagination = {
  type: 'object',
  properties: {
    total: { type: 'integer' },
    limit: { type: 'integer' },
    offset: { type: 'integer' },
    hasMore: { type: 'boolean' },
  },
};
const newInvoice = {
  type: 'object',
  additionalProperties: false,
  required: ['customerId', 'amount', 'currency', 'description'],
  properties: {
    customerId: text(254),
    amount: { type: 'integer', minimum: 1, maximum: 999_999_999_999 },
    currency: { type: 'string', enum: ['BTN', 'USD', 'INR'] },
    description: text(5000),
    dueDate: { type: 'string', format: 'date-time', nullable: true },
  },
};
const newPayment = {
  type: 'object',
  additionalProperties: false,
  required: ['invoiceId', 'method', 'card'],
  properties: {
    invoiceId: text(64),
    method: { type: 'string', enum: ['card'] },
    card: {
      type: 'object',
      additionalProperties: false,
      required: ['number', 'expMonth', 'expYear', 'cvc'],
      properties: {
        number: { type: 'string', pattern: '^[0-9]{13,19}$' },
        expMonth: { type: 'integer', minimum: 1, maximum: 12 },
        expYear: { type: 'integer', minimum: 2026, maximum: 2099 },
        cvc: { type: 'string', pattern: '^[0-9]{3,4}$' },
      },
    },
  },
};
const listQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    offset: { type: 'integer', minimum: 0, default: 0 },
    status: { type: 'string', enum: ['pending', 'paid', 'overdue', 'cancelled'] },
    customerId: text(254),
  },
};
const idempotencyHeaders = {
  type: 'object',
  properties: { 'idempotency-key': { type: 'string', minLength: 1, maxLength: 255 } },
};

/** Builds the server. @param payUrlBase the start of the URL of every invoice's payment page */
export function buildApp(pool: Pool, payUrlBase: string): FastifyInstance {
  const app = Fastify({ logger: false, ajv: { customOptions: { removeAdditional: false } } });
  app.decorateRequest('caller');
  app.addHook('onRequest', async (request, reply) => checkCaller(pool, request, reply));
  app.setErrorHandler((error: Error & { validation?: unknown }, _request, reply) =>
    error.validation
      ? refuse(reply, 400, 'invalid_request', error.message)
      : refuse(reply, 500, 'internal_error', 'The request failed. Send it again.'),
  );
  app.get<{ Params: { id: string } }>(
    '/api/invoices/:id',
    { schema: { response: { 200: invoice } } },
    async ({ caller, params }, reply) =>
      (await findInvoice(pool, caller, params.id, payUrlBase)) ??
      refuse(reply, 404, 'invoice_not_found', 'The invoice does not exist.'),
  );
  const page = { type: 'object', properties: { data: { type: 'array', items: invoice }, pagination } };
  app.get<{ Querystring: InvoiceFilter }>(
    '/api/invoices',
    { schema: { querystring: listQuery, response: { 200: page } } },
    ({ caller, query }) => listInvoices(pool, caller, query, payUrlBase),
  );
  app.post<{ Body: NewInvoice; Headers: { 'idempotency-key'?: string } }>(
    '/api/invoices',
    { schema: { body: newInvoice, headers: idempotencyHeaders } },
    async ({ caller, body, headers }, reply) => {
      const answer = await createInvoice(pool, caller, body, headers['idempotency-key'], payUrlBase);
      if (!answer) return refuse(reply, 422, 'idempotency_key_reused', 'Use a new idempotency key.');
      if (answer.replayed) reply.header('Idempotent-Replayed', 'true');
      return reply.code(answer.status).type('application/json').send(answer.body);
    },
  );
  app.post<{ Body: NewPayment; Headers: { 'idempotency-key'?: string } }>(
    '/api/payments',
    { schema: { body: newPayment, headers: idempotencyHeaders } },
    async ({ caller, body, headers }, reply) => {
      const answer = await payWithCard(pool, caller, body, headers['idempotency-key']);
      if ('refused' in answer) return refuse(reply, 400, answer.refused, 'The invoice cannot be paid.');
      if (answer.replayed) reply.header('Idempotent-Replayed', 'true');
      return reply.code(answer.status).type('application/json').send(answer.body);
    },
  );
  return app;
}

/** Refuses a request without a usable API key, beyond the rate limit, or without the permission. */
async function checkCaller(pool: Pool, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const apiKey = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
  const caller = apiKey === undefined ? undefined : await authorize(pool, apiKey);
  if (!caller) return refuse(reply, 401, 'invalid_api_key', 'The API key is not valid.');
  const { hourly_limit: limit, count } = caller;
  const nextHour = (Math.floor(Date.now() / 3_600_000) + 1) * 3600;
  reply.header('X-RateLimit-Limit', limit);
  reply.header('X-RateLimit-Remaining', Math.max(0, limit - count));
  reply.header('X-RateLimit-Reset', nextHour);
  if (count > limit) {
    reply.header('Retry-After', nextHour - Math.floor(Date.now() / 1000));
    return refuse(reply, 429, 'rate_limit_exceeded', 'Wait until the next hour.');
  }
  const resource = request.routeOptions.url?.split('/')[2];
  const permission = `${resource}:${request.method === 'GET' ? 'read' : 'write'}`;
  if (!caller.permissions.includes(permission))
    return refuse(reply, 403, 'insufficient_permissions', 'Use a key that has the permission.');
  request.caller = caller;
  return undefined;
}

const refuse = (reply: FastifyReply, status: number, code: string, message: string) =>
  reply.code(status).send({ error: { message, code } });
