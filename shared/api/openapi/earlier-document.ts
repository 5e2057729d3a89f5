/** Makes the document of an earlier version of the API from that of the newest version. */

import { showIn, withoutLaterFields } from '../../domain/versions/convert.ts';
import { laterParameters, requiredFields } from '../../domain/versions/requests.ts';
import type { VersionedResource } from '../../domain/versions/version-change.ts';
import { type ApiVersion, apiVersions } from '../../domain/versions/versions.ts';
import type { Route } from '../routes.ts';
import type {
  Examples,
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  SchemaObject,
} from './document-types.ts';
import { apiVersionParameter } from './headers.ts';

type Routes = Readonly<Record<string, Route>>;
type Schemas = OpenApiDocument['components']['schemas'];
type Parameter = OperationObject['parameters'][number];
type Content = NonNullable<OperationObject['requestBody']>['content'];

/** The schemas of each resource, in responses and in request bodies. Those of events are `…Event`. */
const schemasOf: Readonly<Record<Exclude<VersionedResource, 'events'>, readonly string[]>> = {
  invoices: ['Invoice', 'CreateInvoice', 'UpdateInvoice'],
  payments: ['Payment', 'CreateOfflinePayment', 'CreateCardPayment'],
  refunds: ['Refund', 'CreateRefund'],
  webhooks: ['Webhook', 'WebhookWithSecret', 'CreateWebhook', 'UpdateWebhook'],
  keys: ['ApiKey', 'ApiKeyWithValue', 'CreateApiKey', 'UpdateApiKey'],
};

/**
 * Returns the document without the fields, the query parameters and the named schemas that only later versions have.
 * @param newest the document of the newest version
 */
export function documentIn(version: ApiVersion, routes: Routes, newest: OpenApiDocument): OpenApiDocument {
  const paths = Object.entries(newest.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => [
        method,
        operationIn(version, routes[operation.operationId], operation),
      ]),
    ),
  ]);
  const webhooks = Object.entries(newest.webhooks).map(([type, { post }]) => [
    type,
    { post: operationIn(version, { resource: 'events' }, post) },
  ]);
  const { components, info } = newest;
  const document: OpenApiDocument = {
    ...newest,
    info: { ...info, ...versionInfo(version) },
    paths: Object.fromEntries(paths),
    webhooks: Object.fromEntries(webhooks),
    components: {
      ...components,
      schemas: schemasIn(version, components.schemas),
      parameters: { ...components.parameters, ApiVersion: apiVersionParameter(version) },
    },
  };
  return withoutUnused(document, newest);
}

/**
 * Returns the names of a version in the document. Packages of generated clients take `version`, and some package managers
 * accept only semantic versions without leading zeros. Versions only add, so each is one more minor version.
 */
export function versionInfo(version: ApiVersion): Pick<OpenApiDocument['info'], 'version' | 'x-api-version'> {
  return { version: `1.${apiVersions.indexOf(version)}.0`, 'x-api-version': version };
}

function operationIn(
  version: ApiVersion,
  { resource }: Pick<Route, 'resource'> = {},
  operation: OperationObject,
): OperationObject {
  if (!resource) return operation;
  const later = laterParameters(version, resource);
  const lists = laterParameters(version, resource, 'values');
  const isIn = (names: readonly string[], each: Parameter): each is ParameterObject =>
    'in' in each && each.in === 'query' && names.includes(each.name);
  const toBody = (value: unknown) => withoutLaterFields(version, resource, value as object);
  const toAnswer = (value: unknown) => showIn(version, resource, value as object);
  const { parameters, requestBody, responses } = operation;
  const sent = resource === 'events' ? toAnswer : toBody;
  return {
    ...operation,
    parameters: parameters
      .filter((each) => !isIn(later, each))
      .map((each) => (isIn(lists, each) ? withOneValue(each) : each)),
    ...(requestBody && { requestBody: { ...requestBody, content: withExamples(requestBody.content, sent) } }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) =>
        'content' in response && response.content?.['application/json'] && Number(status) < 400
          ? [status, { ...response, content: withExamples(response.content as Content, toAnswer) }]
          : [status, response],
      ),
    ),
  };
}

/** A parameter of which a later version also accepts several values. */
function withOneValue({ explode: _, schema, example, ...parameter }: ParameterObject): ParameterObject {
  return { ...parameter, example: [example].flat()[0], schema: schema.items ?? schema };
}

function withExamples({ 'application/json': json }: Content, convert: (value: unknown) => unknown): Content {
  const { example, examples } = json;
  const converted: Examples | undefined =
    examples &&
    Object.fromEntries(
      Object.entries(examples).map(([name, each]) => [name, { ...each, value: convert(each.value) }]),
    );
  return {
    'application/json': {
      ...json,
      ...(example !== undefined && { example: convert(example) }),
      ...(converted && { examples: converted }),
    },
  };
}

function schemasIn(version: ApiVersion, schemas: Schemas): Schemas {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const resource = resourceOfSchema(name);
      return [name, resource ? schemaIn(version, resource, name, schema) : schema];
    }),
  );
}

function schemaIn(
  version: ApiVersion,
  resource: VersionedResource,
  name: string,
  schema: SchemaObject,
): SchemaObject {
  if (!schema.properties) return schema;
  const properties = withoutLaterFields(version, resource, schema.properties) as Schemas;
  const alsoRequired = name.startsWith('Create') ? requiredFields(version, resource) : [];
  const required =
    schema.required &&
    Object.keys(properties).filter((field) => [...(schema.required ?? []), ...alsoRequired].includes(field));
  return { ...schema, properties, ...(required && { required }) };
}

function resourceOfSchema(name: string): VersionedResource | undefined {
  if (name.endsWith('Event')) return 'events';
  const found = Object.entries(schemasOf).find(([, names]) => names.includes(name));
  return found?.[0] as VersionedResource | undefined;
}

/** Removes the named schemas that the newest version refers to, and this one does not. */
function withoutUnused(document: OpenApiDocument, newest: OpenApiDocument): OpenApiDocument {
  const isUsed = (text: string, name: string) => text.includes(`"#/components/schemas/${name}"`);
  const [here, there] = [JSON.stringify(document), JSON.stringify(newest)];
  const { components } = document;
  const kept = Object.entries(components.schemas).filter(
    ([name]) => isUsed(here, name) || !isUsed(there, name),
  );
  if (kept.length === Object.keys(components.schemas).length) return document;
  return withoutUnused(
    { ...document, components: { ...components, schemas: Object.fromEntries(kept) } },
    newest,
  );
}
