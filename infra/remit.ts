/**
 * Defines the stacks of a deployment: the stateful stack keeps data, the stateless stack can be recreated at any time, and the dashboard
 * stack has the dashboard. The setting `dashboard` leaves the last one out.
 * Two settings add a stack each: `backupRegion` the copies of the backups in that region, and `canary` the canary.
 * `app.ts` deploys them with the command line, and the package `@remit/cdk` in the CDK app of another team.
 */
import { type Environment, Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { applyAccountRules } from './account-rules.ts';
import { BackupStack } from './backup-stack.ts';
import { CanaryStack } from './canary-stack.ts';
import { DashboardStack } from './dashboard-stack.ts';
import { fixFeatureFlags } from './feature-flags.ts';
import { parseSettings, type SettingsInput, type StackKind, stackNameOf } from './settings.ts';
import { StatefulStack } from './stateful-stack.ts';
import { StatelessStack } from './stateless-stack.ts';

/** The settings of a deployment, and where it runs. */
export interface RemitProps extends SettingsInput {
  /** The AWS account and region. The default is that of the stack or stage around the construct, or that of the credentials. */
  readonly env?: Environment | undefined;
}

/** The stacks by what they are for. The settings decide which exist besides `stateful` and `stateless`. */
export type RemitStacks = Readonly<
  Record<'stateful' | 'stateless', Stack> &
    Partial<Record<Exclude<StackKind, 'stateful' | 'stateless'>, Stack>>
>;

/** A deployment of Remit: two stacks and more. Their names begin with `remit-`, as those of `npm run deploy`. */
export class Remit extends Construct {
  readonly stacks: RemitStacks;

  /** @throws SettingsError if a setting is wrong. The message names the setting and describes a valid value. */
  constructor(scope: Construct, id: string, props: RemitProps) {
    super(scope, id);
    const { env = envAround(scope), ...settings } = props;
    this.stacks = createStacks(this, settings, env);
  }
}

/**
 * Creates the stacks in a scope that contains nothing yet.
 * @param given the settings, also as the whole context of an app
 * @param env undefined: the environment of the scope
 * @throws SettingsError if a setting is wrong. Then there is no stack.
 */
export function createStacks(scope: Construct, given: SettingsInput, env?: Environment): RemitStacks {
  const settings = parseSettings(given);
  fixFeatureFlags(scope);
  const stageProps = (stack: StackKind) => ({
    settings,
    stackName: stackNameOf(settings, stack),
    terminationProtection: settings.stage === 'prod',
    ...(env && { env }),
  });
  const stateful = new StatefulStack(scope, 'RemitStateful', {
    ...stageProps('stateful'),
    description: 'Remit: the table, the deployment secret and the dead-letter queues.',
  });
  const backup =
    settings.backupRegion !== undefined &&
    new BackupStack(scope, 'RemitBackup', {
      ...stageProps('backup'),
      description: 'Remit: the copies of the backups of another region.',
      env: { ...env, region: settings.backupRegion },
    });
  // The plan copies to the vault of that stack, and the secret's replica uses its key.
  if (backup) stateful.addStackDependency(backup);
  const stateless = new StatelessStack(scope, 'RemitStateless', {
    ...stageProps('stateless'),
    description: 'Remit: the API, the functions, the queues and the schedules.',
    stateful,
  });
  const dashboard =
    settings.dashboard &&
    new DashboardStack(scope, 'RemitDashboard', {
      ...stageProps('dashboard'),
      description: 'Remit: the dashboard, in which people sign in.',
      stateful,
      stateless,
    });
  const canary =
    settings.canary &&
    new CanaryStack(scope, 'RemitCanary', {
      ...stageProps('canary'),
      terminationProtection: false,
      description: 'Remit: the canary, which uses the API every five minutes.',
      stateful,
    });
  applyAccountRules(scope, settings);
  return {
    stateful,
    stateless,
    ...(backup && { backup }),
    ...(dashboard && { dashboard }),
    ...(canary && { canary }),
  };
}

/** Returns the environment of the stack that contains the scope. Undefined: there is none, so the CDK takes that of the stage. */
function envAround(scope: Construct): Environment | undefined {
  const stack = scope.node.scopes.find((each) => Stack.isStack(each));
  return stack && { account: stack.account, region: stack.region };
}
