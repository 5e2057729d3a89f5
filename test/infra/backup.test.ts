/** Tests the daily copy of the table and of the deployment secret to another region. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type App, type Resources, resourcesOfType, synthesize } from './template.ts';

const region = 'eu-central-1';
const existing = {
  existingTable: 'arn:aws:dynamodb:eu-west-1:123456789012:table/kept/stream/2026-11-21T00:00:00.000',
  existingSecret: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:kept-a1B2c3',
  existingWebhookSecret: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:kept-d4E5f6',
  existingProviderSecret: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:kept-g7H8i9',
  existingAuditSecret: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:kept-j1K2l3',
};

let without: App;
let plain: App;
let encrypted: App;
let onExistingTable: App;

beforeAll(async () => {
  [without, plain, encrypted, onExistingTable] = await Promise.all([
    synthesize({ stage: 'prod' }),
    synthesize({ stage: 'prod', backupRegion: region, alarmEmail: 'on-call@example.com', canary: 'true' }),
    synthesize({ stage: 'prod', name: 'shop2', backupRegion: region, customerKey: 'true', waf: 'true' }),
    synthesize({ stage: 'prod', backupRegion: region, ...existing }),
  ]);
});

const onlyOf = (resources: Resources, type: string) => {
  const found = resourcesOfType(resources, type);
  expect(found).toHaveLength(1);
  const [[id, resource] = []] = found;
  if (!id || !resource) throw new Error(`There is no ${type}.`);
  return { id, ...resource };
};
const resourcesIn = (app: App) => app.backup?.Resources ?? {};
const join = (...parts: unknown[]) => ({ 'Fn::Join': ['', parts] });
const partition = { Ref: 'AWS::Partition' };
const account = { Ref: 'AWS::AccountId' };
const copyVaultArn = join(
  'arn:',
  partition,
  `:backup:${region}:`,
  account,
  ':backup-vault:remit-prod-copies',
);

interface Statement {
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/** Returns the statements of the role that AWS Backup assumes. */
function statementsOf(resources: Resources): Statement[] {
  const [[id] = [], ...others] = resourcesOfType(resources, 'AWS::IAM::Role').filter(([, role]) =>
    JSON.stringify(role.Properties.AssumeRolePolicyDocument).includes('"backup.amazonaws.com"'),
  );
  expect(others).toEqual([]);
  expect(resources[id ?? '']?.Properties).not.toHaveProperty('ManagedPolicyArns');
  return resourcesOfType(resources, 'AWS::IAM::Policy')
    .filter(([, { Properties }]) => Properties.Roles.some(({ Ref }: { Ref: string }) => Ref === id))
    .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement);
}

describe('without the setting', () => {
  test('there is no third stack, no plan, no vault, no replica and no alarm', () => {
    expect(without.backup).toBeUndefined();
    const types = Object.values(without.stateful.Resources).map(({ Type }) => Type);
    expect(types.filter((type) => type.startsWith('AWS::Backup') || type.startsWith('AWS::IAM'))).toEqual([]);
    for (const [, { Properties }] of resourcesOfType(
      without.stateful.Resources,
      'AWS::SecretsManager::Secret',
    ))
      expect(Properties).not.toHaveProperty('ReplicaRegions');
    expect(JSON.stringify(without.stateless)).not.toContain('AWS/Backup');
  });
});

describe('the plan', () => {
  test('backs up the table every day, and keeps the copies in the other region for 35 days', () => {
    const { Resources } = plain.stateful;
    const vault = onlyOf(Resources, 'AWS::Backup::BackupVault').id;
    expect(onlyOf(Resources, 'AWS::Backup::BackupPlan').Properties.BackupPlan.BackupPlanRule).toEqual([
      {
        RuleName: 'daily',
        ScheduleExpression: 'cron(0 3 * * ? *)',
        TargetBackupVault: { 'Fn::GetAtt': [vault, 'BackupVaultName'] },
        Lifecycle: { DeleteAfterDays: 3 },
        CopyActions: [{ DestinationBackupVaultArn: copyVaultArn, Lifecycle: { DeleteAfterDays: 35 } }],
      },
    ]);
    const table = onlyOf(Resources, 'AWS::DynamoDB::Table').id;
    expect(onlyOf(Resources, 'AWS::Backup::BackupSelection').Properties.BackupSelection.Resources).toEqual([
      { 'Fn::GetAtt': [table, 'Arn'] },
    ]);
  });

  test('backs up an existing table, whose secret the stacks do not change', () => {
    const { Resources } = onExistingTable.stateful;
    const selection = onlyOf(Resources, 'AWS::Backup::BackupSelection').Properties.BackupSelection;
    expect(selection.Resources).toEqual([existing.existingTable.replace(/\/stream\/.*/, '')]);
    const ids = resourcesOfType(Resources, 'AWS::SecretsManager::Secret').map(([id]) => id);
    expect(ids).toEqual([expect.stringMatching(/^KeySecret/), expect.stringMatching(/^SigningSecret/)]);
  });
});

