import { expect, test } from '@jest/globals';
import { createRouteMatcher } from '../../../../infra/local/route-table.ts';
import { dashboardRoutes } from '../../../../shared/web/dashboard/gateway-routes.ts';

const match = createRouteMatcher(dashboardRoutes);
const [signIn, pages, actions] = [
  'functions/dashboard/sign-in.ts',
  'functions/dashboard/pages.ts',
  'functions/dashboard/actions.ts',
];

test.each([
  ['GET', '/', pages],
  ['GET', '/acct_1/test/invoices', pages],
  ['POST', '/acct_1/test/invoices', actions],
  ['GET', '/sign-in', signIn],
  ['POST', '/sign-in/sessions', signIn],
  ['GET', '/sign-in/a/b', signIn],
  ['GET', '/sign-ins', pages],
  ['POST', '/sign-out', signIn],
  ['GET', '/sign-out', pages],
  ['PUT', '/acct_1/test/invoices', undefined],
  ['PUT', '/sign-in/sessions', signIn],
])('%s %s goes to %s', (method, path, handler) => {
  expect(match(method, path)?.route.handler).toBe(handler);
});

test('a greedy parameter is the rest of the path in its raw form', () => {
  expect(match('GET', '/sign-in/a%2Fb/c')?.pathParameters).toEqual({ proxy: 'a%2Fb/c' });
});
