/**
 * The OpenAPI document (3.1), made from the route table, its schemas and the table of error codes, so that it
 * cannot say anything else than what the service does. The texts beside it are for people, and belong into no function
 * that serves the API.
 */
import { apiVersion } from '../api-version.ts';
import { permissions } from '../permissions.ts';
import type { Route } from '../routes.ts';
import type { OpenApiDocument, OperationObject, Reference } from './document-types.ts';
import { requestHeaders, responseHeaders } from './headers.ts';
import { introduction } from './introduction.ts';
import { messages } from './messages.ts';
import type { OperationName } from './operation-errors.ts';
import { operationOf } from './operations.ts';
import { commonResponses } from './responses.ts';
import { componentSchemas } from './schemas.ts';
import { tags } from './tags.ts';

/**
 * The document of `routes`: all that lies under `/api/`, but not the web pages.
 * @param baseUrl the address of the service, without a slash at its end; without it, where the document is
 */
export function openApiDocument(routes: Readonly<Record<string, Route>>, baseUrl = '.'): OpenApiDocument {
  const paths: Record<string, Record<string, OperationObject>> = {};
  for (const [name, route] of Object.entries(routes)) {
    if (!route.path.startsWith('/api/')) continue;
    const operation = operationOf(name as OperationName, route);
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Remit',
      version: apiVersion,
      summary: 'Invoicing and payments.',
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl, description: 'The service that serves this document.' }],
    tags,
    paths,
    webhooks: messages(),
    components: {
      schemas: componentSchemas(),
      responses: commonResponses(),
      parameters: requestHeaders,
      headers: responseHeaders,
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key, as `Authorization: Bearer <API_KEY>`. `sk_test_…` is test mode: no real money, test cards only. `sk_live_…` is live mode. A key has all permissions, or only some of these, of which each operation names the one that it needs: ' +
            `${permissions.map((permission) => `\`${permission}\``).join(', ')}.`,
        },
      },
    },
  };
}

/** What `node` is: itself, or what it refers to in `document`. */
export function resolve<Node extends object>(document: OpenApiDocument, node: Node | Reference): Node {
  if (!('$ref' in node) || typeof node.$ref !== 'string') return node as Node;
  const place = node.$ref.slice('#/'.length).split('/');
  return place.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document) as Node;
}
