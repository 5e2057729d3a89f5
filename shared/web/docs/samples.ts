/**
 * Builds the samples of the reference page: a `curl` command and programs in TypeScript, Python and Go for each operation, and
 * a receiver of webhooks.
 * - You can paste every sample unchanged. It reads the URL and the API key from the environment. Those in Python and Go share a file.
 * - A sample finds or creates the resources that it needs.
 */
import type { OpenApiDocument } from '../../api/openapi/document-types.ts';
import type { OperationName } from '../../api/openapi/operation-errors.ts';
import { firstApiVersion } from '../../domain/versions/versions.ts';
import { type Prerequisite, type SampleCall, type SampledOperation, sampleCalls } from './sample-calls.ts';
import { goOf } from './sample-go.ts';
import { Expression, typescriptLiteral } from './sample-literals.ts';
import { pythonOf } from './sample-python.ts';

/** The languages of the samples, in the order in which the page offers them. */
export const sampleLanguages = [
  { id: 'curl', name: 'curl' },
  { id: 'typescript', name: 'TypeScript' },
  { id: 'python', name: 'Python' },
  { id: 'go', name: 'Go' },
] as const;

export interface Samples {
  readonly curl: string;
  readonly typescript: string;
  readonly python: string;
  readonly go: string;
}

/** Returns the version that the samples of a document ask for. Undefined: all keys understand the first one. */
export function headerVersionOf({ info }: OpenApiDocument): string | undefined {
  const version = info['x-api-version'];
  return version === firstApiVersion ? undefined : version;
}

/** Returns the samples of an operation. Throws if it has none, so that no operation can be forgotten. */
export function samplesOf(operation: SampledOperation): Samples {
  const call = sampleCalls[operation.operationId as OperationName];
  if (!call)
    throw new Error(`${operation.operationId} has no samples. Add them to shared/web/docs/sample-calls.ts.`);
  return {
    curl: curlOf(operation, call),
    typescript: typescriptOf(operation, call),
    python: pythonOf(operation, call),
    go: goOf(operation, call),
  };
}

const authorization = '-H "Authorization: Bearer $REMIT_API_KEY"';
const jsonType = "-H 'Content-Type: application/json'";
const continued = ' \\\n  ';

function curlOf(
  { method, path, body, apiVersion }: SampledOperation,
  { inPath = [], inBody = {}, query = {}, file }: SampleCall,
): string {
  const prerequisites = [...inPath, ...Object.values(inBody)];
  const filledPath = inPath.reduce((text, { variable }) => text.replace(/\{\w+\}/, `$${variable}`), path);
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) search.set(name, String(value));
  const verb = method === 'GET' || (method === 'POST' && body) ? '' : `-X ${method} `;
  const parts = [
    `curl ${verb}"$REMIT_URL${filledPath}${search.size > 0 ? `?${search}` : ''}"`,
    authorization,
  ];
  if (apiVersion !== undefined) parts.push(`-H 'X-API-Version: ${apiVersion}'`);
  if (body) parts.push(jsonType, shellBody(body, inBody));
  if (file !== undefined) parts.push(`-o ${file}`);
  return [...prerequisites.map(shellLookup), parts.join(continued)].join('\n');
}

/** Returns the shell command that stores the ID of a resource in its variable. */
function shellLookup({ variable, prefix, path, body }: Prerequisite): string {
  const parts = [`curl -s "$REMIT_URL${path}"`, authorization];
  if (body) parts.push(jsonType, `-d '${JSON.stringify(body)}'`);
  return `${variable}=$(${parts.join(continued)} |\n  grep -o '${prefix}_[0-9a-z]*' | head -n 1)`;
}

/** Returns the body as a quoted argument, or as a here document if the shell has to insert IDs. */
function shellBody(body: object, inBody: Readonly<Record<string, Prerequisite>>): string {
  if (Object.keys(inBody).length === 0)
    return `-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`;
  const variables = Object.entries(inBody).map(([name, { variable }]) => [name, `$${variable}`]);
  return `-d @- <<JSON\n${JSON.stringify({ ...body, ...Object.fromEntries(variables) }, null, 2)}\nJSON`;
}

/** The first lines of each program. */
const programStart = `import { Remit } from 'remit-client';

const remit = new Remit({
  apiKey: process.env.REMIT_API_KEY ?? '',
  baseUrl: process.env.REMIT_URL ?? '',
});`;

function typescriptOf(
  { body }: SampledOperation,
  { method, inPath = [], inBody = {}, query, file }: SampleCall,
): string {
  const prerequisites = [...inPath, ...Object.values(inBody)];
  const ids = Object.entries(inBody).map(([name, { expression }]) => [name, new Expression(expression)]);
  const input = body ? { ...body, ...Object.fromEntries(ids) } : query;
  const values = [
    ...inPath.map(({ expression }) => expression),
    ...(input ? [typescriptLiteral(input)] : []),
  ];
  const call = `const result = await remit.${method}(${values.join(', ')});`;
  return [
    ...(file === undefined ? [] : ["import { writeFile } from 'node:fs/promises';"]),
    programStart,
    '',
    ...prerequisites.map(({ statement }) => statement),
    call,
    file === undefined ? 'console.log(result);' : `await writeFile('${file}', result);`,
  ].join('\n');
}

/** A receiver of webhooks with the TypeScript client. */
export const receiver = `import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { verifyWebhook } from 'remit-client';

createServer(async (request, response) => {
  try {
    const body = await buffer(request); // the raw bytes
    const secret = process.env.WEBHOOK_SECRET ?? '';
    const event = await verifyWebhook(body, request.headers, secret);
    // Queue the event for processing. Use event.id to detect duplicates.
    console.log(event.type, event.data.id);
    response.writeHead(204).end();
  } catch (error) {
    // The error tells you why: for example, the secret is wrong.
    console.error(error);
    response.writeHead(400).end();
  }
}).listen(Number(process.env.PORT ?? 3000));`;
