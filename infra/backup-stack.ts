/**
 * Creates what must exist in the backup region before the deployment's own region is lost: the vault with the copies of
 * the backups, the role that restores them, and with the setting `customerKey` the key that encrypts them.
 */
import { Aws, CfnOutput, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import { backupKeyAlias, createBackupVault } from './backup.ts';
import { createCustomerKey } from './customer-key.ts';
import type { Settings } from './settings.ts';

export interface BackupProps extends StackProps {
  readonly settings: Settings;
}

export class BackupStack extends Stack {
  constructor(scope: Construct, id: string, { settings, ...props }: BackupProps) {
    super(scope, id, props);
    const key = settings.customerKey ? createCustomerKey(this, RemovalPolicy.RETAIN) : undefined;
    key?.addAlias(backupKeyAlias(settings));
    const vault = createBackupVault(this, settings, 'copies', key);
    new CfnOutput(this, 'VaultName', { value: vault.backupVaultName });
    new CfnOutput(this, 'RestoreRoleArn', { value: createRestoreRole(this, key).roleArn });
    if (key) new CfnOutput(this, 'KeyArn', { value: key.keyArn });
  }
}

/**
 * Creates the role that restores a table. Its permissions are those of the managed policy
 * `AWSBackupServiceRolePolicyForRestores` that DynamoDB needs, for tables in this region whose names begin with `remit-`.
 */
function createRestoreRole(scope: Construct, key: Key | undefined): Role {
  const role = new Role(scope, 'RestoreRole', { assumedBy: new ServicePrincipal('backup.amazonaws.com') });
  const tables = `arn:${Aws.PARTITION}:dynamodb:${Aws.REGION}:${Aws.ACCOUNT_ID}:table/remit-*`;
  const actions = [
    ...['RestoreTableFromAwsBackup', 'DescribeTable', 'Scan', 'Query', 'GetItem'],
    ...['BatchWriteItem', 'PutItem', 'UpdateItem', 'DeleteItem'],
  ].map((action) => `dynamodb:${action}`);
  role.addToPolicy(new PolicyStatement({ actions, resources: [tables] }));
  acknowledge(
    role,
    'IAM5[Resource::arn:<AWS::Partition>:dynamodb:<AWS::Region>:<AWS::AccountId>:table/remit-*]',
    'The operator chooses the name of the restored table, which begins with this prefix.',
  );
  if (!key) return role;
  const keyActions = ['CreateGrant', 'Decrypt', 'DescribeKey', 'Encrypt', 'GenerateDataKey'];
  role.addToPolicy(
    new PolicyStatement({
      actions: keyActions.map((action) => `kms:${action}`),
      resources: [key.keyArn],
    }),
  );
  return role;
}
