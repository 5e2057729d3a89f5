/**
 * Defines the CDK app with three stacks: the stateful stack keeps data, the stateless stack can be recreated at any time,
 * and the dashboard stack has the dashboard. The setting `dashboard` leaves the last one out.
 * Two settings add a stack each: `backupRegion` the copies of the backups in that region, and `canary` the canary.
 * Synthesis needs no AWS account, no region and no network. `settings.ts` lists the settings.
 */
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { applyAccountRules } from './account-rules.ts';
import { BackupStack } from './backup-stack.ts';
import { CanaryStack } from './canary-stack.ts';
import { DashboardStack } from './dashboard-stack.ts';
import { parseSettings, type Settings, SettingsError, type StackKind, stackNameOf } from './settings.ts';
import { StatefulStack } from './stateful-stack.ts';
import { StatelessStack } from './stateless-stack.ts';

const app = new App();
const settings = readSettings();
const stageProps = (stack: StackKind) => ({
  settings,
  stackName: stackNameOf(settings, stack),
  terminationProtection: settings.stage === 'prod',
});

const stateful = new StatefulStack(app, 'RemitStateful', {
  ...stageProps('stateful'),
  description: 'Remit: the table, the deployment secret and the dead-letter queues.',
});

if (settings.backupRegion !== undefined) {
  const backup = new BackupStack(app, 'RemitBackup', {
    ...stageProps('backup'),
    description: 'Remit: the copies of the backups of another region.',
    env: { region: settings.backupRegion },
  });
  // The plan copies to the vault of that stack, and the secret's replica uses its key.
  stateful.addStackDependency(backup);
}

const stateless = new StatelessStack(app, 'RemitStateless', {
  ...stageProps('stateless'),
  description: 'Remit: the API, the functions, the queues and the schedules.',
  stateful,
});

if (settings.dashboard) {
  new DashboardStack(app, 'RemitDashboard', {
    ...stageProps('dashboard'),
    description: 'Remit: the dashboard, in which people sign in.',
    stateful,
    stateless,
  });
}

if (settings.canary) {
  new CanaryStack(app, 'RemitCanary', {
    ...stageProps('canary'),
    terminationProtection: false,
    description: 'Remit: the canary, which uses the API every five minutes.',
    stateful,
  });
}

applyAccountRules(app, settings);

Validations.of(app).addPlugins(new AwsSolutionsChecks(app));

/** Reads the settings. If one is wrong, prints what to fix without a stack trace and exits with code 1. */
function readSettings(): Settings {
  try {
    return parseSettings(app.node.getAllContext());
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
