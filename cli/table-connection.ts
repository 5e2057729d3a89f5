/**
 * Selects the table for the operator's commands: the table of `--stage`, or else the table of `TABLE_NAME`, or else the
 * table of the local stack.
 * - An empty `TABLE_NAME` is an error. It is usually the result of a command that failed, as in `TABLE_NAME=$(aws …)`,
 *   and the operator means a deployed table.
 * - `STAGE` alone is an error for the same reason.
 * - Commands load the service's modules after `connectTable`, because modules read the environment when they load.
 */
import { doubleVariables } from '../infra/local/double-urls.ts';
import { setEnvironment, setLocalCredentials } from '../infra/local/environment.ts';
import { secretFileNames, secretFileVariables } from '../infra/local/secret-files.ts';
import { type CliCommand, CommandError } from './command.ts';
import {
  type Deployment,
  deploymentOptions,
  findDeployedTable,
  readDeploymentOptions,
} from './deployment.ts';
import { escapeToOneLine } from './escape-control-characters.ts';
import { readLocalStack } from './local-stack.ts';
import { endProgress } from './terminal.ts';

/** The part of the help that all commands of the table share. */
export const tableHelp = `These commands access the table directly and need no API key. They use the table of the local stack.
To use the table of a deployment, add --stage and set the usual AWS variables. To use another table, such as a restored
one, set TABLE_NAME. Each command names its table on standard error.`;

let selected: Deployment | undefined;
let connected: Promise<void> | undefined;

/** Adds the options that select a deployment to commands that use the table. */
export function withDeploymentOptions<Name extends string>(
  commands: Readonly<Record<Name, CliCommand>>,
): Readonly<Record<Name, CliCommand>> {
  const entries = Object.entries<CliCommand>(commands).map(([name, command]) => [
    name,
    {
      ...command,
      options: { ...command.options, ...deploymentOptions },
      run: async (options) => {
        selected = await readDeploymentOptions(options);
        return command.run(options);
      },
    } satisfies CliCommand,
  ]);
  return Object.fromEntries(entries);
}

/**
 * Sets the environment variables with which the service finds the table and its secret. Writes the name of the table on
 * standard error. Only the first call has an effect.
 * @throws CommandError if `TABLE_NAME` is empty, if the deployment does not exist, or if no table is selected and no local
 *   stack exists
 */
export function connectTable(): Promise<void> {
  connected ??= connect();
  return connected;
}

async function connect(): Promise<void> {
  process.env.POWERTOOLS_LOG_LEVEL ??= 'WARN';
  const { TABLE_NAME, STAGE } = process.env;
  if (selected) return connectDeployment(selected);
  if (TABLE_NAME !== undefined) return connectNamedTable(TABLE_NAME);
  if (STAGE)
    throw new CommandError(
      `STAGE is ${STAGE}, but no table is selected. Nothing was done. Add --stage, or unset STAGE to use the local stack.`,
      2,
    );
  return connectLocalTable();
}

async function connectDeployment(deployment: Deployment): Promise<void> {
  const { findTableLocation } = await import('./table-location.ts');
  const location = await findTableLocation();
  const { tableName, bucketName, secretArns } = await findDeployedTable(deployment, location);
  const { stage, name } = deployment;
  reportTable(tableName, location, `stage ${stage}${name === undefined ? '' : ` of ${name}`}`);
  for (const name of secretFileNames) delete process.env[name];
  const { secretArnVariables } = await import('./find-secrets.ts');
  setEnvironment({ TABLE_NAME: tableName, BUCKET_NAME: bucketName, ...secretArnVariables(secretArns) });
}

async function connectNamedTable(tableName: string): Promise<void> {
  if (tableName.trim() === '')
    throw new CommandError(
      'TABLE_NAME is set, but it is empty. Nothing was done. Check the command that sets TABLE_NAME, or unset it to use the local stack.',
      2,
    );
  const { findTableLocation } = await import('./table-location.ts');
  const { STAGE } = process.env;
  reportTable(tableName, await findTableLocation(), STAGE && `STAGE=${STAGE}`);
  if (process.env.DEPLOYMENT_SECRET_FILE) return;
  const { findBucketName, findSecretArns, secretArnVariables } = await import('./find-secrets.ts');
  setEnvironment(secretArnVariables(await findSecretArns(tableName)));
  const bucketName = process.env.BUCKET_NAME || (await findBucketName(tableName));
  if (bucketName) setEnvironment({ BUCKET_NAME: bucketName });
}

async function connectLocalTable(): Promise<void> {
  const stack = await readLocalStack();
  if (!stack)
    throw new CommandError('No local stack was found. Run npm start, or add --stage to use a deployment.');
  const { tableName, deploymentSecretFile, dynamodbEndpoint, payUrlBase, providerDoubles } = stack;
  const { s3Endpoint, bucketName } = stack;
  reportTable(tableName, 'of the local stack');
  setLocalCredentials([dynamodbEndpoint]);
  setEnvironment({
    TABLE_NAME: tableName,
    ...secretFileVariables(deploymentSecretFile),
    AWS_ENDPOINT_URL_DYNAMODB: dynamodbEndpoint,
    ...(s3Endpoint && { AWS_ENDPOINT_URL_S3: s3Endpoint, BUCKET_NAME: bucketName }),
    PAY_URL_BASE: payUrlBase,
    ...(providerDoubles && doubleVariables(providerDoubles)),
  });
}

/**
 * Writes which table the command uses. The line goes to standard error, because results can be piped.
 * @param location for example `in eu-west-1`
 * @param deployment for example `stage prod`
 */
function reportTable(tableName: string, location: string, deployment?: string): void {
  const line = `Table ${tableName} ${location}${deployment ? ` (${deployment})` : ''}.`;
  endProgress();
  process.stderr.write(`${escapeToOneLine(line)}\n`);
}

/** Connects the table, and loads the stores of accounts, their settings and API keys. */
export async function loadAccountStores() {
  await connectTable();
  const [accounts, settings, ...keys] = await Promise.all([
    import('../shared/domain/accounts/account-store.ts'),
    import('../shared/domain/accounts/settings-store.ts'),
    import('../shared/domain/accounts/key-store.ts'),
    import('../shared/domain/accounts/key-roll-over.ts'),
    import('../shared/domain/accounts/key-update.ts'),
  ]);
  return { ...accounts, ...settings, ...keys[0], ...keys[1], ...keys[2] };
}
