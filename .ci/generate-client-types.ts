/**
 * Generates `client/src/api-types.ts`: the types of the OpenAPI document that the client uses, and the names of the fields that
 * each version of the API adds. With `--check` it writes nothing, and
 * fails if the file does not match the document.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import { openApiDocument } from '../shared/api/openapi/document.ts';
import type { OpenApiDocument } from '../shared/api/openapi/document-types.ts';
import { routes } from '../shared/api/routes.ts';
import { versionChanges } from '../shared/domain/versions/changes.ts';

const file = join(import.meta.dirname, '..', 'client', 'src', 'api-types.ts');
const document = JSON.stringify(withExactTypes(openApiDocument(routes)), removeUnusedParts);
// A field with a default is optional in a request.
const types =
  COMMENT_HEADER + astToString(await openapiTS(document, { defaultNonNullable: false })) + addedFields();

if (!process.argv.includes('--check')) {
  await writeFile(file, types);
} else if ((await readFile(file, 'utf8')) !== types) {
  process.stderr.write(
    'client/src/api-types.ts does not match the OpenAPI document. Run `npm run client:types`.\n',
  );
  process.exitCode = 1;
}

/** Returns the declaration of the fields that each version adds to each resource. */
function addedFields(): string {
  const versions = versionChanges.map(({ version, fields }) => {
    const resources = Object.entries(fields).map(
      ([resource, added]) =>
        `        ${resource}: ${Object.keys(added)
          .map((field) => `"${field}"`)
          .join(' | ')};`,
    );
    return `    "${version}": {\n${resources.join('\n')}\n    };`;
  });
  return `/** The fields that each version of the API adds, by resource. */\nexport interface addedFields {\n${versions.join('\n')}\n}\n`;
}

/**
 * Makes the types more exact than the document: the error codes of each type, which the document lists in an extension, and
 * no test event among the events that responses contain.
 */
function withExactTypes({ components, ...rest }: OpenApiDocument): OpenApiDocument {
  const { Event = {}, ErrorDetail, ...schemas } = components.schemas;
  const codes = ErrorDetail?.properties?.code?.['x-codes-by-type'] ?? {};
  const exact = {
    Event: { ...Event, oneOf: Event.oneOf?.filter(({ $ref }) => !$ref?.endsWith('/WebhookTestEvent')) ?? [] },
    ErrorDetail: ErrorDetail ?? {},
    ErrorCodes: {
      description: 'The codes of each error type.',
      type: 'object',
      required: Object.keys(codes),
      properties: Object.fromEntries(
        Object.entries(codes).map(([type, values]) => [type, { type: 'string', enum: values }]),
      ),
    },
  };
  return { ...rest, components: { ...components, schemas: { ...schemas, ...exact } } };
}

/** Removes the parts that the client handles itself or that types cannot express: headers, examples and error responses. */
function removeUnusedParts(key: string, value: unknown): unknown {
  const unused = ['headers', 'webhooks', 'discriminator', 'example', 'examples', 'summary'];
  if (unused.includes(key)) return undefined;
  if (key === 'parameters')
    return Array.isArray(value) ? value.filter((one) => !('$ref' in one) && one.in !== 'header') : undefined;
  if (key !== 'responses') return value;
  return Object.fromEntries(Object.entries(value as object).filter(([status]) => status.startsWith('2')));
}
