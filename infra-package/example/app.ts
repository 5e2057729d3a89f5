/** A CDK app of a team, with Remit beside a stack of its own, which receives events on its own bus. */
import { Remit } from '@remit/cdk';
import { App, CfnOutput, Stack } from 'aws-cdk-lib';
import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Queue } from 'aws-cdk-lib/aws-sqs';

const app = new App();
const shop = new Stack(app, 'Shop');
const bus = new EventBus(shop, 'Events', { eventBusName: 'shop-events' });
const remit = new Remit(app, 'Billing', {
  stage: 'prod',
  alarmEmail: 'on-call@shop.example',
  backupRegion: 'eu-central-1',
  canary: true,
  concurrency: 500,
  // Then create an endpoint of the type eventbridge with this bus as its target, in the dashboard or with the API.
  eventBus: bus.eventBusArn,
  tags: { team: 'payments' },
  webhookAllowedPorts: '3000,9000',
});

new Rule(shop, 'PaidInvoices', {
  eventBus: bus,
  eventPattern: { source: ['remit.prod'], detailType: ['invoice.paid'] },
  targets: [new SqsQueue(new Queue(shop, 'PaidInvoiceEvents'))],
});
new CfnOutput(shop, 'BillingStack', { value: remit.stacks.stateless.stackName });
