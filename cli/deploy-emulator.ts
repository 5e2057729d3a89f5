/**
 * `npm run deploy:emulator`: bootstraps and deploys the CDK app to the emulator that `AWS_ENDPOINT_URL` names, on this
 * machine only, and prints what the next commands need. Words after `--` go to `cdk synth`, such as `-c dashboard=true`.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot } from '../infra/local/handler.ts';
import { contextWords, endWith, runCdk } from './cdk.ts';
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
  await runCdk(['synth', '--quiet', '--output', app, ...contextWords(context), ...words], environment);
  await runCdk(['bootstrap', '--app', app], environment);
  await runCdk(
    ['deploy', '--app', app, '--all', '--require-approval', 'never', '--outputs-file', outputsFile],
    environment,
  );
  const stacks = JSON.parse(await readFile(outputsFile, 'utf8')) as OutputsFile;
  process.stdout.write(nextCommands(Object.assign({}, ...Object.values(stacks)), environment));
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
TABLE_NAME=${TableName} npx remit accounts create --name "Druk Shop" --plan standard
REMIT_URL=${ApiUrl} REMIT_TABLE=${TableName} npm run test:deployed
`;
}

await endWith(deploy(process.argv.slice(2)));
