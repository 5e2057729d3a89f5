/** Prevents a deployment that would replace the table or the secrets of its data by new ones. */
import { outsideTableOutput } from '../infra/outside-table-output.ts';
import { parseSettings, type Settings, stackNameOf } from '../infra/settings.ts';
import { usageError } from './command.ts';
import { selectRegion } from './deployment.ts';
import { readSecretTags } from './find-secrets.ts';
import { readDeployedStack } from './stack-outputs.ts';

/** The settings for the secrets of an existing table, with their options. */
const secretSettings = [
  { setting: 'existingSecret', secret: 'deployment', option: '--existing-secret' },
  { setting: 'existingWebhookSecret', secret: 'webhooks', option: '--existing-webhook-secret' },
  { setting: 'existingProviderSecret', secret: 'providers', option: '--existing-provider-secret' },
] as const;

/**
 * Compares the settings with the deployed stack and with the tags of an existing table.
 *
 * - A stack that uses a table from outside must keep a setting that names a table, because CloudFormation would create an
 *   empty table without it.
 * - An existing table needs its own secrets. The functions could not decrypt its data with new ones.
 *
 * @throws CommandError (usage) if a setting is missing, or names another secret than the table
 */
export async function requireSameTable(context: Readonly<Record<string, unknown>>): Promise<void> {
  const settings = parseSettings(context);
  selectRegion('Set only one of them.');
  if (settings.existingTable !== undefined) return requireSecretsOf(settings.existingTable, settings);
  if (settings.restoredTableStreamArn !== undefined) return;
  const stackName = stackNameOf(settings, 'stateful');
  const stack = await readIfAllowed('cloudformation:DescribeStacks', stackName, () =>
    readDeployedStack(stackName),
  );
  const used = stack?.outputs[outsideTableOutput];
  if (used === undefined) return;
  throw usageError(
    `${stackName} uses a table from outside, and without a setting that names it, it would use an empty table. Add the settings of the last deployment again: --restored-table-stream-arn, or --existing-table and --existing-secret. The stream is ${used}.`,
  );
}

async function requireSecretsOf(streamArn: string, settings: Settings): Promise<void> {
  const tableArn = streamArn.replace(/\/stream\/.*$/, '');
  const tagged = await readIfAllowed('dynamodb:ListTagsOfResource', tableArn, () => readSecretTags(tableArn));
  for (const { setting, secret, option } of secretSettings) {
    const [needed, given] = [tagged?.[secret], settings[setting]];
    if (needed === undefined || needed === given) continue;
    throw usageError(
      `The data of ${tableArn} needs the secret that its tags name, and could not be read with another one. Use ${option} ${needed}.`,
    );
  }
}

/** Reads what the settings are compared with. Some deployers may not: then there is only a warning. */
async function readIfAllowed<T>(call: string, what: string, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!/^AccessDenied/.test((error as Error).name)) throw error;
    process.stderr.write(
      `Warning: the credentials may not call ${call}, so the settings were not compared with ${what}.\n`,
    );
    return undefined;
  }
}
