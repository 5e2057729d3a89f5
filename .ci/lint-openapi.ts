/** Lints the OpenAPI document with the strictest rule set of the linter, and with rules for descriptions and examples. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { openApiDocument } from '../shared/api/openapi/document.ts';
import { servedDocument } from '../shared/api/openapi/served-document.ts';
import { routes } from '../shared/api/routes.ts';

const config = await createConfig({
  extends: ['recommended-strict'],
  rules: {
    'component-name-unique': 'error',
    'no-http-verbs-in-paths': 'error',
    'no-invalid-parameter-examples': 'error',
    'no-invalid-schema-examples': 'error',
    'no-required-schema-properties-undefined': 'error',
    'operation-description': 'error',
    'operation-singular-tag': 'error',
    'operation-tag-defined': 'error',
    'parameter-description': 'error',
    'paths-kebab-case': 'error',
  },
});
const source = JSON.stringify(servedDocument(openApiDocument(routes)));
const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });

for (const { severity, ruleId, message, location } of problems) {
  process.stderr.write(`${severity} ${ruleId} ${location[0]?.pointer}: ${message}\n`);
}
if (problems.length > 0) process.exitCode = 1;
