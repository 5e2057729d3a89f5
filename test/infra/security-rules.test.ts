/** Checks the stacks against the cdk-nag AwsSolutions rules and the schemas of CloudFormation. */
import { expect, test } from '@jest/globals';
import { isExhaustive } from '../support/run.ts';
import { synthesize } from './template.ts';

const richest = {
  stage: 'prod',
  waf: 'true',
  dashboardWaf: 'true',
  metricsDashboard: 'true',
  customerKey: 'true',
  backupRegion: 'eu-west-1',
  canary: 'true',
  alarmEmail: 'on-call@example.com',
  gatewayLogRole: 'true',
};
const others = [
  { dashboard: 'false' },
  { oidcIssuer: 'https://login.example.com', oidcClientId: 'remit' },
  { stage: 'prod', waf: 'true', metricsDashboard: 'true', alarmEmail: 'on-call@example.com' },
];

test('every kind of deployment follows all rules, and every exception gives a reason', async () => {
  const deployments = isExhaustive ? [richest, ...others] : [richest];
  const reports = await Promise.all(
    deployments.map((settings) => synthesize(settings, { isValidated: true })),
  );
  for (const { rules, stacks } of reports) {
    expect(rules.violations).toEqual([]);
    // The rules were applied to all stacks.
    const where = rules.acknowledged.map(
      ({ violatingConstructs: [first] }) => first?.constructPath.split('/')[0],
    );
    expect(new Set(where)).toEqual(
      new Set([
        'RemitStateful',
        'RemitStateless',
        ...('dashboard' in stacks ? ['RemitDashboard'] : []),
        ...('backup' in stacks ? ['RemitBackup', 'RemitCanary'] : []),
      ]),
    );
    for (const { ruleName, reason, acknowledgedAt } of rules.acknowledged) {
      expect([ruleName, reason]).toEqual([ruleName, expect.stringMatching(/^.{30,}\.$/)]);
      // No exception covers a whole stack.
      expect(acknowledgedAt.split('/').length).toBeGreaterThan(1);
    }
  }
});
