/**
 * Which table the operator's commands work on: that of `TABLE_NAME`, or the local stack's. Modules of the service read
 * the environment when they are loaded, so commands load them after `connectTable`.
 */
import { setEnvironment, setLocalCredentials } from '../infra/local/environment.ts';
import { CommandError } from './command.ts';
import { readLocalStack } from './local-stack.ts';

/** For the help of such commands. */
export const tableHelp = `Works on the table itself, without an API key: on the local stack's or, with TABLE_NAME and the usual
AWS variables set, on a deployed one.`;

/** Sets the environment so that the service finds the table and its secret. Throws if there is none. */
export async function connectTable(): Promise<void> {
  process.env.POWERTOOLS_LOG_LEVEL ??= 'WARN';
  const { TABLE_NAME, DEPLOYMENT_SECRET_ARN, DEPLOYMENT_SECRET_FILE } = process.env;
  if (TABLE_NAME) {
    if (DEPLOYMENT_SECRET_ARN || DEPLOYMENT_SECRET_FILE) return;
    const { deploymentSecretOf } = await import('./deployment-secret.ts');
    return setEnvironment({ DEPLOYMENT_SECRET_ARN: await deploymentSecretOf(TABLE_NAME) });
  }
  const stack = await readLocalStack();
  if (!stack)
    throw new CommandError('No stack was found: run npm start first, or set TABLE_NAME for a deployed one.');
  const { tableName, deploymentSecretFile, dynamodbEndpoint, payUrlBase } = stack;
  setLocalCredentials([dynamodbEndpoint]);
  setEnvironment({
    TABLE_NAME: tableName,
    DEPLOYMENT_SECRET_FILE: deploymentSecretFile,
    AWS_ENDPOINT_URL_DYNAMODB: dynamodbEndpoint,
    PAY_URL_BASE: payUrlBase,
  });
}

/** The stores of accounts and keys, on that table. */
export async function accountStores() {
  await connectTable();
  const [accounts, keys] = await Promise.all([
    import('../shared/accounts/store.ts'),
    import('../shared/accounts/key-store.ts'),
  ]);
  return { ...accounts, ...keys };
}
