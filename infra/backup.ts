/**
 * Backs up the table every day, and copies each backup to the backup region, for the setting `backupRegion`.
 *
 * - Point-in-time recovery covers the last 35 days in the deployment's own region. So a backup stays there only until it
 *   is copied, and a few days more in case copies fail.
 * - The vaults of both regions have the same name, which follows from the deployment. So neither stack refers to the
 *   other, and `RUNBOOK.md` can name the vault while the deployment's region is down.
 */
import { ArnFormat, Aws, Duration, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import { type Settings, stackNameOf } from './settings.ts';

/** How long a backup stays in the backup region. */
const copyRetention = Duration.days(35);
/** How long a backup stays in the deployment's own region. */
const sourceRetention = Duration.days(3);

/** Returns the name of the vault, which is the same in both regions. */
export const backupVaultName = (settings: Settings): string => stackNameOf(settings, 'backup');

/** Returns the alias of the customer-managed key in the backup region. Both regions know it without a reference. */
export const backupKeyAlias = (settings: Settings): string => `alias/${stackNameOf(settings, 'backup')}`;

/** Creates the vault of one region. It stays when its stack is deleted, because its backups may be the last ones. */
export function createBackupVault(
  scope: Construct,
  settings: Settings,
  encryptionKey: IKey | undefined,
): BackupVault {
  return new BackupVault(scope, 'Vault', {
    backupVaultName: backupVaultName(settings),
    removalPolicy: RemovalPolicy.RETAIN,
    ...(encryptionKey && { encryptionKey }),
  });
}

/** Returns the number of completed copies, in each hour. AWS Backup counts them in the deployment's own region. */
export function completedCopies(settings: Settings): Metric {
  return new Metric({
    namespace: 'AWS/Backup',
    metricName: 'NumberOfCopyJobsCompleted',
    dimensionsMap: { BackupVaultName: backupVaultName(settings) },
    statistic: 'Sum',
    period: Duration.hours(1),
  });
}

/** Creates the daily plan, which backs up `tableArn`. Creates nothing without the setting `backupRegion`. */
export function addBackup(
  stack: Stack,
  settings: Settings,
  tableArn: string,
  customerKey: IKey | undefined,
): void {
  const { backupRegion } = settings;
  if (backupRegion === undefined) return;
  const scope = new Construct(stack, 'Backup');
  const vault = createBackupVault(scope, settings, customerKey);
  const copyVaultArn = stack.formatArn({
    service: 'backup',
    region: backupRegion,
    resource: 'backup-vault',
    resourceName: backupVaultName(settings),
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  const plan = new BackupPlan(scope, 'Plan', {
    backupPlanName: backupVaultName(settings),
    backupVault: vault,
    backupPlanRules: [
      new BackupPlanRule({
        ruleName: 'daily',
        scheduleExpression: Schedule.cron({ hour: '3', minute: '0' }),
        deleteAfter: sourceRetention,
        copyActions: [
          {
            destinationBackupVault: BackupVault.fromBackupVaultArn(scope, 'CopyVault', copyVaultArn),
            deleteAfter: copyRetention,
          },
        ],
      }),
    ],
  });
  plan.addSelection('Table', {
    resources: [BackupResource.fromArn(tableArn)],
    role: createBackupRole(scope, settings, tableArn, [vault.backupVaultArn, copyVaultArn], customerKey),
    disableDefaultBackupPolicy: true,
  });
}

/**
 * Creates the role that makes and copies the backups. Its permissions are those of the managed policy
 * `AWSBackupServiceRolePolicyForBackup` that DynamoDB needs, for this table and these vaults.
 *
 * It cannot make backups without the advanced features of AWS Backup for DynamoDB. Such backups cannot be copied, so
 * their job must fail.
 */
function createBackupRole(
  scope: Construct,
  settings: Settings,
  tableArn: string,
  vaultArns: readonly string[],
  customerKey: IKey | undefined,
): Role {
  const role = new Role(scope, 'Role', { assumedBy: new ServicePrincipal('backup.amazonaws.com') });
  const allow = (actions: string[], resources: string[], conditions?: Record<string, unknown>) =>
    role.addToPolicy(new PolicyStatement({ actions, resources, ...(conditions && { conditions }) }));
  allow(['dynamodb:DescribeTable', 'dynamodb:ListTagsOfResource', 'dynamodb:StartAwsBackupJob'], [tableArn]);
  allow(['backup:CopyIntoBackupVault', 'backup:DescribeBackupVault'], [...vaultArns]);
  const recoveryPoints = `arn:${Aws.PARTITION}:backup:*:${Aws.ACCOUNT_ID}:recovery-point:*`;
  allow(['backup:CopyFromBackupVault', 'backup:TagResource'], [recoveryPoints]);
  allow(['tag:GetResources'], ['*']);
  for (const [finding, reason] of [
    [
      'arn:<AWS::Partition>:backup:*:<AWS::AccountId>:recovery-point:*',
      'AWS generates the ids of recovery points. The vaults restrict which ones the role can copy.',
    ],
    ['*', 'The permission to find resources by their tags cannot name a resource.'],
  ] as const)
    acknowledge(role, `IAM5[Resource::${finding}]`, reason);
  if (customerKey) allowKeys(role, settings, customerKey);
  return role;
}

/** Allows a role to use the customer-managed keys of both regions, for backups only. */
function allowKeys(role: Role, settings: Settings, customerKey: IKey): void {
  const keys = `arn:${Aws.PARTITION}:kms:${settings.backupRegion}:${Aws.ACCOUNT_ID}:key/*`;
  const actions = ['kms:CreateGrant', 'kms:Decrypt', 'kms:DescribeKey', 'kms:GenerateDataKey'];
  role.addToPolicy(new PolicyStatement({ actions, resources: [customerKey.keyArn] }));
  role.addToPolicy(
    new PolicyStatement({
      actions,
      resources: [keys],
      conditions: { 'ForAnyValue:StringEquals': { 'kms:ResourceAliases': backupKeyAlias(settings) } },
    }),
  );
  acknowledge(
    role,
    `IAM5[Resource::arn:<AWS::Partition>:kms:${settings.backupRegion}:<AWS::AccountId>:key/*]`,
    'The id of the key in the backup region is not known here. The condition restricts the permission to its alias.',
  );
}
