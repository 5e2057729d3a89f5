/**
 * Writes `src/api-types.ts`, the types that the OpenAPI document describes, as far as the client has a use for them.
 * With `--check` it writes nothing, and fails if the file is not what the document gives today.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import { openApiDocument } from '../shared/openapi/document.ts';
import { routes } from '../shared/routes.ts';

const file = join(import.meta.dirname, 'src', 'api-types.ts');
const document = JSON.stringify(openApiDocument(routes), withoutTheRest);
// What has a default may be left out of a request.
const types = COMMENT_HEADER + astToString(await openapiTS(document, { defaultNonNullable: false }));

if (!process.argv.includes('--check')) {
  await writeFile(file, types);
} else if ((await readFile(file, 'utf8')) !== types) {
  process.stderr.write(
    'client/src/api-types.ts is not what the API describes now: run `npm run client:types`.\n',
  );
  process.exitCode = 1;
}

/** Leaves out what the client sees to itself, or what types cannot tell: headers, examples, which operation fails how. */
function withoutTheRest(key: string, value: unknown): unknown {
  const unused = ['headers', 'webhooks', 'discriminator', 'example', 'examples', 'summary'];
  if (unused.includes(key)) return undefined;
  if (key === 'parameters') return Array.isArray(value) ? value.filter((one) => !('$ref' in one)) : undefined;
  if (key !== 'responses') return value;
  return Object.fromEntries(Object.entries(value as object).filter(([status]) => status.startsWith('2')));
}
