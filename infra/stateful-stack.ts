/**
 * What must outlive every deployment: the table, the deployment secret and the dead-letter queues. It knows
 * nothing of the functions that use them.
 */
import { CfnOutput, RemovalPolicy, Stack, type StackProps, Tags } from 'aws-cdk-lib';
import type { IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import { createCustomerKey } from './customer-key.ts';
import { deploymentSecretTag } from './deployment-secret-tag.ts';
import { deadLetterQueues, type Queues } from './queues.ts';
import type { Settings } from './settings.ts';
import { createTable, restoredTable, type TableInUse } from './table.ts';

export interface StatefulProps extends StackProps {
  readonly settings: Settings;
}

export class StatefulStack extends Stack {
  readonly table: TableInUse;
  readonly deploymentSecret: Secret;
  readonly deadLetters: Queues;
  readonly customerKey: Key | undefined;

  constructor(scope: Construct, id: string, { settings, ...props }: StatefulProps) {
    super(scope, id, props);
    // In production data stay when the stack goes, and the table cannot even be deleted by hand.
    const removalPolicy = settings.stage === 'prod' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
    this.customerKey = settings.customerKey ? createCustomerKey(this, removalPolicy) : undefined;
    this.deploymentSecret = deploymentSecret(this, removalPolicy, this.customerKey);
    this.deadLetters = deadLetterQueues(this, removalPolicy, this.customerKey);

    // Exported whether there are alarms on them or not: then these can be taken away again.
    for (const { queueName } of Object.values(this.deadLetters)) this.exportValue(queueName);

    const table = createTable(this, removalPolicy, this.customerKey);
    // As the other stack imports them, also while it is led to a restored table: then it can be led back.
    const tableName = this.exportValue(table.tableName);
    const tableArn = this.exportValue(table.tableArn);
    const tableStreamArn = this.exportValue(table.tableStreamArn);
    // Whoever knows the table finds the secret that belongs to it.
    Tags.of(table).add(deploymentSecretTag, this.deploymentSecret.secretArn);
    const { restoredTableStreamArn: restored } = settings;
    this.table = restored === undefined ? { tableName, tableArn, tableStreamArn } : restoredTable(restored);

    new CfnOutput(this, 'TableName', {
      value: restored === undefined ? table.tableName : this.table.tableName,
    });
    new CfnOutput(this, 'DeploymentSecretArn', { value: this.deploymentSecret.secretArn });
  }
}

/** Version 1 of the secret, in the form that `shared/secrets` reads; CloudFormation makes it, nobody sees it. */
function deploymentSecret(
  scope: Construct,
  removalPolicy: RemovalPolicy,
  encryptionKey: IKey | undefined,
): Secret {
  const secret = new Secret(scope, 'DeploymentSecret', {
    description: 'Remit: keys of API keys, fingerprints and hashes. Never remove a version.',
    // Never to be changed: CloudFormation would make another secret in its place.
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
    'A new version is added by hand, beside the old ones, which what is stored still needs: the runbook tells how.',
  );
  return secret;
}
