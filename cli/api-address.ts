/** Finds the URL of the API that belongs to the selected table. */
import { stackNameOf } from '../infra/settings.ts';
import { CommandError, type ParsedOptions } from './command.ts';
import { readDeploymentOptions } from './deployment.ts';
import { readLocalStack } from './local-stack.ts';

/**
 * Returns the URL of the API of the selected deployment or of the local stack, without a trailing slash. Call it before
 * `connectTable`, which changes the environment.
 * @throws CommandError if the address is not known
 */
export async function findApiUrl(options: ParsedOptions): Promise<string> {
  const deployment = await readDeploymentOptions(options);
  if (!deployment) return (await findLocalUrl()).replace(/\/+$/, '');
  const { readDeployedStack } = await import('./stack-outputs.ts');
  const stackName = stackNameOf(deployment, 'stateless');
  const { ApiUrl } = (await readDeployedStack(stackName))?.outputs ?? {};
  if (ApiUrl) return ApiUrl.replace(/\/+$/, '');
  throw new CommandError(`There is no stack ${stackName} with the output ApiUrl. Check --stage.`);
}

/** A table without its deployment has no known API, so the address remains to be completed. */
async function findLocalUrl(): Promise<string> {
  if (process.env.TABLE_NAME !== undefined) return 'https://<the address of your API>';
  const { baseUrl } = (await readLocalStack()) ?? {};
  if (baseUrl) return baseUrl;
  throw new CommandError('No local stack was found. Run npm start, or add --stage to use a deployment.');
}
