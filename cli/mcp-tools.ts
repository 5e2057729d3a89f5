/**
 * Makes the tools of `remit mcp` from the operations of the service's OpenAPI document, so they fit the version of the service.
 * - Only the resources of `tags` have tools. Webhooks and keys have secrets in their responses, so they have none.
 */
import type {
  OpenApiDocument,
  OperationObject,
  ParameterObject,
} from '../shared/api/openapi/document-types.ts';

const tags = ['Invoices', 'Customers', 'Payments', 'Refunds', 'Events'];

/** A JSON Schema without references. */
type Schema = Readonly<Record<string, unknown>> & {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly oneOf?: readonly Schema[];
  readonly const?: unknown;
};

export interface ApiTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object' } & Schema;
  readonly annotations: Readonly<Record<string, string | boolean>>;
  readonly method: string;
  readonly path: string;
  /** The names of the arguments, by the part of the request that they belong to. */
  readonly places: Readonly<Record<'path' | 'query' | 'body', readonly string[]>>;
}

/** The argument with which a model repeats a write whose response was lost. */
export const idempotencyArgument = 'idempotencyKey';

const idempotencySchema: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description:
    'Leave it out for a new request: a key is created. To repeat a request whose response was lost, send the key that the error names.',
};

const amountNote =
  'Amounts are integers in the smallest currency unit: 250000 with BTN is Nu. 2,500.00, and 1250 with USD is 12.50 dollars.';

/** Returns the tools, in the order of the document. Without `allowWrites`, only those that read. */
export function toolsOf(document: OpenApiDocument, allowWrites: boolean): readonly ApiTool[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(
        ([
          method,
          {
            tags: [tag],
          },
        ]) => tags.includes(tag) && (method === 'get' || allowWrites),
      )
      .map(([method, operation]) => toTool(document, { method: method.toUpperCase(), path, operation })),
  );
}

function toTool(
  document: OpenApiDocument,
  { method, path, operation }: { method: string; path: string; operation: OperationObject },
): ApiTool {
  const parameters = operation.parameters.map((each) => inline(document, each) as unknown as ParameterObject);
  const inPlace = (place: string) => parameters.filter((parameter) => parameter.in === place);
  const body = operation.requestBody
    ? bodySchema(inline(document, operation.requestBody.content['application/json'].schema))
    : {};
  const isWrite = method !== 'GET';
  const sent = [...inPlace('path'), ...inPlace('query')];
  const properties = {
    ...body.properties,
    ...Object.fromEntries(sent.map(({ name, description, schema }) => [name, { ...schema, description }])),
    ...(isWrite && { [idempotencyArgument]: idempotencySchema }),
  };
  const required = [
    ...sent.filter((parameter) => parameter.required).map(({ name }) => name),
    ...(body.required ?? []),
  ];
  return {
    name: operation.operationId,
    description: [operation.summary, operation.description, amountNote].join('\n\n'),
    inputSchema: { type: 'object', properties, required, additionalProperties: false },
    annotations: {
      title: operation.summary,
      readOnlyHint: !isWrite,
      destructiveHint: isWrite && operation.operationId !== 'createInvoice',
      idempotentHint: !isWrite,
      openWorldHint: false,
    },
    method,
    path,
    places: {
      path: inPlace('path').map(({ name }) => name),
      query: inPlace('query').map(({ name }) => name),
      body: Object.keys(body.properties ?? {}),
    },
  };
}

/** Merges the variants of a body: a field of any variant is allowed, and a field of all variants is required. */
function bodySchema(schema: Schema): Schema {
  const variants = schema.oneOf;
  if (!variants) return schema;
  const names = new Set(variants.flatMap(({ properties }) => Object.keys(properties ?? {})));
  const properties = [...names].map((name) => {
    const forms: readonly Schema[] = variants.flatMap(({ properties }) => {
      const form = properties?.[name];
      return form ? [form] : [];
    });
    const values = forms.map((form) => form.const);
    const [first = {}] = forms;
    const merged: Schema = values.every((value) => value !== undefined)
      ? { type: 'string', enum: values, description: first.description }
      : first;
    return [name, merged] as const;
  });
  const required = [...names].filter((name) => variants.every((variant) => variant.required?.includes(name)));
  return { properties: Object.fromEntries(properties), required };
}

/** Replaces all references by what they refer to. The document has no circular ones. */
function inline(document: OpenApiDocument, value: unknown): Schema {
  const resolve = (each: unknown): unknown => {
    if (Array.isArray(each)) return each.map(resolve);
    if (typeof each !== 'object' || each === null) return each;
    const { $ref, ...others } = each as { $ref?: string };
    const own = Object.entries(others).map(([name, child]) => [name, resolve(child)]);
    const target = $ref === undefined ? {} : (resolve(find(document, $ref)) as object);
    return { ...target, ...Object.fromEntries(own) };
  };
  return resolve(value) as Schema;
}

const find = (document: OpenApiDocument, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], document);
