/**
 * Tests the construct of the stacks in the CDK app of another team: its feature flags, tags, accounts and stacks do not mix with those of
 * the team. Synthesizes nothing, and takes 3 seconds.
 */
import { expect, test } from '@jest/globals';
import { App, Stack, Stage, Token } from 'aws-cdk-lib';
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api';
import { Remit } from '../../infra/remit.ts';

/** An app without bundles, with the feature flags of new apps. */
const newApp = () => new App({ context: { 'aws:cdk:bundling-stacks': [], ...CURRENTLY_RECOMMENDED_FLAGS } });

test('the stacks have their own names, and the account, the region and the tags where they belong', () => {
  const app = newApp();
  const env = { account: '123456789012', region: 'eu-west-1' };
  const team = new Stack(app, 'Team', { env });
  const { stacks } = new Remit(team, 'Billing', {
    stage: 'staging',
    name: 'shop2',
    backupRegion: 'eu-central-1',
    tags: { team: 'payments' },
  });
  expect(Object.entries(stacks).map(([kind, { stackName, region }]) => [kind, stackName, region])).toEqual([
    ['stateful', 'remit-shop2-staging-stateful', 'eu-west-1'],
    ['stateless', 'remit-shop2-staging-stateless', 'eu-west-1'],
    ['backup', 'remit-shop2-staging-backup', 'eu-central-1'],
    ['dashboard', 'remit-shop2-staging-dashboard', 'eu-west-1'],
  ]);
  for (const stack of Object.values(stacks)) expect(stack.account).toBe(env.account);
});

test('a stage of a pipeline gives the account and the region, and another installation can be beside the first', () => {
  const app = newApp();
  const stage = new Stage(app, 'Prod', { env: { account: '123456789012', region: 'eu-west-1' } });
  const settings = { stage: 'dev', dashboard: false } as const;
  const first = new Remit(stage, 'Billing', settings);
  const second = new Remit(stage, 'Second', {
    ...settings,
    name: 'second',
    env: { region: 'eu-north-1' },
  });
  expect([first, second].map(({ stacks }) => stacks.stateless.region)).toEqual(['eu-west-1', 'eu-north-1']);
  expect(Object.keys(first.stacks)).toEqual(['stateful', 'stateless']);
});

test('a wrong setting names itself, and the ARN of another stack may be unknown yet', () => {
  const app = newApp();
  const certificateArn = Token.asString({ Ref: 'Certificate' });
  expect(() => new Remit(app, 'A', { stage: 'dev', alarmEmail: 'on-call' })).toThrow(
    'The setting alarmEmail must be an e-mail address. Its value is "on-call".',
  );
  expect(() => new Remit(app, 'B', { domainName: 'a.example.com', certificateArn })).not.toThrow();
});
