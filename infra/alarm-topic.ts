/** Creates the topic that sends the notifications of the alarms. */
import { Aws } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';

/**
 * Creates the topic with one subscription. It accepts only alarms of this AWS account.
 * @param address the e-mail address of the recipient, who must confirm the subscription
 * @param customerKey the customer-managed key; undefined for no encryption at rest
 */
export function createAlarmTopic(scope: Construct, address: string, customerKey: IKey | undefined): Topic {
  const topic = new Topic(scope, 'Alarms', {
    enforceSSL: true,
    ...(customerKey && { masterKey: customerKey }),
  });
  topic.addSubscription(new EmailSubscription(address));
  // A topic with its own policy no longer accepts alarms of this account by default, so the policy must allow them.
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
    }),
  );
  return topic;
}
