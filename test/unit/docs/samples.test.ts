/** Tests the samples without running them: the bodies that they send match the schemas, in every language. */
import { expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { OperationObject } from '../../../shared/api/openapi/document-types.ts';
import { goHelper } from '../../../shared/web/docs/sample-go.ts';
import { pythonHelper } from '../../../shared/web/docs/sample-python.ts';
import { samplesOf } from '../../../shared/web/docs/samples.ts';
import { document } from '../../support/document.ts';

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
ajv.addSchema(document, 'openapi');

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);

function samplesFor({ method, path, operation }: (typeof operations)[number], apiVersion?: string) {
  const { example, examples = {} } = operation.requestBody?.content['application/json'] ?? {};
  const body = (example ?? Object.values(examples)[0]?.value) as Record<string, unknown> | undefined;
  return samplesOf({ operationId: operation.operationId, method, path, body, apiVersion });
}

const ids = { invoiceId: `inv_${'0'.repeat(26)}`, paymentId: `pay_${'0'.repeat(26)}` };

/** Returns the last JSON object of a text: the body of the operation. The ones before create what it needs. */
function lastBody(text: string, pattern: RegExp): unknown {
  const [, json = ''] = [...text.matchAll(pattern)].at(-1) ?? [];
  return JSON.parse(json.replace(/,(\s*[}\]])/g, '$1'));
}

/** Replaces the arrays of Go, such as `[]any{1, 2}`, by those of JSON. Innermost arrays first, because arrays can have objects. */
function arraysOfGo(text: string): string {
  const objects: string[] = [];
  let inner = text;
  for (let before = ''; before !== inner; ) {
    before = inner;
    inner = inner
      .replace(/\[\](?:string|any)\{([^{}]*)\}/, '[$1]')
      .replace(/(?<!\[\](?:string|any))\{([^{}]*)\}/, (object) => {
        objects.push(object);
        return `<${objects.length - 1}>`;
      });
  }
  while (/<\d+>/.test(inner)) inner = inner.replace(/<(\d+)>/g, (_, index) => objects[Number(index)] ?? '');
  return inner;
}

/** Returns the body that each sample sends, with valid IDs in the place of variables. */
function bodiesOf(samples: ReturnType<typeof samplesOf>): Record<string, unknown> {
  const { curl, python, go } = samples;
  const json = arraysOfGo(go.replace(/map\[string\]any\{/g, '{')).replace(
    /: +\w+(\.Data\[0\])?\.ID,/g,
    ': "id",',
  );
  const bodies = {
    curl: lastBody(curl, /(?:-d '|<<JSON\n)(\{\n[\s\S]*?\n\})/g),
    python: lastBody(python.replace(/: \w+\["id"\],/g, ': "id",'), /json=(\{[\s\S]*?\n\})/g),
    go: lastBody(json, /, (\{\n(?:\t\t.*\n)*\t\}), &result/g),
  };
  return Object.fromEntries(
    Object.entries(bodies).map(([language, body]) => {
      const fields = Object.keys(body as object).filter((name) => name in ids) as (keyof typeof ids)[];
      return [
        language,
        { ...(body as object), ...Object.fromEntries(fields.map((name) => [name, ids[name]])) },
      ];
    }),
  );
}

const schemaOf = ({ requestBody }: OperationObject) =>
  ajv.getSchema(`openapi${requestBody?.content['application/json'].schema.$ref}`);

const withBody = operations.filter(({ operation }) => operation.requestBody);

test.each(withBody.map((each) => [each.operation.operationId, each] as const))(
  'the samples of %s send bodies that match the schema',
  (_, each) => {
    const validate = schemaOf(each.operation);
    const bodies = bodiesOf(samplesFor(each));
    expect(bodies.python).toEqual(bodies.curl);
    expect(bodies.go).toEqual(bodies.curl);
    expect([validate?.(bodies.curl), validate?.errors]).toEqual([true, null]);
  },
);

test.each(operations.map((each) => [each.operation.operationId, each] as const))(
  'the samples of %s name its path',
  (_, each) => {
    const { curl, python, go } = samplesFor(each);
    const [first = ''] = each.path.split('{');
    for (const text of [curl, python, go]) expect(text).toContain(first);
    for (const text of [curl, python, go]) expect(text).not.toMatch(/undefined|\{id\}|\[object/);
    expect(python).toContain(`result = call("${each.method}", `);
    expect(go).toContain(`call("${each.method}", `);
  },
);

test.each(operations.map((each) => [each.operation.operationId, each] as const))(
  'the samples of %s ask for the version of their page, unless a new key has it',
  (_, each) => {
    const plain = samplesFor(each);
    const { curl } = samplesFor(each, '2026-11-23');
    expect(plain.curl).not.toContain('X-API-Version');
    expect(curl).toContain("-H 'X-API-Version: 2026-11-23'");
  },
);

test('what the samples in Python and Go share sends an idempotency key, and asks for the version of the page', () => {
  const helpers = [pythonHelper, goHelper];
  for (const helper of helpers) {
    expect(helper(undefined)).toContain('"Idempotency-Key"');
    expect(helper(undefined)).not.toContain('X-API-Version');
  }
  expect(pythonHelper('2026-11-23')).toContain('    headers["X-API-Version"] = "2026-11-23"\n    if method');
  expect(goHelper('2026-11-23')).toContain(
    '\trequest.Header.Set("X-API-Version", "2026-11-23")\n\trequest.Header',
  );
});
