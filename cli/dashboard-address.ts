/** Finds the dashboard that belongs to the selected table: its base URL, and the user pool that its stack created. */
import { stackNameOf } from '../infra/settings.ts';
import { CommandError, type OptionSpec, type ParsedOptions, usageError } from './command.ts';
import { readDeploymentOptions } from './deployment.ts';
import { readLocalStack } from './local-stack.ts';

/** The option that names the dashboard. */
export const dashboardUrlOption: OptionSpec = {
  value: 'URL',
  about: 'Base URL of the dashboard. Required with TABLE_NAME. Default: the dashboard of the deployment.',
};

export interface DashboardAddress {
  /** Without a trailing slash. */
  readonly url: string;
  /** Undefined if users sign in at another issuer. */
  readonly userPoolId: string | undefined;
}

/**
 * Returns the dashboard of `--dashboard-url`, of the selected deployment or of the local stack. Call it before
 * `connectTable`, which changes the environment.
 * @throws CommandError if the dashboard is not known
 */
export async function findDashboard(options: ParsedOptions): Promise<DashboardAddress> {
  const given = options.optional('dashboard-url');
  const deployment = await readDeploymentOptions(options);
  if (given !== undefined && !/^https?:\/\/[^\s?#]+$/.test(given))
    throw usageError('--dashboard-url must be a URL, for example https://dashboard.example.com.');
  const url = given?.replace(/\/+$/, '');
  if (!deployment) return { url: url ?? (await findLocalUrl()), userPoolId: undefined };
  const { readDeployedStack } = await import('./stack-outputs.ts');
  const stackName = stackNameOf(deployment, 'dashboard');
  const stack = await readDeployedStack(stackName);
  const { DashboardUrl, UserPoolId: userPoolId } = stack?.outputs ?? {};
  const found = url ?? DashboardUrl?.replace(/\/+$/, '');
  if (found === undefined)
    throw new CommandError(
      `There is no stack ${stackName} with the output DashboardUrl. Deploy the dashboard, or add --dashboard-url.`,
    );
  return { url: found, userPoolId };
}

async function findLocalUrl(): Promise<string> {
  if (process.env.TABLE_NAME !== undefined)
    throw usageError('TABLE_NAME selects a table, but not its dashboard. Add --dashboard-url.');
  const { dashboardUrl } = (await readLocalStack()) ?? {};
  if (!dashboardUrl)
    throw new CommandError('The local stack has no dashboard yet. Start it again with npm start.');
  return dashboardUrl;
}
