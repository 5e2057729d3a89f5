/**
 * Brings the document into the form that `GET /openapi.json` serves: one that generators of clients digest, and whose clients
 * read what a later release adds. `npm run check:clients` generates the clients and runs them.
 *
 * - Objects that clients receive have `additionalProperties: true`. Without the keyword, the Go client of openapi-generator
 *   refuses unknown fields (`DisallowUnknownFields`).
 * - A text with a list of values is a plain `string`, with its values in `x-extensible-enum`. With `enum`, most generated
 *   clients refuse a new value. With `anyOf` of an enum and `string`, oapi-codegen makes a union to decode by hand.
 * - `Event` is an object with any `data`, not a union of all event types: a client would refuse a page with an event of a new
 *   type. Each type has a schema of its own, for receivers of messages.
 * - A time has no pattern beside its format: the Python client of openapi-generator tests a pattern on the parsed time.
 * - Messages are references to `components.pathItems`. openapi-generator generates operations from inline ones, and those of
 *   Python and TypeScript do not compile (its hook `postProcessWebhooksWithModels` exists for a few languages only).
 * - Requests stay closed: the service refuses what it does not know.
 */
import type { OpenApiDocument, Reference, SchemaObject } from './document-types.ts';

/** The document as it is served. */
export interface ServedDocument extends Omit<OpenApiDocument, 'webhooks' | 'components'> {
  readonly webhooks: Readonly<Record<string, Reference>>;
  readonly components: OpenApiDocument['components'] & {
    readonly pathItems: Readonly<Record<string, OpenApiDocument['webhooks'][string]>>;
  };
}

type Schemas = OpenApiDocument['components']['schemas'];

/** Returns the form of the document that the service serves. @param exact the document with all that this release knows */
export function servedDocument(exact: OpenApiDocument): ServedDocument {
  const { webhooks, components } = exact;
  const messages = Object.entries(webhooks).map(
    ([type, item]) => [type, item.post.operationId, item] as const,
  );
  return {
    ...exact,
    webhooks: Object.fromEntries(
      messages.map(([type, name]) => [type, { $ref: `#/components/pathItems/${name}` }]),
    ),
    components: {
      ...components,
      schemas: openSchemas(exact),
      pathItems: Object.fromEntries(messages.map(([, name, item]) => [name, item])),
    },
  };
}

/** Returns all schemas. Those that requests contain stay closed. */
function openSchemas({ paths, components: { schemas } }: OpenApiDocument): Schemas {
  const bodies = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .map(({ requestBody }) => requestBody);
  const requests = namesIn(bodies, schemas);
  const all = { ...schemas, Event: anyEvent(schemas) };
  return Object.fromEntries(
    Object.entries(all).map(([name, schema]) => [name, requests.has(name) ? schema : openSchema(schema)]),
  );
}

/** Returns the names of all schemas that `node` refers to, also through others. */
function namesIn(node: unknown, schemas: Schemas, found = new Set<string>()): ReadonlySet<string> {
  for (const [, name = ''] of JSON.stringify(node).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (found.has(name)) continue;
    found.add(name);
    namesIn(schemas[name], schemas, found);
  }
  return found;
}

/** Returns the schema of an event of any type, made of the fields that all types have. */
function anyEvent({ Event: union = {}, ...schemas }: Schemas): SchemaObject {
  const [first = {}] = (union.oneOf ?? []).map(({ $ref }) => schemas[$ref?.split('/').at(-1) ?? ''] ?? {});
  const { type, data, ...others } = first.properties ?? {};
  const types = Object.keys(union.discriminator?.mapping ?? {});
  return {
    ...first,
    description: union.description,
    properties: {
      id: others.id ?? {},
      type: { type: 'string', enum: types, description: 'The type of the event.' },
      ...others,
      data: { type: 'object', additionalProperties: true, description: data?.description },
    },
  };
}

function openSchema(schema: SchemaObject): SchemaObject {
  const { enum: list, const: only, properties, items, anyOf, pattern, ...rest } = schema;
  const values = only === undefined ? list : [only];
  return {
    ...rest,
    ...(pattern !== undefined && rest.format !== 'date-time' && { pattern }),
    ...(values && { 'x-extensible-enum': values }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, openSchema(property)]),
      ),
    }),
    ...(schema.additionalProperties === false && { additionalProperties: true }),
    ...(items && { items: openSchema(items) }),
    ...(anyOf && openAlternatives(anyOf)),
  };
}

/** Returns alternatives as one schema, if they are a text and null. */
function openAlternatives(anyOf: readonly SchemaObject[]): SchemaObject {
  const [inner, other] = anyOf.map(openSchema);
  if (inner?.type !== 'string' || other?.type !== 'null') return { anyOf: anyOf.map(openSchema) };
  return { ...inner, type: ['string', 'null'] };
}
