/**
 * Generates clients in Python, Go and Java from the OpenAPI document, compiles them and runs them against a local stack. It
 * also runs the samples of the reference in Python and Go. It
 * needs Python 3.10, Go 1.24 and Maven with Java 17, and downloads the generators, so it is not part of `npm run check`.
 *
 * Usage: `npm run check:clients`, or `npm run check:clients -- go` for some languages only.
 */
import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openApiDocument } from '../../shared/api/openapi/document.ts';
import { servedDocument } from '../../shared/api/openapi/served-document.ts';
import { routes } from '../../shared/api/routes.ts';
import { newAccountWithAllPermissions } from '../contract/examples.ts';
import { invoiceBody } from '../support/api.ts';
import { startTestStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import { runSamples } from './samples.ts';

interface Language {
  /** The version command of each tool that must be installed. */
  readonly tools: readonly string[];
  /** Shell commands, executed in a folder that contains the program and `openapi.json`. */
  readonly commands: readonly string[];
}

const languages: Readonly<Record<string, Language>> = {
  python: {
    tools: ['python3 --version'],
    commands: [
      'python3 -m venv venv',
      'venv/bin/pip install --quiet openapi-python-client==0.29.1 httpx attrs python-dateutil',
      'PATH="$PWD/venv/bin:$PATH" openapi-python-client generate --path openapi.json --output-path remit --meta none --fail-on-warning',
      'venv/bin/python main.py',
    ],
  },
  go: {
    tools: ['go version'],
    commands: [
      'go mod init example.com/generated',
      'go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -generate types,client -package main -o client.go openapi.json',
      'go mod tidy',
      'go run .',
    ],
  },
  java: { tools: ['mvn --version'], commands: ['mvn -q -B compile exec:java'] },
};

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !languages[name]);
if (unknown.length > 0) throw new Error(`Choose from ${Object.keys(languages).join(', ')}, not ${unknown}.`);

process.env.POWERTOOLS_LOG_LEVEL ??= 'SILENT';
const folder = await mkdtemp(join(tmpdir(), 'remit-clients-'));
const stack = await startTestStack();
try {
  const { createAccount } = await import('../../shared/domain/accounts/account-store.ts');
  const { keys } = await createAccount({ name: 'Generated clients', plan: 'standard' });
  const environment = { ...process.env, REMIT_URL: stack.baseUrl, REMIT_API_KEY: keys.test };
  for (const [name, language] of Object.entries(languages)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    await checkLanguage(name, language, environment);
    process.stdout.write(`${name}: the generated client creates, lists and fails with typed errors.\n`);
    if (name === 'python' || name === 'go') await checkSamples(name);
  }
} finally {
  await stack.close();
  await run('chmod -R u+w .', folder, process.env); // Go makes its module cache read-only.
  await rm(folder, { recursive: true, force: true });
}
process.exit();

async function checkLanguage(
  name: string,
  language: Language,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const work = join(folder, name);
  await mkdir(work);
  for (const tool of language.tools) {
    await run(`${tool} > /dev/null`, work, environment).catch(() => {
      throw new Error(`\`${tool}\` failed. Install it, or leave ${name} out.`);
    });
  }
  await cp(join(import.meta.dirname, name), work, { recursive: true });
  await writeFile(
    join(work, 'openapi.json'),
    JSON.stringify(servedDocument(openApiDocument(routes, stack.baseUrl))),
  );
  for (const command of language.commands) await run(command, work, environment);
}

/** Runs the samples of the reference page in a new account, in the order of the page. */
async function checkSamples(language: 'python' | 'go'): Promise<void> {
  const { test: api } = await newAccountWithAllPermissions(stack.baseUrl);
  const receiver = await startWebhookReceiver();
  const createDelivery = async () => {
    const body = { url: receiver.urlOf('/new'), events: ['*'] };
    const { json } = await api.post('/api/webhooks', body);
    await api.post('/api/invoices', invoiceBody());
    const path = `/api/webhooks/${json.id}/deliveries`;
    await waitUntil('a delivery', async () => (await api.get(path)).json.data.length > 0);
  };
  const environment = { ...process.env, REMIT_URL: stack.baseUrl, REMIT_API_KEY: api.apiKey };
  const target = { language, folder: join(folder, `${language}-samples`), environment };
  await runSamples({ ...target, receiverUrl: receiver.urlOf(''), createDelivery }, run);
  await receiver.close();
  process.stdout.write(`${language}: every sample of the reference runs.\n`);
}

/** @throws Error if the command fails. Its output is the output of this process. */
function run(command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, { cwd, env, shell: true, stdio: 'inherit' });
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`\`${command}\` failed.`))));
  });
}
