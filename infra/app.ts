/**
 * The CDK app: what keeps data in one stack, what can be made anew at any time in the other. It needs neither an
 * account nor a region, nor the network, to synthesize. What can be chosen is in `settings.ts`.
 */
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { type Settings, SettingsError, settingsOf } from './settings.ts';
import { StatefulStack } from './stateful-stack.ts';
import { StatelessStack } from './stateless-stack.ts';

const app = new App();
const settings = readSettings();
const ofStage = (name: string) => ({
  settings,
  stackName: `remit-${settings.stage}-${name}`,
  terminationProtection: settings.stage === 'prod',
});

const stateful = new StatefulStack(app, 'RemitStateful', {
  ...ofStage('stateful'),
  description: 'Remit: its table, its secret, and the messages it could not handle.',
});

new StatelessStack(app, 'RemitStateless', {
  ...ofStage('stateless'),
  description: 'Remit: its API, functions, queues and schedule.',
  stateful,
});

Validations.of(app).addPlugins(new AwsSolutionsChecks(app));

/** Whoever deploys is told what to mend, not where the app has noticed it. */
function readSettings(): Settings {
  try {
    return settingsOf(app.node.getAllContext());
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
