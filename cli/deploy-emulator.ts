/**
 * `npm run deploy:emulator`: bootstraps and deploys the CDK app to the emulator that `AWS_ENDPOINT_URL` names, on this
 * machine only, and prints what the next commands need. Words after `--` go to `cdk synth`, such as `-c dashboard=true`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot } from '../infra/local/handler.ts';
import { CommandError } from './command.ts';
import { emulatorEndpoint, emulatorEnvironment } from './emulator.ts';

const directory = join(repositoryRoot, '.local', 'emulator');
const outputsFile = join(directory, 'outputs.json');

/** What CDK writes: the outputs of each stack, under its name. */
type OutputsFile = Readonly<Record<string, Readonly<Record<string, string>>>>;

async function deploy(words: readonly string[]): Promise<void> {
  const endpoint = emulatorEndpoint(process.env);
  const environment = emulatorEnvironment(endpoint, process.env);
  const context = {
    emulatorEndpoint: endpoint,
    // Receivers under development are on the same machine.
    webhookAllowedRanges: '127.0.0.0/8,::1/128',
  };
  const app = join(directory, 'cdk.out');
  const settings = Object.entries(context).flatMap(([name, value]) => ['--context', `${name}=${value}`]);
  await cdk(['synth', '--quiet', '--output', app, ...settings, ...words], environment);
  await cdk(['bootstrap', '--app', app], environment);
  await cdk(
    ['deploy', '--app', app, '--all', '--require-approval', 'never', '--outputs-file', outputsFile],
    environment,
  );
  const stacks = JSON.parse(await readFile(outputsFile, 'utf8')) as OutputsFile;
  process.stdout.write(nextCommands(Object.assign({}, ...Object.values(stacks)), environment));
}

/** Runs the CDK command line. Throws if it fails; it has said why by then. */
async function cdk(words: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const program = join(repositoryRoot, 'node_modules', '.bin', 'cdk');
  const child = spawn(program, words, { cwd: repositoryRoot, env, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new CommandError(`cdk ${words[0]} has failed.`);
}

/** Ready to be pasted. Credentials are shown only where they are worth nothing. */
function nextCommands(
  { ApiUrl, PayUrlBase, TableName }: OutputsFile[string],
  {
    AWS_ENDPOINT_URL,
    AWS_REGION,
    AWS_ACCESS_KEY_ID,
    AWS_SECRET_ACCESS_KEY,
  }: Record<string, string | undefined>,
): string {
  const credentials =
    process.env.AWS_SECRET_ACCESS_KEY === AWS_SECRET_ACCESS_KEY
      ? ''
      : ` AWS_ACCESS_KEY_ID=${AWS_ACCESS_KEY_ID} AWS_SECRET_ACCESS_KEY=${AWS_SECRET_ACCESS_KEY}`;
  return `
ApiUrl      ${ApiUrl}
PayUrlBase  ${PayUrlBase}
TableName   ${TableName}

export AWS_ENDPOINT_URL=${AWS_ENDPOINT_URL} AWS_REGION=${AWS_REGION}${credentials}
TABLE_NAME=${TableName} npm run accounts -- create --name "Druk Shop" --plan standard
REMIT_URL=${ApiUrl} REMIT_TABLE=${TableName} npm run test:deployed
`;
}

try {
  await deploy(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = error instanceof CommandError ? error.exitCode : 1;
}
