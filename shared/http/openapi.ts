/**
 * The OpenAPI document (3.1), made from the route table, its schemas and the table of error codes, so that it
 * cannot say anything else than what the service does.
 */
import { type ConversionConfig, toJsonSchema } from '@valibot/to-json-schema';
import { apiVersion } from '../api-version.ts';
import { errorCodes } from '../errors.ts';
import { paginationParameters } from '../pagination.ts';
import type { Route } from '../routes.ts';

type Json = Record<string, unknown>;

/** Checks that JSON Schema cannot express are left to the service; what clients send is described, not what it becomes. */
const conversion: ConversionConfig = { typeMode: 'input', errorMode: 'ignore', target: 'draft-2020-12' };

const rateLimitHeaders = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
const commonHeaders = ['X-Request-Id', 'X-API-Version', ...rateLimitHeaders];

/** The document of `routes`; `operationId` is a route's name. */
export function openApiDocument(routes: Readonly<Record<string, Route>>): Json {
  const paths: Record<string, Json> = {};
  for (const [name, route] of Object.entries(routes)) {
    if (!route.path.startsWith('/api/')) continue;
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(name, route) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Remit', version: apiVersion, description: 'Invoicing and payments.' },
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'sk_test_… or sk_live_…' } },
      responses: Object.fromEntries(
        [400, 401, 403, 404, 429, 500].map((status) => [status, errorResponse(status)]),
      ),
      headers: Object.fromEntries(
        commonHeaders.map((header) => [header, { required: true, schema: { type: headerType(header) } }]),
      ),
    },
  };
}

const headerType = (header: string) => (rateLimitHeaders.includes(header) ? 'integer' : 'string');

function operation(name: string, route: Route): Json {
  return {
    operationId: name,
    parameters: [...pathParameters(route), ...queryParameters(route), ...headerParameters(route)],
    ...(route.body && {
      requestBody: { required: true, content: jsonContent(toJsonSchema(route.body, conversion)) },
    }),
    responses: {
      [route.status]: response('Success', route.response && toJsonSchema(route.response, conversion)),
      ...Object.fromEntries(
        errorStatuses(route).map((status) => [status, { $ref: `#/components/responses/${status}` }]),
      ),
    },
  };
}

function pathParameters({ path }: Route): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters({ query }: Route): Json[] {
  if (!query) return [];
  const { properties = {} } = toJsonSchema(query, conversion) as { properties?: Record<string, Json> };
  const described: Json = { ...properties, ...paginationParameters };
  return Object.keys(properties).map((name) => ({
    name,
    in: 'query',
    required: false,
    schema: described[name],
  }));
}

function headerParameters({ method }: Route): Json[] {
  if (method === 'GET') return [];
  return [
    {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
    },
  ];
}

/** 400 where there is anything to get wrong; 404 where a resource is named. */
function errorStatuses({ permission, path }: Route): number[] {
  return [400, 401, ...(permission ? [403] : []), ...(path.includes('{') ? [404] : []), 429, 500];
}

function errorResponse(status: number): Json {
  const kinds = Object.entries(errorCodes).filter(([, kind]) => kind.status === status);
  return response('Error', {
    type: 'object',
    required: ['error'],
    additionalProperties: false,
    properties: {
      error: {
        type: 'object',
        required: ['message', 'type', 'code'],
        additionalProperties: false,
        properties: {
          message: { type: 'string', minLength: 1 },
          type: { enum: [...new Set(kinds.map(([, { type }]) => type))] },
          code: { enum: kinds.map(([code]) => code) },
          field: { type: 'string' },
        },
      },
    },
  });
}

function response(description: string, schema: unknown): Json {
  const headers = Object.fromEntries(
    commonHeaders.map((header) => [header, { $ref: `#/components/headers/${header}` }]),
  );
  return { description, headers, ...(schema !== undefined && { content: jsonContent(schema) }) };
}

function jsonContent(schema: unknown): Json {
  const { $schema: _, ...rest } = schema as Json;
  return { 'application/json': { schema: rest } };
}
