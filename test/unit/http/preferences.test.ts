/** Tests which values of the header `Prefer` ask to wait (RFC 7240). */
import { expect, test } from '@jest/globals';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { prefersToWait } from '../../../shared/api/http/preferences.ts';

const prefers = (...prefer: string[]) =>
  prefersToWait({ multiValueHeaders: { prefer } } as unknown as APIGatewayProxyEvent);

test.each([
  'wait',
  'Wait',
  'wait=1',
  'wait = 10',
  'wait="10"',
  'wait=""',
  'wait; foo=bar',
  'wait=5;foo',
  'respond-async, wait',
  'return=minimal,wait=100',
  'foo="a, wait=0", wait',
  ' , wait ,',
])('%s asks to wait', (value) => expect(prefers(value)).toBe(true));

test.each([
  '',
  'wait=0',
  'wait=soon',
  'wait=-1',
  'wait=1.5',
  'waiting',
  'x-wait',
  'foo="wait"',
  'foo=wait',
  'foo; wait',
  'foo="a, wait"',
])('%s does not ask to wait', (value) => expect(prefers(value)).toBe(false));

test('several headers are one list, and only the first wait counts', () => {
  expect(prefers('return=minimal', 'wait')).toBe(true);
  expect(prefers('wait=0', 'wait')).toBe(false);
  expect(prefers('wait', 'wait=0')).toBe(true);
  expect(prefersToWait({ multiValueHeaders: null } as unknown as APIGatewayProxyEvent)).toBe(false);
});
