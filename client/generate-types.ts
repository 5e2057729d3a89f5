/**
 * Writes `src/api-types.ts`, the types that the OpenAPI document describes. With `--check` it writes nothing, and fails
 * if the file is not what the document gives today.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import { openApiDocument } from '../shared/http/openapi.ts';
import { routes } from '../shared/routes.ts';

const file = join(import.meta.dirname, 'src', 'api-types.ts');
const document = JSON.stringify(openApiDocument(routes));
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
