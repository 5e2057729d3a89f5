/**
 * Creates the resources that must outlive every deployment: the table, the deployment secret and the dead-letter
 * queues. This stack does not depend on the functions that use them.
 */
import { CfnOutput, RemovalPolicy, Stack, type StackProps, Tags } from 'aws-cdk-lib';
import type { IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import { createCustomerKey } from './customer-key.ts';
import { deploymentSecretTag } from './deployment-secret-tag.ts';
import { createDeadLetterQueues, type Queues } from './queues.ts';
import type { Settings } from './settings.ts';
import { createTable, type TableReference, tableFromStreamArn } from './table.ts';

export interface StatefulProps extends StackProps {
  readonly settings: Settings;
}

export class StatefulStack extends Stack {
  readonly table: TableReference;
  readonly deploymentSecret: Secret;
  readonly deadLetters: Queues;
  readonly customerKey: Key | undefined;

  constructor(scope: Construct, id: string, { settings, ...props }: StatefulProps) {
    super(scope, id, props);
    // In production, data stays after the stack is deleted, and the table cannot be deleted manually.
    const removalPolicy = settings.stage === 'prod' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
    this.customerKey = settings.customerKey ? createCustomerKey(this, removalPolicy) : undefined;
    this.deploymentSecret = createDeploymentSecret(this, removalPolicy, this.customerKey);
    this.deadLetters = createDeadLetterQueues(this, removalPolicy, this.customerKey);

    // The names are exported even without alarms. Otherwise a deployment could not remove alarms, which import them.
    for (const { queueName } of Object.values(this.deadLetters)) this.exportValue(queueName);

    const table = createTable(this, removalPolicy, this.customerKey);
    // These exports exist even while a restored table is in use. Otherwise the stateless stack could not switch back.
    const tableName = this.exportValue(table.tableName);
    const tableArn = this.exportValue(table.tableArn);
    const tableStreamArn = this.exportValue(table.tableStreamArn);
    // Commands that know only the table find the deployment secret by this tag.
    Tags.of(table).add(deploymentSecretTag, this.deploymentSecret.secretArn);
    const { restoredTableStreamArn: restored } = settings;
    this.table =
      restored === undefined ? { tableName, tableArn, tableStreamArn } : tableFromStreamArn(restored);

    new CfnOutput(this, 'TableName', {
      value: restored === undefined ? table.tableName : this.table.tableName,
    });
    new CfnOutput(this, 'DeploymentSecretArn', { value: this.deploymentSecret.secretArn });
  }
}

/** Creates the secret with version 1 in the format that `shared/secrets` reads. CloudFormation generates its value. */
function createDeploymentSecret(
  scope: Construct,
  removalPolicy: RemovalPolicy,
  encryptionKey: IKey | undefined,
): Secret {
  const secret = new Secret(scope, 'DeploymentSecret', {
    description:
      'Remit: source of the keys for API keys, fingerprints, hashes and encryption. Never remove a version.',
    // Never change this. CloudFormation would replace the secret, and stored hashes and ciphertexts would be useless.
    generateSecretString: {
      secretStringTemplate: JSON.stringify({ current: '1' }),
      generateStringKey: '1',
      passwordLength: 64,
      excludePunctuation: true,
      includeSpace: false,
    },
    removalPolicy,
    ...(encryptionKey && { encryptionKey }),
  });
  acknowledge(
    secret,
    'SMG4',
    'An operator adds new versions and keeps the old ones, which stored data needs. RUNBOOK.md has the steps.',
  );
  return secret;
}
