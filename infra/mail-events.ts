/**
 * Brings what Amazon SES reports of mails into a queue: a configuration set, which the sender names with each mail, publishes to a
 * topic, and the topic sends to the queue.
 *
 * - The messages are the records of SES, without an envelope of Amazon SNS.
 * - The configuration set does not use the suppression list of the AWS account. The service has a list of its own for each account,
 *   and only there somebody can allow mails to an address again:
 *   https://docs.aws.amazon.com/ses/latest/dg/sending-email-suppression-list-config-level.html
 */
import { Aws } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { ConfigurationSet, EmailSendingEvent, EventDestination } from 'aws-cdk-lib/aws-ses';
import { Subscription, SubscriptionProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Settings } from './settings.ts';

/** What the service wants to know of its mails. */
const events = [
  EmailSendingEvent.DELIVERY,
  EmailSendingEvent.BOUNCE,
  EmailSendingEvent.COMPLAINT,
  EmailSendingEvent.REJECT,
];

/**
 * Creates the configuration set, the topic and the subscription of the queue.
 * @param customerKey the customer-managed key; undefined for no encryption of the topic at rest
 * @returns the name of the configuration set. Undefined: the deployment sends no mail
 */
export function createMailEvents(
  scope: Construct,
  { mailFrom }: Pick<Settings, 'mailFrom'>,
  queue: Queue,
  customerKey: IKey | undefined,
): string | undefined {
  if (mailFrom === undefined) return undefined;
  const topic = new Topic(scope, 'MailEvents', {
    enforceSSL: true,
    ...(customerKey && { masterKey: customerKey }),
  });
  // The subscription of the library changes the policy of the key, which is in another stack. `customer-key.ts` allows the use.
  queue.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('sns.amazonaws.com')],
      actions: ['sqs:SendMessage'],
      resources: [queue.queueArn],
      conditions: {
        ArnEquals: { 'aws:SourceArn': topic.topicArn },
        StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
      },
    }),
  );
  new Subscription(scope, 'MailEventsToQueue', {
    topic,
    endpoint: queue.queueArn,
    protocol: SubscriptionProtocol.SQS,
    rawMessageDelivery: true,
  });
  const configurationSet = new ConfigurationSet(scope, 'MailConfigurationSet', {
    // Those of the AWS account have no price, and AWS judges by them.
    reputationMetrics: false,
    disableSuppressionList: true,
  });
  configurationSet.addEventDestination('ToTopic', { destination: EventDestination.snsTopic(topic), events });
  return configurationSet.configurationSetName;
}
