/** A CDK app of a team, with Remit beside a stack of its own. */
import { Remit } from '@remit/cdk';
import { App, CfnOutput, Stack } from 'aws-cdk-lib';

const app = new App();
const remit = new Remit(app, 'Billing', {
  stage: 'prod',
  alarmEmail: 'on-call@shop.example',
  backupRegion: 'eu-central-1',
  canary: true,
  concurrency: 500,
  tags: { team: 'payments' },
  webhookAllowedPorts: '3000,9000',
});

const shop = new Stack(app, 'Shop');
shop.addStackDependency(remit.stacks.stateless);
new CfnOutput(shop, 'BillingStack', { value: remit.stacks.stateless.stackName });
