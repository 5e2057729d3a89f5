/**
 * The key of the account's own under which everything is kept, if the setting `customerKey` asks for it: table,
 * secret, queues, logs and alarms. Without it they are encrypted under keys that AWS owns.
 */
import { Aws, type RemovalPolicy } from 'aws-cdk-lib';
import { Effect, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';

const actions = ['Decrypt', 'DescribeKey', 'Encrypt', 'GenerateDataKey', 'ReEncryptFrom', 'ReEncryptTo'].map(
  (action) => `kms:${action}`,
);

/** Services that act for functions are let in by the functions' roles; those that act by themselves, by the key. */
export function createCustomerKey(scope: Construct, removalPolicy: RemovalPolicy): Key {
  const key = new Key(scope, 'CustomerKey', {
    description: 'Remit: its table, secret, queues, logs and alarms.',
    enableKeyRotation: true,
    removalPolicy,
  });
  const logGroups = `arn:${Aws.PARTITION}:logs:${Aws.REGION}:${Aws.ACCOUNT_ID}:log-group:*`;
  const letIn = (service: string, conditions: Record<string, unknown>) =>
    key.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal(service)],
        actions,
        resources: ['*'],
        conditions,
      }),
    );
  letIn(`logs.${Aws.REGION}.amazonaws.com`, {
    ArnLike: { 'kms:EncryptionContext:aws:logs:arn': logGroups },
  });
  letIn('cloudwatch.amazonaws.com', { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } });
  return key;
}

/** Lets a function use the key through these services, such as `dynamodb`. */
export function throughServices(key: IKey, services: readonly string[]): PolicyStatement {
  const via = services.map((service) => `${service}.${Aws.REGION}.${Aws.URL_SUFFIX}`);
  return new PolicyStatement({
    effect: Effect.ALLOW,
    actions,
    resources: [key.keyArn],
    conditions: { StringEquals: { 'kms:ViaService': via } },
  });
}
