/**
 * Builds the OpenAPI document (3.1).
 * - Paths, schemas and error codes come from the tables that the service itself uses, so the document matches the service.
 * - Its schemas are exact: closed, with all values that this release knows. `served-document.ts` opens them for clients.
 * - No function that serves the API imports this folder: its texts would only make cold starts slower.
 */

import { permissions } from '../../domain/auth/permissions.ts';
import { type ApiVersion, newestApiVersion } from '../../domain/versions/versions.ts';
import type { Route } from '../routes.ts';
import type { OpenApiDocument, OperationObject, Reference } from './document-types.ts';
import { documentIn, versionInfo } from './earlier-document.ts';
import { apiVersionParameter, responseHeaderObjects } from './headers.ts';
import { introduction } from './introduction.ts';
import { messages } from './messages.ts';
import type { OperationName } from './operation-errors.ts';
import { operationOf } from './operations.ts';
import { commonResponses } from './responses.ts';
import { componentSchemas } from './schemas.ts';
import { tags } from './tags.ts';

/**
 * Returns the document of all routes under `/api/` in a version of the API. Web pages are not part of it.
 * @param baseUrl the URL of the service, without a trailing slash; the default is relative to the document's own URL
 */
export function openApiDocument(
  routes: Readonly<Record<string, Route>>,
  baseUrl = '.',
  version: ApiVersion = newestApiVersion,
): OpenApiDocument {
  const newest = newestDocument(routes, baseUrl);
  return version === newestApiVersion ? newest : documentIn(version, routes, newest);
}

function newestDocument(routes: Readonly<Record<string, Route>>, baseUrl: string): OpenApiDocument {
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
      ...versionInfo(newestApiVersion),
      summary: 'Invoicing and payments.',
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl, description: 'The deployment that serves this document.' }],
    tags,
    paths,
    webhooks: messages(),
    components: {
      schemas: componentSchemas(),
      responses: commonResponses(),
      headers: responseHeaderObjects,
      parameters: { ApiVersion: apiVersionParameter(newestApiVersion) },
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'Send your API key in the header `Authorization: Bearer <API_KEY>`. Keys with the prefix `sk_test_` work in test mode: no real money moves, and only test cards are accepted. Keys with the prefix `sk_live_` work in live mode. ' +
            'A key has all permissions except `keys:read`, `keys:write` and `account:write`, or exactly those that its list names. Each operation names the permission that it requires. ' +
            `The permissions are ${permissions.map((permission) => `\`${permission}\``).join(', ')}. ` +
            'A key can be limited to address ranges. From other addresses it returns 403 `address_not_allowed`.',
        },
      },
    },
  };
}

/** Returns `node` itself or, if it is a reference, the object in `document` that it refers to. */
export function resolve<Node extends object>(document: OpenApiDocument, node: Node | Reference): Node {
  if (!('$ref' in node) || typeof node.$ref !== 'string') return node as Node;
  const pointer = node.$ref.slice('#/'.length).split('/');
  return pointer.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document) as Node;
}
