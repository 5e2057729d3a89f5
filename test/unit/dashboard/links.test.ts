import { expect, test } from '@jest/globals';
import { accountPath, invitationPath } from '../../../shared/domain/users/dashboard-paths.ts';
import { createLinks, safeReturnPath } from '../../../shared/web/dashboard/links.ts';

test("links contain the stage of API Gateway's own address", () => {
  const { rootUrl } = createLinks('https://abc.execute-api.eu-west-1.amazonaws.com/prod');
  expect(rootUrl('/sign-in')).toBe('/prod/sign-in');
  expect(rootUrl(accountPath('acct_1', 'live', '/invoices'))).toBe('/prod/acct_1/live/invoices');
  expect(createLinks('https://dashboard.example.com').rootUrl('/')).toBe('/');
});

test('an invitation path can be a return path', () => {
  const path = invitationPath('acct_1', 'x'.repeat(32));
  expect(safeReturnPath(path)).toBe(path);
});

test.each([
  undefined,
  '',
  'x',
  'https://evil.example',
  '//evil.example',
  '/\\evil.example',
  '/x\\y',
  '/\n/evil.example',
  '/é',
  `/${'x'.repeat(1000)}`,
])('%p is no return path', (path) => {
  expect(safeReturnPath(path)).toBe('/');
});
