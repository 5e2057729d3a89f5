/**
 * Tests that the local stack enforces what AWS enforces: the policies that it takes from the grants are those of the templates of each
 * stage. A role has no other right, except what Lambda itself does with it.
 */
import { expect, test } from '@jest/globals';
import { type GrantedFile, grantedFiles, statementsOf } from '../../infra/function-policies.ts';
import type { Statement } from '../../infra/policies/policy.ts';
import { type Trigger, triggers } from '../../infra/triggers.ts';
import { statementsByFile } from './role-statements.ts';
import { roleSettings } from './role-table.ts';
import { synthesize } from './template.ts';

/** What Lambda does with the role of a function: it writes the log and the traces, and reads the queue or the stream. */
function actionsOfLambda(file: string): string[] {
  const trigger = Object.values<Trigger>(triggers).find(({ handler }) => handler === file);
  const logs = [
    'logs:CreateLogStream',
    'logs:PutLogEvents',
    'xray:PutTraceSegments',
    'xray:PutTelemetryRecords',
  ];
  if (trigger?.kind === 'queue')
    return ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes']
      .map((action) => `sqs:${action} queue ${trigger.queue}`)
      .concat(logs);
  if (trigger?.kind === 'stream')
    return ['GetShardIterator', 'GetRecords', 'DescribeStream', 'ListStreams']
      .map((action) => `dynamodb:${action} stream`)
      .concat(logs);
  return logs;
}

/** Returns a statement as text, with the values of each condition as a list. */
function textOf({ action, resource, conditions = {} }: Statement): string {
  const lists = Object.entries(conditions).map(([operator, keys]) => [
    operator,
    Object.entries(keys).map(([key, values]) => [key, [values].flat()]),
  ]);
  return JSON.stringify([action, resource, lists]);
}

/** A deployment names the address of the sender, which no grant knows. */
function withoutSender({ conditions = {}, ...statement }: Statement): Statement {
  const { 'ses:FromAddress': sender, ...others } = conditions.StringEquals ?? {};
  if (sender === undefined) return { ...statement, conditions };
  expect([sender, others]).toEqual(['invoices@shop.example', {}]);
  return statement;
}

const isOfLambda = (file: string) => {
  const actions = actionsOfLambda(file);
  return ({ action, resource }: Statement) =>
    actions.includes(/^(logs|xray):/.test(action) ? action : `${action} ${resource}`);
};

test.each([
  { stage: 'dev' },
  { stage: 'staging', name: 'shop2', canary: 'true', customerKey: 'true', concurrency: '115' },
  { stage: 'prod', alarmEmail: 'operator@example.com', customerKey: 'true', canary: 'true' },
])('the roles of $stage allow what the local stack allows', async (settings) => {
  const byFile = statementsByFile(await synthesize({ ...roleSettings, ...settings }));
  const canary = ['functions/canary/run.ts', 'functions/canary/receive.ts'];
  const others = [...byFile.keys()].filter((file) => !grantedFiles.includes(file as GrantedFile));
  expect(others.sort()).toEqual('canary' in settings ? canary.sort() : []);
  for (const file of others)
    expect(byFile.get(file)?.filter((each) => !isOfLambda(file)(each))).toEqual([
      { action: 'secretsmanager:GetSecretValue', resource: expect.stringContaining('Secret') },
    ]);
  for (const file of grantedFiles) {
    const statements = byFile.get(file) ?? [];
    const own = statements.filter((each) => !isOfLambda(file)(each));
    expect([file, own.map(withoutSender).map(textOf).sort()]).toEqual([
      file,
      statementsOf(file).map(textOf).sort(),
    ]);
  }
});
