/** Tests how a process calls AWS, and at which endpoints. */
import { afterEach, expect, test } from '@jest/globals';
import { env } from '../../shared/base/env.ts';
import { publicEndpoint } from '../../shared/platform/aws/endpoint.ts';

const before = { ...process.env };
afterEach(() => {
  process.env = { ...before };
});

const inRegion = (AWS_REGION: string, more = {}) => Object.assign(process.env, { AWS_REGION, ...more });

test.each([
  ['eu-west-1', 'https://dynamodb.eu-west-1.amazonaws.com'],
  ['us-gov-west-1', 'https://dynamodb.us-gov-west-1.amazonaws.com'],
  ['cn-north-1', 'https://dynamodb.cn-north-1.amazonaws.com.cn'],
])('the endpoint in %s is %s', (region, endpoint) => {
  inRegion(region);
  expect(publicEndpoint('dynamodb')).toBe(endpoint);
  expect(publicEndpoint('sqs', 'https://sqs.example.com/q')).toBe('https://sqs.example.com/q');
});

test.each([
  ['us-iso-east-1', {}],
  ['eusc-de-east-1', {}],
  ['us-east-1', { AWS_USE_FIPS_ENDPOINT: 'true' }],
  ['us-east-1', { AWS_USE_DUALSTACK_ENDPOINT: 'true' }],
])('in %s with %j, the error names the remedy', (region, more) => {
  inRegion(region, more);
  expect(() => publicEndpoint('sqs', 'https://sqs.example.com/q')).toThrow('Set AWS_CALLS to sdk.');
});

const credentials = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'A' };
test.each([
  ['direct', { ...credentials }],
  ['sdk', { ...credentials, AWS_PROFILE: 'shop' }],
  ['sdk', { AWS_REGION: 'eu-west-1' }],
  ['sdk', { AWS_ACCESS_KEY_ID: 'A' }],
  ['sdk', { ...credentials, AWS_CALLS: 'sdk' }],
  ['direct', { AWS_CALLS: 'direct' }],
])('calls are made %s with %j', (expected, variables) => {
  process.env = variables;
  expect(env.awsCalls()).toBe(expected);
});
