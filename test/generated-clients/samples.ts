/** Runs the samples of the reference in Python and Go against a local stack, in the order of the page. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openApiDocument } from '../../shared/api/openapi/document.ts';
import { routes } from '../../shared/api/routes.ts';
import { endpointsOf } from '../../shared/web/docs/reference.ts';
import { goHelper, goHelperFile } from '../../shared/web/docs/sample-go.ts';
import { pythonHelper, pythonHelperFile } from '../../shared/web/docs/sample-python.ts';
import { headerVersionOf, samplesOf } from '../../shared/web/docs/samples.ts';

/** Executes a shell command in a folder. It rejects if the command fails. */
type Run = (command: string, folder: string, environment: NodeJS.ProcessEnv) => Promise<void>;

interface SampleRun {
  readonly language: 'python' | 'go';
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Receives the webhooks in the place of the host of the samples. */
  readonly receiverUrl: string;
  /** Makes what the sample of an operation needs and no other sample creates. */
  readonly prepare: (operationId: string) => Promise<void>;
}

/** Runs the samples of all operations. */
export async function runSamples({ language, folder, ...context }: SampleRun, run: Run): Promise<void> {
  await mkdir(folder);
  const document = openApiDocument(routes);
  const apiVersion = headerVersionOf(document);
  const [helperFile, helper] =
    language === 'python'
      ? [pythonHelperFile, pythonHelper(apiVersion)]
      : [goHelperFile, goHelper(apiVersion)];
  await writeFile(join(folder, helperFile), `${helper}\n`);
  if (language === 'python')
    await run('python3 -m venv venv && venv/bin/pip install --quiet requests', folder, context.environment);
  for (const { method, path, operation } of document.tags.flatMap(({ name }) =>
    endpointsOf(document, name),
  )) {
    const { operationId } = operation;
    await context.prepare(operationId);
    const { example, examples = {} } = operation.requestBody?.content['application/json'] ?? {};
    const body = (example ?? Object.values(examples)[0]?.value) as Record<string, unknown> | undefined;
    const samples = samplesOf({ operationId, method, path, body, apiVersion });
    const text = samples[language].replaceAll('https://example.com', context.receiverUrl);
    const file = language === 'python' ? `${operationId}.py` : `${operationId}.go`;
    await writeFile(join(folder, file), language === 'go' ? `${text}\n` : text);
    const command = language === 'python' ? `venv/bin/python ${file}` : `go run ${goHelperFile} ${file}`;
    await run(`${command} > output.txt`, folder, context.environment);
  }
}
