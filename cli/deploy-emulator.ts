/**
 * Deploys the CDK app to the AWS emulator at `AWS_ENDPOINT_URL`, and prints the next commands (`deploy:emulator`).
 * - The emulator must run on this machine, so that the command never changes a real AWS account.
 * - Arguments after `--` go to `cdk synth`, for example `-c customerKey=true`.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot } from '../infra/local/handler.ts';
import { contextArguments, exitWithOutcome, runCdk } from './cdk.ts';
import { buildEmulatorEnvironment, readEmulatorEndpoint } from './emulator.ts';

const directory = join(repositoryRoot, '.local', 'emulator');
const outputsFile = join(directory, 'outputs.json');

/** The file that CDK writes: the outputs of each stack, by the name of the stack. */
type OutputsFile = Readonly<Record<string, Readonly<Record<string, string>>>>;

async function deploy(synthArguments: readonly string[]): Promise<void> {
  const endpoint = readEmulatorEndpoint(process.env);
  const environment = buildEmulatorEnvironment(endpoint, process.env);
  const context = {
    emulatorEndpoint: endpoint,
    // During development, webhook endpoints are on the same machine.
    webhookAllowedRanges: '127.0.0.0/8,::1/128',
  };
  const app = join(directory, 'cdk.out');
  await runCdk(
    ['synth', '--quiet', '--output', app, ...contextArguments(context), ...synthArguments],
    environment,
  );
  await runCdk(['bootstrap', '--app', app], environment);
  await runCdk(
    ['deploy', '--app', app, '--all', '--require-approval', 'never', '--outputs-file', outputsFile],
    environment,
  );
  const stacks = JSON.parse(await readFile(outputsFile, 'utf8')) as OutputsFile;
  process.stdout.write(nextCommands(Object.assign({}, ...Object.values(stacks)), environment));
}

/** Returns commands that can be pasted. Shows credentials only if they are the emulator's default ones. */
function nextCommands(
  { ApiUrl, PayUrlBase, TableName, DashboardUrl }: OutputsFile[string],
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
${DashboardUrl ? `Dashboard   ${DashboardUrl}\n` : ''}
export AWS_ENDPOINT_URL=${AWS_ENDPOINT_URL} AWS_REGION=${AWS_REGION}${credentials}
TABLE_NAME=${TableName} npx remit accounts create --name "Druk Shop" --display-name "Druk Shop" --plan standard
REMIT_URL=${ApiUrl} REMIT_TABLE=${TableName}${DashboardUrl ? ` REMIT_DASHBOARD=${DashboardUrl}` : ''} npm run test:deployed
`;
}

await exitWithOutcome(deploy(process.argv.slice(2)));
