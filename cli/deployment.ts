/**
 * Selects the deployment of the options `--stage`, `--installation` and `--region`, and finds its table and its secrets
 * in the outputs of its stateful stack.
 */
import { setEnvironment } from '../infra/local/environment.ts';
import { installationPattern, stackNameOf, stages } from '../infra/settings.ts';
import { CommandError, type OptionSpec, type ParsedOptions, parseChoice, usageError } from './command.ts';
import type { SecretArns } from './find-secrets.ts';
import { readSettingsSection, selectRegionOf } from './settings-file.ts';

/** The options that select a deployment. */
export const deploymentOptions: Readonly<Record<string, OptionSpec>> = {
  stage: { value: 'STAGE', about: `Use the table of this deployment: ${stages.join(', ')}.` },
  installation: {
    value: 'NAME',
    about: 'The --name of the deployment, if it was deployed with one. Requires --stage.',
  },
  region: {
    value: 'REGION',
    about: 'AWS region of the deployment. Default: that of remit.config.ts, or AWS_REGION. Requires --stage.',
  },
};

export interface Deployment {
  readonly stage: (typeof stages)[number];
  readonly name: string | undefined;
}

/**
 * Reads the options, and sets the region: that of `--region`, of the settings file or of the environment.
 * @returns undefined if the options select no deployment
 * @throws CommandError (usage) if an option or the settings file is wrong, if the environment selects another table, or if there are two
 *   regions
 */
export async function readDeploymentOptions(options: ParsedOptions): Promise<Deployment | undefined> {
  const stage = options.optional('stage');
  const name = options.optional('installation');
  const region = options.optional('region');
  if (stage === undefined) {
    if (name === undefined && region === undefined) return undefined;
    throw usageError('--installation and --region need --stage.');
  }
  const deployment = { stage: parseChoice('stage', stage, stages), name };
  if (name !== undefined && !installationPattern.test(name))
    throw usageError(
      '--installation must be the --name of a deployment: lower-case letters, digits, hyphens.',
    );
  if (process.env.TABLE_NAME !== undefined)
    throw usageError('--stage and TABLE_NAME both select a table. Remove --stage, or unset TABLE_NAME.');
  if (region !== undefined) {
    setEnvironment({ AWS_REGION: region });
    return deployment;
  }
  const section = await readSettingsSection(deployment);
  if (section) selectRegionOf(section);
  selectRegion('Add --region with the region of the deployment.');
  return deployment;
}

/**
 * Sets the region for the AWS SDK, which ignores `AWS_DEFAULT_REGION`.
 * @param remedy what to do if the environment has two regions
 * @throws CommandError (usage) if `AWS_REGION` and `AWS_DEFAULT_REGION` differ
 */
export function selectRegion(remedy: string): void {
  const { AWS_REGION, AWS_DEFAULT_REGION } = process.env;
  if (AWS_REGION && AWS_DEFAULT_REGION && AWS_REGION !== AWS_DEFAULT_REGION)
    throw usageError(
      `AWS_REGION is ${AWS_REGION}, but AWS_DEFAULT_REGION is ${AWS_DEFAULT_REGION}. ${remedy}`,
    );
  if (!AWS_REGION && AWS_DEFAULT_REGION) setEnvironment({ AWS_REGION: AWS_DEFAULT_REGION });
}

/**
 * Returns the names of the deployment's table and bucket, and the ARNs of its secrets.
 * @param location the region, for the error, for example `in eu-west-1`
 * @throws CommandError if the stack does not exist there or has no such outputs
 */
export async function findDeployedTable(
  deployment: Deployment,
  location: string,
): Promise<{ tableName: string; bucketName: string; secretArns: SecretArns }> {
  const { readDeployedStack } = await import('./stack-outputs.ts');
  const stackName = stackNameOf(deployment, 'stateful');
  const stack = await readDeployedStack(stackName);
  if (!stack)
    throw new CommandError(
      `There is no stack ${stackName} ${location}. Check --stage, --installation and --region, and that AWS_PROFILE selects the right AWS account.`,
    );
  const {
    TableName: tableName,
    BucketName: bucketName = '',
    DeploymentSecretArn: deploymentArn,
    WebhookSecretArn: webhooks,
    KeySecretArn: keys,
    ProviderSecretArn: providers,
    AuditSecretArn: audit,
    SigningSecretArn: signing,
  } = stack.outputs;
  if (tableName && deploymentArn && webhooks && keys && providers && audit && signing)
    return {
      tableName,
      bucketName,
      secretArns: { deployment: deploymentArn, webhooks, keys, providers, audit, signing },
    };
  throw new CommandError(
    `The stack ${stackName} ${location} does not have the outputs of the table and its secrets. Its status is ${stack.status}. Wait for its deployment to end, or deploy again.`,
  );
}
