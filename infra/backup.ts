/**
 * Backs up the table every day, and copies each backup to the backup region, for the setting `backupRegion`.
 *
 * - Point-in-time recovery covers the last 35 days in the deployment's own region. So a backup stays there only until it
 *   is copied, and a few days more in case copies fail.
 * - The names of the vaults follow from the deployment. So neither stack refers to the other, and an operator knows the
 *   vault of the copies while the deployment's region is down.
 * - The vaults have different names. After a move to the backup region, the deployment has a vault of its own there too.
 */
import { ArnFormat, Aws, Duration, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import { deploymentName, type Settings, stackNameOf } from './settings.ts';

/** How long a backup stays in the backup region. */
const copyRetention = Duration.days(35);
/** How long a backup stays in the deployment's own region. */
const sourceRetention = Duration.days(3);

/** The vaults: `backup` in the deployment's region, and `copies` in the backup region. */
type VaultKind = 'backup' | 'copies';

/** Returns the name of a vault. */
const vaultName = (settings: Settings, kind: VaultKind): string =>
  `remit-${deploymentName(settings)}-${kind}`;

/** Returns the alias of the customer-managed key in the backup region. Both regions know it without a reference. */
export const backupKeyAlias = (settings: Settings): string => `alias/${stackNameOf(settings, 'backup')}`;

/** Creates a vault. It stays when its stack is deleted, because its backups may be the last ones. */
export function createBackupVault(
  scope: Construct,
  settings: Settings,
  kind: VaultKind,
  encryptionKey: IKey | undefined,
): BackupVault {
  return new BackupVault(scope, 'Vault', {
    backupVaultName: vaultName(settings, kind),
    removalPolicy: RemovalPolicy.RETAIN,
    ...(encryptionKey && { encryptionKey }),
  });
}

/**
 * Returns the number of completed copies in each hour.
 *
 * The documentation of AWS does not say which of the two vaults this metric names, so it counts both.
 */
export function completedCopies(settings: Settings): MathExpression {
  const period = Duration.hours(1);
  const ofVault = (kind: VaultKind) =>
    new Metric({
      namespace: 'AWS/Backup',
      metricName: 'NumberOfCopyJobsCompleted',
      dimensionsMap: { BackupVaultName: vaultName(settings, kind) },
      statistic: 'Sum',
      period,
    });
  return new MathExpression({
    expression: 'FILL(m0, 0) + FILL(m1, 0)',
    usingMetrics: { m0: ofVault('backup'), m1: ofVault('copies') },
    period,
    label: 'completed copies',
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
  const vault = createBackupVault(scope, settings, 'backup', customerKey);
  const copyVaultArn = stack.formatArn({
    service: 'backup',
    region: backupRegion,
    resource: 'backup-vault',
    resourceName: vaultName(settings, 'copies'),
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  const plan = new BackupPlan(scope, 'Plan', {
    backupPlanName: vaultName(settings, 'backup'),
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
