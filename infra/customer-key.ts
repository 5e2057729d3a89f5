/**
 * Creates the customer-managed KMS key for the setting `customerKey`. It encrypts the table, the bucket, the deployment secret, the
 * queues, the logs and the topics. Without the setting, AWS-owned keys encrypt them.
 */
import { Aws, type RemovalPolicy } from 'aws-cdk-lib';
import { AnyPrincipal, type IPrincipal, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';

const actions = ['Decrypt', 'DescribeKey', 'Encrypt', 'GenerateDataKey', 'ReEncryptFrom', 'ReEncryptTo'].map(
  (action) => `kms:${action}`,
);

/**
 * Creates the key. As with AWS-owned keys, every principal of this account that may use a table, bucket, secret or queue may
 * use the key through that service.
 *
 * Grants to the functions' roles would come too late. A deployment applies a new key to the table before it changes the
 * roles, and the key stays in use if the change of the roles fails.
 */
export function createCustomerKey(scope: Construct, removalPolicy: RemovalPolicy): Key {
  const key = new Key(scope, 'CustomerKey', {
    description:
      'Remit: encrypts the table, the bucket, the deployment secret, the queues, the logs and the alarm topic.',
    enableKeyRotation: true,
    removalPolicy,
  });
  const logGroups = `arn:${Aws.PARTITION}:logs:${Aws.REGION}:${Aws.ACCOUNT_ID}:log-group:*`;
  const allowUse = (principal: IPrincipal, conditions: Record<string, unknown>) =>
    key.addToResourcePolicy(
      new PolicyStatement({ principals: [principal], actions, resources: ['*'], conditions }),
    );
  allowUse(new AnyPrincipal(), {
    StringEquals: {
      'kms:CallerAccount': Aws.ACCOUNT_ID,
      'kms:ViaService': ['dynamodb', 'secretsmanager', 'sqs', 's3'].map(
        (service) => `${service}.${Aws.REGION}.${Aws.URL_SUFFIX}`,
      ),
    },
  });
  allowUse(new ServicePrincipal(`logs.${Aws.REGION}.amazonaws.com`), {
    ArnLike: { 'kms:EncryptionContext:aws:logs:arn': logGroups },
  });
  allowUse(new ServicePrincipal('cloudwatch.amazonaws.com'), {
    StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
  });
  // SES publishes to the topic of mails, and the topic sends to a queue:
  // https://docs.aws.amazon.com/ses/latest/dg/configure-sns-notifications.html and
  // https://docs.aws.amazon.com/sns/latest/dg/sns-enable-encryption-for-topic-sqs-queue-subscriptions.html
  allowUse(new ServicePrincipal('ses.amazonaws.com'), {
    StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
  });
  allowUse(new ServicePrincipal('sns.amazonaws.com'), {
    ArnLike: { 'aws:SourceArn': `arn:${Aws.PARTITION}:sns:${Aws.REGION}:${Aws.ACCOUNT_ID}:*` },
  });
  return key;
}
