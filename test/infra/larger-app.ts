/**
 * The CDK app with 60 more routes than the route table, for the test of the room in the stacks. Like `infra/app.ts` it
 * reads the settings from the context.
 */
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { fixFeatureFlags } from '../../infra/feature-flags.ts';
import { parseSettings, stackNameOf } from '../../infra/settings.ts';
import { StatefulStack } from '../../infra/stateful-stack.ts';
import { StatelessStack } from '../../infra/stateless-stack.ts';
import { getInvoice, routes, updateInvoice } from '../../shared/api/routes.ts';

/** Six resources with ten routes each. Every second route has a path of its own, as routes have on average. */
const more = Array.from({ length: 60 }, (_, index) => {
  const path = `/api/resource-${index % 6}/{id}/part-${Math.floor(index / 12)}`;
  const { method, handler } = index % 12 < 6 ? getInvoice : updateInvoice;
  return [`moreRoute${index}`, { method, path, handler, status: 200 }] as const;
});

const app = new App();
fixFeatureFlags(app);
const settings = parseSettings(app.node.getAllContext());
const stateful = new StatefulStack(app, 'RemitStateful', {
  settings,
  stackName: stackNameOf(settings, 'stateful'),
});
new StatelessStack(app, 'RemitStateless', {
  settings,
  stackName: stackNameOf(settings, 'stateless'),
  stateful,
  routeTable: { ...routes, ...Object.fromEntries(more) },
});
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
