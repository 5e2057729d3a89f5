/**
 * Defines the CDK app of `npm run deploy`, with the stacks of `remit.ts`. `settings.ts` lists the settings, which come from the context.
 * Synthesis needs no AWS account, no region and no network.
 */
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { createStacks } from './remit.ts';
import { SettingsError } from './settings.ts';

const app = new App();
try {
  createStacks(app, app.node.getAllContext());
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  // What to fix, without a stack trace.
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
