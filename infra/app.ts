/**
 * The CDK app: what keeps data in one stack, what can be made anew at any time in the other. It needs neither an
 * account nor a region, nor the network, to synthesize. Context: `payUrlBase`, an address other than the API's own
 * for payers; `disposable=true`, for a deployment that is deleted together with its data.
 */
import { App } from 'aws-cdk-lib';
import { StatefulStack } from './stateful-stack.ts';
import { StatelessStack } from './stateless-stack.ts';

const app = new App();

const stateful = new StatefulStack(app, 'RemitStateful', {
  description: 'Remit: its table, its secret, and the messages it could not handle.',
  disposable: String(app.node.tryGetContext('disposable')) === 'true',
});

new StatelessStack(app, 'RemitStateless', {
  description: 'Remit: its API, functions, queues and schedule.',
  stateful,
  payUrlBase: app.node.tryGetContext('payUrlBase'),
});
