/** Tests that the policies for a deployment in the documentation are current, fit into IAM, and cover the stacks. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { allSettings, deploymentPolicies } from './deployment-policies.ts';
import { type App, synthesize, type Template } from './template.ts';

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html. Spaces do not count. */
const maxCharacters = 6_144;

interface Policy {
  readonly Statement: readonly {
    Sid: string;
    Action: readonly string[];
    Resource: string | readonly string[];
  }[];
}

const readPolicy = (app: App, name: string): Policy => {
  const [file = ''] = [...deploymentPolicies(app).keys()].filter((each) => each.endsWith(`/${name}.json`));
  return JSON.parse(readFileSync(file, 'utf8'));
};

test('the policies are current: run npm run docs:roles after the stacks have another type of resource', async () => {
  for (const [file, text] of deploymentPolicies(await synthesize(allSettings))) {
    // The check of the style also formats the files. So their text is what it writes.
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(JSON.stringify(JSON.parse(text)).length).toBeLessThanOrEqual(maxCharacters);
  }
});

test('CloudFormation may use each service of the stacks, and changes only roles of the stacks', async () => {
  const app = await synthesize(allSettings);
  const policy = readPolicy(app, 'cloudformation');
  const services = policy.Statement.flatMap(({ Action }) => Action.map((action) => action.split(':')[0]));
  const used: Template[] = [
    app.stateful,
    ...app.statelessParts,
    app.backup,
    app.canary,
    app.dashboard,
  ].filter((each) => each !== undefined);
  const needed = new Set(
    used.flatMap(({ Resources }) =>
      Object.values(Resources).map(({ Type }) => {
        const service = Type.split('::')[1]?.toLowerCase() ?? '';
        return service === 'cognito' ? 'cognito-idp' : service;
      }),
    ),
  );
  expect(needed.size).toBeGreaterThan(10);
  for (const service of needed) expect(services).toContain(service);
  for (const { Action, Resource } of policy.Statement)
    if (Action.some((action) => action.startsWith('iam:'))) expect([Resource].flat()).not.toContain('*');
  // A name of its own would not begin with the name of the stack.
  const roles = used.flatMap(({ Resources }) =>
    Object.values(Resources).filter(({ Type }) => Type === 'AWS::IAM::Role'),
  );
  expect(roles.length).toBeGreaterThan(50);
  for (const { Properties } of roles) expect(Properties).not.toHaveProperty('RoleName');
  const buckets = used.flatMap(({ Resources }) =>
    Object.values(Resources).filter(({ Type }) => Type === 'AWS::S3::Bucket'),
  );
  expect(buckets.length).toBe(1);
  for (const { Properties } of buckets) expect(Properties).not.toHaveProperty('BucketName');
});
