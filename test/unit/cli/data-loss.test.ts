/** Tests which changes in the output of the project's `cdk diff` count as a loss of data. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { findDataLoss } from '../../../cli/data-loss.ts';

const table = (key: string) => ({
  Type: 'AWS::DynamoDB::Table',
  Properties: {
    AttributeDefinitions: [{ AttributeName: key, AttributeType: 'S' }],
    KeySchema: [{ AttributeName: key, KeyType: 'HASH' }],
  },
});
const secret = (PasswordLength: number, Description: string) => ({
  Type: 'AWS::SecretsManager::Secret',
  Properties: { Description, GenerateSecretString: { PasswordLength } },
});
const replicatedSecret = (...regions: string[]) => ({
  Type: 'AWS::SecretsManager::Secret',
  Properties: { ...(regions.length > 0 && { ReplicaRegions: regions.map((Region) => ({ Region })) }) },
});
const vault = {
  Type: 'AWS::Backup::BackupVault',
  Properties: { BackupVaultName: 'a' },
  DeletionPolicy: 'Retain',
};
const queue = (Properties: object) => ({ Type: 'AWS::SQS::Queue', Properties });

/** Runs `cdk diff` offline on two templates. */
async function diffOf(before: object, after: object): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'remit-diff-'));
  const write = (name: string, content: object) => writeFile(join(directory, name), JSON.stringify(content));
  try {
    const environment = 'aws://unknown-account/unknown-region';
    const properties = { templateFile: 'App.template.json' };
    await write('before.json', { Resources: before });
    await write('App.template.json', { Resources: after });
    await write('manifest.json', {
      version: '36.0.0',
      artifacts: { App: { type: 'aws:cloudformation:stack', environment, properties } },
    });
    const args = ['diff', 'App', '--app', directory, '--template', join(directory, 'before.json')];
    const { stdout, stderr } = await promisify(execFile)('node_modules/.bin/cdk', args);
    return stdout + stderr;
  } finally {
    await rm(directory, { recursive: true });
  }
}

test('replaced and deleted resources with data are found, and a secret with a new value', async () => {
  const diff = await diffOf(
    {
      Table: table('old'),
      Secret: secret(32, 'before'),
      Gone: queue({}),
      Kept: { ...queue({}), DeletionPolicy: 'Retain' },
      Renamed: queue({ QueueName: 'a' }),
      Role: { Type: 'AWS::SNS::Topic', Properties: { TopicName: 'a' } },
    },
    {
      Table: table('new'),
      Secret: secret(64, 'before'),
      Renamed: queue({ QueueName: 'b' }),
      Role: { Type: 'AWS::SNS::Topic', Properties: { TopicName: 'b' } },
    },
  );
  expect(findDataLoss(diff).sort()).toEqual([
    'AWS::DynamoDB::Table Table: replace',
    'AWS::SQS::Queue Gone: destroy',
    'AWS::SQS::Queue Kept: orphan',
    'AWS::SQS::Queue Renamed: replace',
    'AWS::SecretsManager::Secret Secret: a new secret is generated',
  ]);
});

test('a replica that is removed or moved is found, and so is a vault that is left behind', async () => {
  const diff = await diffOf(
    { Removed: replicatedSecret('eu-west-1'), Moved: replicatedSecret('eu-west-1'), Vault: vault },
    { Removed: replicatedSecret(), Moved: replicatedSecret('eu-west-2') },
  );
  const loss =
    'the replica in the backup region is deleted, and the copies of the table there are useless without it';
  expect(findDataLoss(diff).sort()).toEqual([
    'AWS::Backup::BackupVault Vault: orphan',
    `AWS::SecretsManager::Secret Moved: ${loss}`,
    `AWS::SecretsManager::Secret Removed: ${loss}`,
  ]);
});

test('new resources and other changes are no loss of data', async () => {
  const diff = await diffOf(
    { Table: table('pk'), Secret: secret(64, 'before'), Single: replicatedSecret(), Queue: queue({}) },
    {
      Table: table('pk'),
      Secret: secret(64, 'after'),
      Single: replicatedSecret('eu-west-1'),
      Vault: vault,
      Queue: queue({ DelaySeconds: 1 }),
      New: queue({}),
    },
  );
  expect(diff).toMatch(/\[\+\] AWS::SQS::Queue New/);
  expect(diff).toMatch(/\[~\] AWS::SecretsManager::Secret Secret/);
  expect(findDataLoss(diff)).toEqual([]);
});

test('control characters of a terminal are ignored', () => {
  const line =
    '[\u001b[31m-\u001b[39m] \u001b[36mAWS::KMS::Key\u001b[39m CustomerKey \u001b[31mdestroy\u001b[39m';
  expect(findDataLoss(`Resources\n${line}\n`)).toEqual(['AWS::KMS::Key CustomerKey: destroy']);
});
