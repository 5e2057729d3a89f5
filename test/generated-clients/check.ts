/**
 * Builds the own clients in other languages. Generates clients from the OpenAPI document with the tools that people use. Compiles
 * them all, and runs them against a local stack. It also runs the samples of the reference in Python and Go. It downloads the generators (Maven Central, PyPI, Go
 * modules, npm) and needs the languages, so it is part of no other check. Run it before a release.
 *
 * - Each client creates and lists invoices, reads events, meets what a later release adds, and gets a typed error.
 * - A client whose tools are missing is skipped, and the end names it with the missing tool.
 *
 * Usage: `npm run check:clients`, or `npm run check:clients -- go rust` for the clients with these words in their names.
 */
import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openApiDocument } from '../../shared/api/openapi/document.ts';
import { servedDocument } from '../../shared/api/openapi/served-document.ts';
import { routes } from '../../shared/api/routes.ts';
import { newestApiVersion } from '../../shared/domain/versions/versions.ts';
import { startFlakyProxy } from '../client/flaky-proxy.ts';
import { newAccountWithAllPermissions } from '../contract/examples.ts';
import { prepareSample } from '../contract/sample-needs.ts';
import startSharedServers from '../support/global-setup.ts';
import type { GlobalHandle } from '../support/shared-servers.ts';
import { startTestStack } from '../support/stack.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import { startLaterRelease } from './later-release.ts';
import { readmeProgram } from './readme-program.ts';
import { runSamples } from './samples.ts';
import { type Target, targets } from './targets.ts';
import { webhookVectors } from './webhook-vectors.ts';

const chosen = process.argv.slice(2);
const isChosen = ({ name }: Target) =>
  chosen.length === 0 || chosen.some((word) => name.split(' ').includes(word));
const asked = targets.filter(isChosen);
if (asked.length === 0) throw new Error(`Choose from ${targets.map(({ name }) => name).join(', ')}.`);

const repository = resolve(import.meta.dirname, '..', '..');
const folder = await mkdtemp(join(tmpdir(), 'remit-clients-'));
await startSharedServers({ maxWorkers: 1 });
const stack = await startTestStack();
const later = await startLaterRelease(stack.baseUrl);
const failed: string[] = [];
const skipped: string[] = [];
try {
  for (const target of asked) {
    const missing = await missingTool(target);
    if (missing !== undefined) {
      skipped.push(`${target.name}, because \`${missing}\` failed`);
      continue;
    }
    try {
      await checkTarget(target);
      const what = target.program ? 'generated, compiled and used' : 'generated and compiled';
      process.stdout.write(`✓ ${target.name}: ${what}.\n`);
      if (target.name === 'openapi-python-client') await checkSamples('python');
      if (target.name === 'oapi-codegen') await checkSamples('go');
    } catch (error) {
      process.stdout.write(`✗ ${target.name}: ${(error as Error).message}\n`);
      failed.push(target.name);
    }
  }
} finally {
  later.close();
  await stack.close();
  await (globalThis as GlobalHandle).closeSharedServers?.();
  await run('chmod -R u+w .', folder, process.env); // Go makes its module cache read-only.
  await rm(folder, { recursive: true, force: true });
}
for (const each of skipped) process.stdout.write(`Skipped: ${each}. Install it to check this client.\n`);
process.stdout.write(
  `${asked.length - failed.length - skipped.length} clients work, ${failed.length} fail, ${skipped.length} were skipped.\n`,
);
process.exit(failed.length > 0 ? 1 : 0);

/** Returns the version command that fails. Undefined if all tools are there. */
async function missingTool({ tools }: Target): Promise<string | undefined> {
  for (const tool of tools) {
    const works = await run(`${tool} > /dev/null 2>&1`, folder, process.env).then(
      () => true,
      () => false,
    );
    if (!works) return tool;
  }
  return undefined;
}

/** Checks a client in a new account, whose keys have the newest version, which the document describes. */
async function checkTarget({ name, program, faults, commands }: Target): Promise<void> {
  const work = join(folder, name.replaceAll(' ', '-'));
  const jars = join(folder, 'jars');
  await Promise.all([mkdir(work), mkdir(jars, { recursive: true })]);
  if (program) await cp(join(import.meta.dirname, program), work, { recursive: true });
  const document = servedDocument(openApiDocument(routes, stack.baseUrl));
  await writeFile(join(work, 'openapi.json'), JSON.stringify(document));
  const { createAccount } = await import('../../shared/domain/accounts/account-store.ts');
  const { accountId, keys } = await createAccount({ name, plan: 'standard', apiVersion: newestApiVersion });
  const proxy = await startFlakyProxy(stack.baseUrl);
  if (faults) await prepareOwnClient(name, work, accountId);
  proxy.setFaults(...(faults ?? []));
  const environment = {
    ...process.env,
    JARS: jars,
    REPOSITORY: repository,
    MODULES: join(repository, 'node_modules'),
    REMIT_URL: stack.baseUrl,
    REMIT_LATER_URL: later.url,
    REMIT_FLAKY_URL: proxy.baseUrl,
    REMIT_API_KEY: keys.test,
    WEBHOOK_VECTORS: join(work, 'webhooks.json'),
  };
  try {
    for (const command of commands) await run(command, work, environment);
  } finally {
    await proxy.close();
  }
}

/**
 * Writes signed messages for the tests of an own client, and the examples of its README with what they print. Invoices of the
 * account get documents.
 */
async function prepareOwnClient(name: string, work: string, accountId: string): Promise<void> {
  const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
  await changeSeller(accountId, { legalName: 'Druk Crafts', address: { country: 'BT' } });
  const { file, text, printed } = await readmeProgram(name);
  await writeFile(join(work, file), text);
  await writeFile(join(work, 'expected.txt'), printed);
  await writeFile(join(work, 'webhooks.json'), JSON.stringify(await webhookVectors()));
}

/** Runs the samples of the reference page in a new account, in the order of the page. */
async function checkSamples(language: 'python' | 'go'): Promise<void> {
  const { test: api, accountId } = await newAccountWithAllPermissions(stack.baseUrl);
  const receiver = await startWebhookReceiver();
  const environment = { ...process.env, REMIT_URL: stack.baseUrl, REMIT_API_KEY: api.apiKey };
  const prepare = async (operationId: string) => {
    // The samples above it change invoices while the clock is ahead, so this one needs another account.
    if (operationId === 'resetTestClock')
      environment.REMIT_API_KEY = (await newAccountWithAllPermissions(stack.baseUrl)).test.apiKey;
    await prepareSample(operationId, { accountId, api, stack, receiver });
  };
  const target = { language, folder: join(folder, `${language}-samples`), environment };
  await runSamples({ ...target, receiverUrl: receiver.urlOf(''), prepare }, run);
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
