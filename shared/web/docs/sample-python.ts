/** Builds the samples in Python, with the package `requests`. */
import type { Prerequisite, SampleCall, SampledOperation } from './sample-calls.ts';
import { Expression, pythonLiteral } from './sample-literals.ts';

/**
 * Returns the function that all samples call, as a module. Every request that changes something has an idempotency key.
 * @param apiVersion the version that the requests ask for. Undefined: that of the key
 */
export const pythonHelper = (apiVersion: string | undefined): string => `import os
import uuid

import requests


def call(method, path, **options):
    headers = {"Authorization": "Bearer " + os.environ["REMIT_API_KEY"]}${apiVersion === undefined ? '' : `\n    headers["X-API-Version"] = "${apiVersion}"`}
    if method != "GET":
        headers["Idempotency-Key"] = str(uuid.uuid4())
    url = os.environ["REMIT_URL"] + path
    response = requests.request(method, url, headers=headers, timeout=30, **options)
    if response.headers["Content-Type"] == "application/pdf":
        return response.content
    body = response.json()
    if not response.ok:
        raise SystemExit(f"{body['error']['code']}: {body['error']['message']}")
    return body`;

/** The file of the helper. */
export const pythonHelperFile = 'remit_call.py';

/** Returns the Python program of an operation. */
export function pythonOf(
  { method, path, body }: SampledOperation,
  { inPath = [], inBody = {}, query, file }: SampleCall,
): string {
  const prerequisites = [...inPath, ...Object.values(inBody)];
  const filled = inPath.reduce((text, { variable }) => text.replace(/\{\w+\}/, `$${variable}`), path);
  const ids = Object.entries(inBody).map(([name, each]) => [name, new Expression(`${nameOf(each)}["id"]`)]);
  const options = body
    ? [`json=${pythonLiteral({ ...body, ...Object.fromEntries(ids) })}`]
    : query
      ? [`params=${pythonLiteral(query)}`]
      : [];
  return [
    'from remit_call import call\n',
    ...prerequisites.map(lookup),
    `result = call(${[`"${method}"`, pathOf(filled), ...options].join(', ')})`,
    file === undefined ? 'print(result)' : `with open("${file}", "wb") as file:\n    file.write(result)`,
  ].join('\n');
}

const nameOf = ({ variable }: Prerequisite) => variable.toLowerCase();

function lookup(needed: Prerequisite): string {
  const { path, body } = needed;
  if (!body) return `${nameOf(needed)} = call("GET", ${pathOf(path)})["data"][0]`;
  return `${nameOf(needed)} = call("POST", ${pathOf(path)}, json=${pythonLiteral(body)})`;
}

/** Returns a path as a string, in which each shell variable is the ID of its resource. */
function pathOf(path: string): string {
  const text = path.replace(/\$([A-Z]+)/g, (_, variable: string) => `{${variable.toLowerCase()}['id']}`);
  return `${text === path ? '' : 'f'}"${text}"`;
}
