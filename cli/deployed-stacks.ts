/**
 * Compares the settings of a deployment with the stacks that exist, and warns of differences that nobody may have meant.
 * Some deployers may not read stacks. Without the permission there is no warning.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSettings, type Settings, type StackKind, stackNameOf } from '../infra/settings.ts';
import { type DeployedStack, readDeployedStack } from './stack-outputs.ts';

/** Writes the warnings on standard error. */
export async function warnOfDeployedStacks(context: Readonly<Record<string, unknown>>): Promise<void> {
  const settings = parseSettings(context);
  const [canary, dashboard] = await Promise.all([find(settings, 'canary'), find(settings, 'dashboard')]);
  const warnings: string[] = [];
  // A deployment does not delete a stack that its settings no longer name.
  if (canary && !settings.canary)
    warnings.push(
      `without --canary, its alarms are removed, but the stack ${canary.name} still runs. Add --canary, or delete the stack: aws cloudformation delete-stack --stack-name ${canary.name}`,
    );
  if (dashboard && !settings.dashboard)
    warnings.push(
      `with --no-dashboard, its alarms are removed, but the stack ${dashboard.name} still runs. Leave out --no-dashboard, or delete the stack, as docs/operate/dashboard.md explains.`,
    );
  if (dashboard && settings.dashboard && changesIssuer(dashboard, settings))
    warnings.push(
      `users of the dashboard sign in at ${dashboard.outputs.OidcIssuer} so far. At another issuer they are other users, and no longer members of their accounts. Invite them again with npx remit users invite.`,
    );
  for (const warning of warnings) process.stderr.write(`Warning: ${warning}\n`);
}

/**
 * Returns the settings with the hosts that AWS has chosen for the dashboard and the canary. Webhooks may not go there. An emulator
 * has one host for everything.
 */
export async function findOwnHosts(
  context: Readonly<Record<string, unknown>>,
): Promise<Partial<Record<'dashboardHost' | 'canaryHost', string>>> {
  const settings = parseSettings(context);
  if (settings.emulatorEndpoint !== undefined) return {};
  const [dashboard, canary] = await Promise.all([find(settings, 'dashboard'), find(settings, 'canary')]);
  const { DashboardUrl } = dashboard?.outputs ?? {};
  const { ReceiverUrl } = canary?.outputs ?? {};
  return {
    ...(DashboardUrl && { dashboardHost: new URL(DashboardUrl).host }),
    ...(ReceiverUrl && { canaryHost: new URL(ReceiverUrl).host }),
  };
}

/**
 * Returns the ids of the app's stacks that are deployed. If the credentials may not read a stack, it counts as deployed.
 * @param app the folder of the synthesized app
 */
export async function findExistingStacks(app: string): Promise<string[]> {
  const { artifacts } = JSON.parse(await readFile(join(app, 'manifest.json'), 'utf8')) as Manifest;
  const stacks = Object.entries(artifacts).filter(([, { type }]) => type === 'aws:cloudformation:stack');
  const found = stacks.map(async ([id, { environment = '', properties: { stackName = '' } = {} }]) => {
    const region = environment.split('/').at(-1);
    return (await isDeployed(stackName, region === 'unknown-region' ? undefined : region)) ? [id] : [];
  });
  return (await Promise.all(found)).flat();
}

/**
 * Returns the arguments of `cdk deploy` that select stacks, one list for each call. An earlier release may use fewer queues, and
 * CloudFormation cannot delete a queue, or the export of one, that a stack above it still uses. So the way back begins with the upper
 * stacks: the dashboard, then the functions.
 * @param existing the ids of the app's stacks that are deployed
 * @param goBack whether an earlier release replaces a later one
 */
export function deploymentSteps(existing: readonly string[], goBack: boolean): string[][] {
  const upper = ['RemitDashboard', 'RemitStateless'].filter((id) => goBack && existing.includes(id));
  return [...upper.map((id) => [id, '--exclusively']), ['--all']];
}

/** What CDK writes about the stacks. The environment is `aws://<account>/<region>`. */
interface Manifest {
  readonly artifacts: Readonly<
    Record<string, { type: string; environment?: string; properties?: { stackName?: string } }>
  >;
}

async function isDeployed(stackName: string, region: string | undefined): Promise<boolean> {
  try {
    return (await readDeployedStack(stackName, region)) !== undefined;
  } catch (error) {
    if (/^AccessDenied/.test((error as Error).name)) return true;
    throw error;
  }
}

interface FoundStack extends DeployedStack {
  readonly name: string;
}

async function find(settings: Settings, kind: StackKind): Promise<FoundStack | undefined> {
  const name = stackNameOf(settings, kind);
  try {
    const stack = await readDeployedStack(name);
    return stack && { name, ...stack };
  } catch (error) {
    if (/^AccessDenied/.test((error as Error).name)) return undefined;
    throw error;
  }
}

function changesIssuer({ outputs }: FoundStack, { oidcIssuer }: Settings): boolean {
  const { OidcIssuer, UserPoolId } = outputs;
  if (oidcIssuer === undefined) return OidcIssuer !== undefined && UserPoolId === undefined;
  return OidcIssuer !== undefined && OidcIssuer !== oidcIssuer;
}