describe('the vaults', () => {
  const nameIn = (resources: Resources) => {
    const { DeletionPolicy, Properties } = onlyOf(resources, 'AWS::Backup::BackupVault');
    expect(DeletionPolicy).toBe('Retain');
    return Properties.BackupVaultName;
  };

  test('stay when their stacks are deleted, and have names that follow from the deployment', () => {
    expect([nameIn(plain.stateful.Resources), nameIn(resourcesIn(plain))]).toEqual([
      'remit-prod-backup',
      'remit-prod-copies',
    ]);
    expect([nameIn(encrypted.stateful.Resources), nameIn(resourcesIn(encrypted))]).toEqual([
      'remit-shop2-prod-backup',
      'remit-shop2-prod-copies',
    ]);
    expect(plain.stacks.backup).toMatchObject({
      stackName: 'remit-prod-backup',
      terminationProtection: true,
    });
    expect(encrypted.stacks.backup).toMatchObject({ stackName: 'remit-shop2-prod-backup' });
  });
});

test('the secrets that stored data needs have a replica in the other region', () => {
  const replicas = ({ stateful }: App) =>
    resourcesOfType(stateful.Resources, 'AWS::SecretsManager::Secret').map(([id, { Properties }]) => [
      id.replace(/[0-9A-F]{8}$/, ''),
      Properties.ReplicaRegions,
    ]);
  const expected = (replica: object) => [
    ['DeploymentSecret', [replica]],
    ['WebhookSecret', [replica]],
    ['KeySecret', undefined],
    ['ProviderSecret', [replica]],
    ['AuditSecret', [replica]],
    ['SigningSecret', undefined],
  ];
  expect(replicas(plain)).toEqual(expected({ Region: region }));
  expect(replicas(encrypted)).toEqual(
    expected({ Region: region, KmsKeyId: 'alias/remit-shop2-prod-backup' }),
  );
});

test('with a customer-managed key, a key of each region encrypts its vault, and the key of the copies stays', () => {
  for (const resources of [encrypted.stateful.Resources, resourcesIn(encrypted)]) {
    const key = onlyOf(resources, 'AWS::KMS::Key');
    expect(key.DeletionPolicy).toBe('Retain');
    expect(onlyOf(resources, 'AWS::Backup::BackupVault').Properties.EncryptionKeyArn).toEqual({
      'Fn::GetAtt': [key.id, 'Arn'],
    });
  }
  expect(onlyOf(resourcesIn(encrypted), 'AWS::KMS::Alias').Properties.AliasName).toBe(
    'alias/remit-shop2-prod-backup',
  );
  expect(resourcesOfType(resourcesIn(plain), 'AWS::KMS::Key')).toEqual([]);
});

describe('the permissions', () => {
  const recoveryPoints = join('arn:', partition, ':backup:*:', account, ':recovery-point:*');

  test('to back up and copy are restricted to the table, the two vaults and their backups', () => {
    const { Resources } = plain.stateful;
    const table = onlyOf(Resources, 'AWS::DynamoDB::Table').id;
    const vault = onlyOf(Resources, 'AWS::Backup::BackupVault').id;
    expect(statementsOf(Resources).map(({ Action, Resource }) => [Action, Resource])).toEqual([
      [
        ['dynamodb:DescribeTable', 'dynamodb:ListTagsOfResource', 'dynamodb:StartAwsBackupJob'],
        { 'Fn::GetAtt': [table, 'Arn'] },
      ],
      [
        ['backup:CopyIntoBackupVault', 'backup:DescribeBackupVault'],
        [{ 'Fn::GetAtt': [vault, 'BackupVaultArn'] }, copyVaultArn],
      ],
      [['backup:CopyFromBackupVault', 'backup:TagResource'], recoveryPoints],
      ['tag:GetResources', '*'],
    ]);
  });

  test('with a customer-managed key include the two keys, and no other key', () => {
    const { Resources } = encrypted.stateful;
    const key = onlyOf(Resources, 'AWS::KMS::Key').id;
    const [own, other, ...more] = statementsOf(Resources).filter(({ Action }) =>
      String(Action).includes('kms:'),
    );
    expect(more).toEqual([]);
    expect(own?.Resource).toEqual({ 'Fn::GetAtt': [key, 'Arn'] });
    expect(other).toMatchObject({
      Action: own?.Action,
      Resource: join('arn:', partition, `:kms:${region}:`, account, ':key/*'),
      Condition: { 'ForAnyValue:StringEquals': { 'kms:ResourceAliases': 'alias/remit-shop2-prod-backup' } },
    });
  });

  test('to restore exist in the other region, for tables of the project only', () => {
    const statements = statementsOf(resourcesIn(plain));
    expect(statements).toHaveLength(1);
    const ownRegion = { Ref: 'AWS::Region' };
    expect(statements[0]?.Resource).toEqual(
      join('arn:', partition, ':dynamodb:', ownRegion, ':', account, ':table/remit-*'),
    );
    expect([statements[0]?.Action].flat()).toContain('dynamodb:RestoreTableFromAwsBackup');
    expect(Object.keys(plain.backup?.Outputs ?? {}).sort()).toEqual(['RestoreRoleArn', 'VaultName']);
    expect(Object.keys(encrypted.backup?.Outputs ?? {})).toContain('KeyArn');
  });
});

test('the largest stack stays below the limit of CloudFormation', () => {
  for (const { stateful, statelessParts } of [plain, encrypted])
    for (const { Resources } of [stateful, ...statelessParts])
      expect(Object.keys(Resources).length).toBeLessThanOrEqual(480);
});
