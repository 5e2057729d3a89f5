/** The rules of cdk-nag's AwsSolutions: none is broken, and each that is not followed says why. */
import { expect, test } from '@jest/globals';
import { synthesize } from './template.ts';

test('no rule is broken in any form of deployment, and each that is acknowledged gives its reason', async () => {
  const reports = await Promise.all([
    synthesize(),
    synthesize({ stage: 'prod', waf: 'true', dashboard: 'true', alarmEmail: 'on-call@example.com' }),
    synthesize({ stage: 'prod', customerKey: 'true', alarmEmail: 'on-call@example.com' }),
  ]);
  for (const { rules } of reports) {
    expect(rules.violations).toEqual([]);
    // The pack has looked at both stacks.
    const where = rules.acknowledged.map(
      ({ violatingConstructs: [first] }) => first?.constructPath.split('/')[0],
    );
    expect(new Set(where)).toEqual(new Set(['RemitStateful', 'RemitStateless']));
    for (const { ruleName, reason, acknowledgedAt } of rules.acknowledged) {
      expect([ruleName, reason]).toEqual([ruleName, expect.stringMatching(/^.{30,}\.$/)]);
      // Never for a whole stack.
      expect(acknowledgedAt.split('/').length).toBeGreaterThan(1);
    }
  }
});
