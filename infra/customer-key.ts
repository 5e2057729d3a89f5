/**
 * The key of the account's own under which everything is kept, if the setting `customerKey` asks for it: table,
 * secret, queues, logs and alarms. Without it they are encrypted under keys that AWS owns.
 */
import { Aws, type RemovalPolicy } from 'aws-cdk-lib';
import { AnyPrincipal, type IPrincipal, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';

const actions = ['Decrypt', 'DescribeKey', 'Encrypt', 'GenerateDataKey', 'ReEncryptFrom', 'ReEncryptTo'].map(
  (action) => `kms:${action}`,
);

/**
 * As with AWS's own keys, whoever may use a table, secret or queue uses its key through that service. The functions'
 * roles would come too late: a key that is added is in use before they change, and still is if they cannot be changed.
 */
export function createCustomerKey(scope: Construct, removalPolicy: RemovalPolicy): Key {
  const key = new Key(scope, 'CustomerKey', {
    description: 'Remit: its table, secret, queues, logs and alarms.',
    enableKeyRotation: true,
    removalPolicy,
  });
  const logGroups = `arn:${Aws.PARTITION}:logs:${Aws.REGION}:${Aws.ACCOUNT_ID}:log-group:*`;
  const letIn = (principal: IPrincipal, conditions: Record<string, unknown>) =>
    key.addToResourcePolicy(
      new PolicyStatement({ principals: [principal], actions, resources: ['*'], conditions }),
    );
  letIn(new AnyPrincipal(), {
    StringEquals: {
      'kms:CallerAccount': Aws.ACCOUNT_ID,
      'kms:ViaService': ['dynamodb', 'secretsmanager', 'sqs'].map(
        (service) => `${service}.${Aws.REGION}.${Aws.URL_SUFFIX}`,
      ),
    },
  });
  letIn(new ServicePrincipal(`logs.${Aws.REGION}.amazonaws.com`), {
    ArnLike: { 'kms:EncryptionContext:aws:logs:arn': logGroups },
  });
  letIn(new ServicePrincipal('cloudwatch.amazonaws.com'), {
    StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
  });
  return key;
}
