/**
 * Selects the table for the operator's commands: the table of `TABLE_NAME`, or else the table of the local stack.
 * - An empty `TABLE_NAME` is an error. It is usually the result of a command that failed, as in `TABLE_NAME=$(aws …)`,
 *   and the operator means a deployed table.
 * - Commands load the service's modules after `connectTable`, because modules read the environment when they load.
 */
import { setEnvironment, setLocalCredentials } from '../infra/local/environment.ts';
import { CommandError } from './command.ts';
import { escapeToOneLine } from './escape-control-characters.ts';
import { readLocalStack } from './local-stack.ts';
import { endProgress } from './terminal.ts';

/** The part of the help that all commands of the table share. */
export const tableHelp = `These commands access the table directly and need no API key. They use the table of the local stack.
To use a deployed table, set TABLE_NAME and the usual AWS variables. Each command names its table on standard error.`;

let connected: Promise<void> | undefined;

/**
 * Sets the environment variables with which the service finds the table and its secret. Writes the name of the table on
 * standard error. Only the first call has an effect.
 * @throws CommandError if `TABLE_NAME` is empty, or if neither a table is named nor a local stack exists
 */
export function connectTable(): Promise<void> {
  connected ??= connect();
  return connected;
}

async function connect(): Promise<void> {
  process.env.POWERTOOLS_LOG_LEVEL ??= 'WARN';
  const { TABLE_NAME } = process.env;
  return TABLE_NAME === undefined ? connectLocalTable() : connectNamedTable(TABLE_NAME);
}

async function connectNamedTable(tableName: string): Promise<void> {
  if (tableName.trim() === '')
    throw new CommandError(
      'TABLE_NAME is set, but it is empty. Nothing was done. Check the command that sets TABLE_NAME, or unset it to use the local stack.',
      2,
    );
  const { findTableLocation } = await import('./table-location.ts');
  reportTable(tableName, await findTableLocation());
  const { DEPLOYMENT_SECRET_ARN, DEPLOYMENT_SECRET_FILE } = process.env;
  if (DEPLOYMENT_SECRET_ARN || DEPLOYMENT_SECRET_FILE) return;
  const { findDeploymentSecretArn } = await import('./deployment-secret.ts');
  setEnvironment({ DEPLOYMENT_SECRET_ARN: await findDeploymentSecretArn(tableName) });
}

async function connectLocalTable(): Promise<void> {
  const stack = await readLocalStack();
  if (!stack)
    throw new CommandError(
      'No local stack was found. Run npm start, or set TABLE_NAME to use a deployed table.',
    );
  const { tableName, deploymentSecretFile, dynamodbEndpoint, payUrlBase } = stack;
  reportTable(tableName, 'of the local stack');
  setLocalCredentials([dynamodbEndpoint]);
  setEnvironment({
    TABLE_NAME: tableName,
    DEPLOYMENT_SECRET_FILE: deploymentSecretFile,
    AWS_ENDPOINT_URL_DYNAMODB: dynamodbEndpoint,
    PAY_URL_BASE: payUrlBase,
  });
}

/**
 * Writes which table the command uses. The line goes to standard error, because results can be piped.
 * @param location for example `in eu-west-1`
 */
function reportTable(tableName: string, location: string): void {
  const { STAGE } = process.env;
  const line = `Table ${tableName} ${location}${STAGE ? ` (STAGE=${STAGE})` : ''}.`;
  endProgress();
  process.stderr.write(`${escapeToOneLine(line)}\n`);
}

/** Connects the table, and loads the stores of accounts and API keys. */
export async function loadAccountStores() {
  await connectTable();
  const [accounts, keys] = await Promise.all([
    import('../shared/accounts/store.ts'),
    import('../shared/accounts/key-store.ts'),
  ]);
  return { ...accounts, ...keys };
}
