/**
 * Tests that the stacks of the API stay below the limits of CloudFormation for one stack, and have room for 60 more
 * routes. More routes move no other route.
 */
import { beforeAll, expect, test } from '@jest/globals';
import { triggers } from '../../infra/triggers.ts';
import { routes } from '../../shared/api/routes.ts';
import { type App, cyclesOf, resourcePath, resourcesOfType, synthesize, type Template } from './template.ts';

const limits = { resources: 500, parameters: 200, outputs: 200, bytes: 1_000_000 };
const largest = {
  stage: 'prod',
  alarmEmail: 'on-call@example.com',
  gatewayLogRole: 'true',
  customerKey: 'true',
  canary: 'true',
  backupRegion: 'eu-west-1',
  domainName: 'api.example.com',
  certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d-0000-4000-8000-000000000000',
};

let current: App;
let larger: App;

beforeAll(async () => {
  [current, larger] = await Promise.all([
    synthesize(largest),
    synthesize(largest, { appFile: 'test/infra/larger-app.ts' }),
  ]);
});

const sizeOf = ({ Resources, Parameters = {}, Outputs = {}, ...others }: Template) => ({
  resources: Object.keys(Resources).length,
  parameters: Object.keys(Parameters).length,
  outputs: Object.keys(Outputs).length,
  bytes: JSON.stringify({ Resources, Parameters, Outputs, ...others }, null, 1).length,
});
const functionsIn = ({ Resources }: Template) => resourcesOfType(Resources, 'AWS::Lambda::Function').length;

test('60 more routes fit into the stacks, also with all settings', () => {
  expect(functionsIn(larger.stateless) - functionsIn(current.stateless)).toBe(60);
  const sizes = [...current.statelessParts, ...larger.statelessParts].map(sizeOf);
  for (const size of sizes) {
    for (const name of Object.keys(limits) as (keyof typeof limits)[])
      expect([name, size[name] <= 0.98 * limits[name]]).toEqual([name, true]);
  }
});

test('a later route is complete in its nested stack: function, methods and permission', () => {
  const { Resources } = larger.stateless;
  const methods = resourcesOfType(Resources, 'AWS::ApiGateway::Method').map(
    ([, { Properties }]) => `${Properties.HttpMethod} ${resourcePath(Resources, Properties.ResourceId)}`,
  );
  const path = '/api/resource-3/{id}/part-2';
  expect(methods.filter((method) => method.endsWith(` ${path}`)).sort()).toEqual(
    ['ANY', 'GET', 'HEAD', 'PATCH'].map((method) => `${method} ${path}`),
  );
  expect(methods).toEqual(expect.arrayContaining(['ANY /api/resource-3', 'ANY /api/resource-3/{id}']));
  expect(new Set(methods).size).toBe(methods.length);
  const permissions = resourcesOfType(Resources, 'AWS::Lambda::Permission').filter(
    ([, { Properties }]) => Properties.Principal === 'apigateway.amazonaws.com',
  );
  const functions = permissions.map(([, { Properties }]) => JSON.stringify(Properties.FunctionName));
  expect(functions.filter((name) => /MoreRoute\d+Function/.test(name))).toHaveLength(60);
  expect(larger.rules.violations).toEqual([]);
});

test('the deployment of the API waits for the nested stacks, and no reference is circular', () => {
  const [main] = larger.statelessParts;
  const [[, deployment] = []] = resourcesOfType(main?.Resources ?? {}, 'AWS::ApiGateway::Deployment');
  const nested = resourcesOfType(main?.Resources ?? {}, 'AWS::CloudFormation::Stack').map(([id]) => id);
  expect(nested.length - (current.statelessParts.length - 1)).toBe(6);
  expect(deployment?.DependsOn).toEqual(expect.arrayContaining(nested));
  for (const { Resources } of larger.statelessParts) expect(cyclesOf(Resources)).toEqual([]);
});

test('more routes move no resource to another stack', () => {
  // Each version of a function and each deployment of the API has an id of its own.
  const idsOf = ({ Resources }: Template) =>
    Object.entries(Resources).flatMap(([id, { Type }]) =>
      ['AWS::Lambda::Version', 'AWS::ApiGateway::Deployment'].includes(Type) ? [] : [id],
    );
  const parts = larger.statelessParts.map((part) => new Set(idsOf(part)));
  const moved = current.statelessParts.filter(
    (part) => !parts.some((after) => idsOf(part).every((id) => after.has(id))),
  );
  expect(moved.map(idsOf)).toEqual([]);
});

test('the routes are in nested stacks, which wait for no other, and what they share is in the stateless stack', () => {
  const [main, ...nested] = current.statelessParts;
  const functionsOf = (part: Template | undefined) =>
    resourcesOfType(part?.Resources ?? {}, 'AWS::Lambda::Function').map(
      ([, fn]) => fn.Properties.Description,
    );
  const background = Object.values(triggers).map(({ handler }) => handler);
  expect(functionsOf(main).sort()).toEqual([...background, routes.notFound.handler].sort());
  const { notFound: _, ...others } = routes;
  expect(new Set(nested.flatMap(functionsOf))).toEqual(
    new Set(Object.values(others).map(({ handler }) => handler)),
  );
  for (const [, stack] of resourcesOfType(main?.Resources ?? {}, 'AWS::CloudFormation::Stack')) {
    expect(JSON.stringify(stack.Properties.Parameters)).not.toContain('Outputs.');
    expect(stack.DependsOn).toBeUndefined();
  }
});
