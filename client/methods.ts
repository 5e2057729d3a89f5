/**
 * Lists the methods of the client with the operation that each calls. The clients in other languages have the same methods,
 * so these names have one source.
 *
 * It calls each method with a `fetch` that answers itself, and reads the request.
 */
import type { OpenApiDocument } from '../shared/api/openapi/document-types.ts';
import { List } from './src/list.ts';
import { Remit } from './src/remit.ts';

export interface ClientMethod {
  /** The property of the client, such as `invoices`. Null: the method is one of the client itself. */
  readonly resource: string | null;
  readonly method: string;
  readonly operationId: string;
  /** One sentence about what it does. */
  readonly summary: string;
  /** Whether the method has a body that the caller can leave out. */
  readonly optionalBody: boolean;
  /** How all items of a list are read, as in `src/list.ts`. Null: the method returns no list. */
  readonly list: 'offset' | 'held' | 'cursor' | null;
  /** The parameters of a list that the client sets if the caller does not. */
  readonly defaults: Readonly<Record<string, string>>;
}

type Paths = OpenApiDocument['paths'];
type Requests = { readonly method: string; readonly url: URL; readonly hasBody: boolean }[];
type Method = (...input: readonly string[]) => unknown;

/** In the place of each ID and body. It is an ID, and no parameter of a query. */
const anything = 'x';

/** Returns all methods, in the order of the client. */
export async function clientMethods({ paths }: Pick<OpenApiDocument, 'paths'>): Promise<ClientMethod[]> {
  const requests: Requests = [];
  const remit = new Remit({ apiKey: 'sk_test_1', baseUrl: 'http://localhost', fetch: recordedIn(requests) });
  const methods: ClientMethod[] = [];
  for (const [resource, value] of Object.entries(remit)) {
    const own: [string | null, string, Method][] =
      typeof value === 'function'
        ? [[null, resource, value]]
        : Object.entries(value as Record<string, Method>).map(([name, method]) => [resource, name, method]);
    for (const [of, method, call] of own) {
      requests.length = 0;
      const result = call(anything, anything, anything);
      if (result instanceof List) for await (const _ of result);
      else await result;
      methods.push({
        resource: of,
        method,
        ...operationOf(paths, requests, call.length),
        ...listOf(result instanceof List, requests),
      });
    }
  }
  return methods;
}

/** Answers each first request with a page that is not the last one. */
function recordedIn(requests: Requests): typeof fetch {
  return async (url, init) => {
    requests.push({
      method: init?.method ?? 'GET',
      url: new URL(String(url)),
      hasBody: init?.body !== undefined,
    });
    const data = [{ id: anything, createdAt: new Date(0).toISOString() }];
    const pagination = { hasMore: requests.length === 1, total: 2 };
    return Response.json({ data, pagination, cursor: { hasMore: false, next: null } });
  };
}

function operationOf(
  paths: Paths,
  [request]: Requests,
  requiredInputs: number,
): Pick<ClientMethod, 'operationId' | 'summary' | 'optionalBody'> {
  const { method = '', url, hasBody = false } = request ?? {};
  const given = url?.pathname.split('/') ?? [];
  const [, methods = {}] =
    Object.entries(paths).find(([path]) => {
      const parts = path.split('/');
      return (
        parts.length === given.length &&
        parts.every((part, at) => part === given[at] || (part.startsWith('{') && given[at] === anything))
      );
    }) ?? [];
  const operation = Object.entries(methods).find(([verb]) => verb.toUpperCase() === method)?.[1];
  if (!operation) throw new Error(`No operation is ${method} ${url?.pathname}.`);
  const { operationId, summary } = operation;
  const ids = given.filter((part) => part === anything).length;
  return { operationId, summary, optionalBody: hasBody && requiredInputs === ids };
}

function listOf(isList: boolean, [first, second]: Requests): Pick<ClientMethod, 'list' | 'defaults'> {
  if (!isList) return { list: null, defaults: {} };
  const { limit: _, offset: __, 0: ___, ...defaults } = Object.fromEntries(first?.url.searchParams ?? []);
  if (!second) return { list: 'cursor', defaults };
  return { list: second.url.searchParams.has('createdTo') ? 'held' : 'offset', defaults };
}
