/**
 * Creates the resources that must outlive every deployment: the table, the bucket, the secrets and the dead-letter queues. This stack does not depend on the functions that use them.
 */
import { CfnOutput, RemovalPolicy, Stack, type StackProps, Tags } from 'aws-cdk-lib';
import type { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { addBackup } from './backup.ts';
import { createBucket } from './bucket.ts';
import { createCustomerKey } from './customer-key.ts';
import { createMailIdentity } from './mail-identity.ts';
import { outsideTableOutput } from './outside-table-output.ts';
import { createDeadLetterQueues, type Queues } from './queues.ts';
import { bucketTag, secretTags } from './secret-tags.ts';
import { createSecrets, type Secrets, secretNames } from './secrets.ts';
import type { Settings } from './settings.ts';
import { createTable, type TableReference, tableFromStreamArn } from './table.ts';

/** The bucket that the functions use. */
export interface BucketReference {
  readonly bucketName: string;
  readonly bucketArn: string;
}

export interface StatefulProps extends StackProps {
  readonly settings: Settings;
}

export class StatefulStack extends Stack {
  readonly table: TableReference;
  readonly bucket: BucketReference;
  readonly secrets: Secrets;
  readonly deadLetters: Queues;
  readonly customerKey: Key | undefined;

  constructor(scope: Construct, id: string, { settings, ...props }: StatefulProps) {
    super(scope, id, props);
    // In production, data stays after the stack is deleted, and the table cannot be deleted manually.
    const removalPolicy = settings.stage === 'prod' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
    this.customerKey = settings.customerKey ? createCustomerKey(this, removalPolicy) : undefined;
    this.secrets = createSecrets(this, settings, removalPolicy, this.customerKey);
    this.deadLetters = createDeadLetterQueues(this, removalPolicy, this.customerKey);

    const bucket = createBucket(this, removalPolicy, this.customerKey);
    this.bucket = {
      bucketName: this.exportValue(bucket.bucketName),
      bucketArn: this.exportValue(bucket.bucketArn),
    };

    // The names are exported even without alarms. Otherwise a deployment could not remove alarms, which import them.
    for (const { queueName } of Object.values(this.deadLetters)) this.exportValue(queueName);

    const { existingTable, restoredTableStreamArn } = settings;
    const outsideStreamArn = existingTable ?? restoredTableStreamArn;
    // The stack keeps its own table while a restored one is in use. So the stateless stack can switch back.
    const own =
      existingTable === undefined ? this.createOwnTable(removalPolicy, bucket.bucketName) : undefined;
    const outside = outsideStreamArn === undefined ? undefined : tableFromStreamArn(outsideStreamArn);
    const table = outside ?? own?.exported;
    if (!table) throw new Error('The stack has no table.');
    this.table = table;
    addBackup(this, settings, outside?.tableArn ?? own?.arn ?? '', this.customerKey);

    createMailIdentity(this, settings, removalPolicy);

    new CfnOutput(this, 'TableName', { value: outside?.tableName ?? own?.name ?? '' });
    new CfnOutput(this, 'BucketName', { value: bucket.bucketName });
    new CfnOutput(this, 'DeploymentSecretArn', { value: this.secrets.deployment.secretArn });
    new CfnOutput(this, 'WebhookSecretArn', { value: this.secrets.webhooks.secretArn });
    new CfnOutput(this, 'KeySecretArn', { value: this.secrets.keys.secretArn });
    new CfnOutput(this, 'ProviderSecretArn', { value: this.secrets.providers.secretArn });
    new CfnOutput(this, 'AuditSecretArn', { value: this.secrets.audit.secretArn });
    new CfnOutput(this, 'SigningSecretArn', { value: this.secrets.signing.secretArn });
    // A later deployment without the setting would replace the data by an empty table. `cli/deploy.ts` prevents that.
    if (outsideStreamArn !== undefined) new CfnOutput(this, outsideTableOutput, { value: outsideStreamArn });
  }

  /** Creates the stack's own table. Returns its name and ARN in this stack, and the exports that the other stack uses. */
  private createOwnTable(
    removalPolicy: RemovalPolicy,
    bucketName: string,
  ): {
    name: string;
    arn: string;
    exported: TableReference;
  } {
    const table = createTable(this, removalPolicy, this.customerKey);
    // Commands that know only the table find the secrets and the bucket by these tags.
    Tags.of(table).add(bucketTag, bucketName);
    for (const name of secretNames) Tags.of(table).add(secretTags[name], this.secrets[name].secretArn);
    const exported = {
      tableName: this.exportValue(table.tableName),
      tableArn: this.exportValue(table.tableArn),
      tableStreamArn: this.exportValue(table.tableStreamArn),
    };
    return { name: table.tableName, arn: table.tableArn, exported };
  }
}
