/** Prevents a deployment that would replace the table or the secrets of its data by new ones. */
import { outsideTableOutput } from '../infra/outside-table-output.ts';
import { parseSettings, type Settings, stackNameOf } from '../infra/settings.ts';
import { usageError } from './command.ts';
import { selectRegion } from './deployment.ts';
import { readSecretTags } from './find-secrets.ts';
import { listTables } from './list-tables.ts';
import { readDeployedStack } from './stack-outputs.ts';

/** The settings for the secrets of an existing table, with their options. */
const secretSettings = [
  { setting: 'existingSecret', secret: 'deployment', option: '--existing-secret' },
  { setting: 'existingWebhookSecret', secret: 'webhooks', option: '--existing-webhook-secret' },
  { setting: 'existingProviderSecret', secret: 'providers', option: '--existing-provider-secret' },
  { setting: 'existingAuditSecret', secret: 'audit', option: '--existing-audit-secret' },
] as const;

/**
 * Compares the settings with the deployed stack and with the tags of an existing table.
 *
 * - A stack that uses a table from outside must keep a setting that names a table, because CloudFormation would create an
 *   empty table without it.
 * - An existing table needs its own secrets. The functions could not decrypt its data with new ones.
 * - New stacks would create an empty table. A table that deleted stacks of the same deployment left behind has its data.
 *
 * @param allowsNewTable whether new stacks may create a table beside such a one
 * @throws CommandError (usage) if a setting is missing, or names another secret than the table
 */
export async function requireSameTable(
  context: Readonly<Record<string, unknown>>,
  allowsNewTable = false,
): Promise<void> {
  const settings = parseSettings(context);
  selectRegion('Set only one of them.');
  if (settings.existingTable !== undefined) return requireSecretsOf(settings.existingTable, settings);
  if (settings.restoredTableStreamArn !== undefined) return;
  const stackName = stackNameOf(settings, 'stateful');
  const found = await readIfAllowed('cloudformation:DescribeStacks', stackName, async () => ({
    stack: await readDeployedStack(stackName),
  }));
  if (found && !found.stack && !allowsNewTable) await requireNoKeptTable(stackName);
  const used = found?.stack?.outputs[outsideTableOutput];
  if (used === undefined) return;
  throw usageError(
    `${stackName} uses a table from outside, and without a setting that names it, it would use an empty table. Add the settings of the last deployment again: --restored-table-stream-arn, or --existing-table and --existing-secret. The stream is ${used}.`,
  );
}

/** @throws CommandError (usage) if a table is left of deleted stacks with this name */
async function requireNoKeptTable(stackName: string): Promise<void> {
  const kept = await readIfAllowed('dynamodb:ListTables', 'the tables of deleted stacks', () =>
    listTables(`${stackName}-`),
  );
  if (kept === undefined || kept.length === 0) return;
  throw usageError(
    `Deleted stacks left the table ${kept.join(' and ')} behind. New stacks would make an empty table, and every API key of the old one would be invalid. To continue with its data, add --existing-table with its secrets, as docs/operate/maintenance-and-restore.md explains. To begin with an empty table, add --allow-data-loss. The old table stays.`,
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
