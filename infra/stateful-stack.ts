/**
 * Creates the resources that must outlive every deployment: the table, the deployment secret and the dead-letter
 * queues. This stack does not depend on the functions that use them.
 */
import { CfnOutput, RemovalPolicy, Stack, type StackProps, Tags } from 'aws-cdk-lib';
import type { IKey, Key } from 'aws-cdk-lib/aws-kms';
import { type CfnSecret, type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import { addBackup, backupKeyAlias } from './backup.ts';
import { createCustomerKey } from './customer-key.ts';
import { deploymentSecretTag } from './deployment-secret-tag.ts';
import { outsideTableOutput } from './outside-table-output.ts';
import { createDeadLetterQueues, type Queues } from './queues.ts';
import type { Settings } from './settings.ts';
import { createTable, type TableReference, tableFromStreamArn } from './table.ts';

export interface StatefulProps extends StackProps {
  readonly settings: Settings;
}

export class StatefulStack extends Stack {
  readonly table: TableReference;
  readonly deploymentSecret: Pick<ISecret, 'secretArn'>;
  readonly deadLetters: Queues;
  readonly customerKey: Key | undefined;

  constructor(scope: Construct, id: string, { settings, ...props }: StatefulProps) {
    super(scope, id, props);
    // In production, data stays after the stack is deleted, and the table cannot be deleted manually.
    const removalPolicy = settings.stage === 'prod' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
    this.customerKey = settings.customerKey ? createCustomerKey(this, removalPolicy) : undefined;
    this.deploymentSecret =
      settings.existingSecret === undefined
        ? createDeploymentSecret(this, settings, removalPolicy, this.customerKey)
        : Secret.fromSecretCompleteArn(this, 'ExistingSecret', settings.existingSecret);
    this.deadLetters = createDeadLetterQueues(this, removalPolicy, this.customerKey);

    // The names are exported even without alarms. Otherwise a deployment could not remove alarms, which import them.
    for (const { queueName } of Object.values(this.deadLetters)) this.exportValue(queueName);

    const { existingTable, restoredTableStreamArn } = settings;
    const outsideStreamArn = existingTable ?? restoredTableStreamArn;
    // The stack keeps its own table while a restored one is in use. So the stateless stack can switch back.
    const own = existingTable === undefined ? this.createOwnTable(removalPolicy) : undefined;
    const outside = outsideStreamArn === undefined ? undefined : tableFromStreamArn(outsideStreamArn);
    const table = outside ?? own?.exported;
    if (!table) throw new Error('The stack has no table.');
    this.table = table;
    addBackup(this, settings, outside?.tableArn ?? own?.arn ?? '', this.customerKey);

    new CfnOutput(this, 'TableName', { value: outside?.tableName ?? own?.name ?? '' });
    new CfnOutput(this, 'DeploymentSecretArn', { value: this.deploymentSecret.secretArn });
    // A later deployment without the setting would replace the data by an empty table. `cli/deploy.ts` prevents that.
    if (outsideStreamArn !== undefined) new CfnOutput(this, outsideTableOutput, { value: outsideStreamArn });
  }

  /** Creates the stack's own table. Returns its name and ARN in this stack, and the exports that the other stack uses. */
  private createOwnTable(removalPolicy: RemovalPolicy): {
    name: string;
    arn: string;
    exported: TableReference;
  } {
    const table = createTable(this, removalPolicy, this.customerKey);
    // Commands that know only the table find the deployment secret by this tag.
    Tags.of(table).add(deploymentSecretTag, this.deploymentSecret.secretArn);
    const exported = {
      tableName: this.exportValue(table.tableName),
      tableArn: this.exportValue(table.tableArn),
      tableStreamArn: this.exportValue(table.tableStreamArn),
    };
    return { name: table.tableName, arn: table.tableArn, exported };
  }
}

/** Creates the secret with version 1 in the format that `shared/secrets` reads. CloudFormation generates its value. */
function createDeploymentSecret(
  scope: Construct,
  settings: Settings,
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
  const { backupRegion, customerKey } = settings;
  if (backupRegion !== undefined) {
    const replica = { region: backupRegion, ...(customerKey && { kmsKeyId: backupKeyAlias(settings) }) };
    (secret.node.defaultChild as CfnSecret).replicaRegions = [replica];
  }
  acknowledge(
    secret,
    'SMG4',
    'An operator adds new versions and keeps the old ones, which stored data needs. RUNBOOK.md has the steps.',
  );
  return secret;
}
