/**
 * Lists the routes of the dashboard's gateway. Each function routes the requests that it gets by itself.
 *
 * `ANY /{account}/{mode}/settings/keys` and `…/settings/providers` are routes of their own. So one function reads account
 * states, another one the credentials of payment providers, and no function both.
 */

/** A route of the dashboard's gateway. `path` uses the syntax of API Gateway, and `handler` is a file. */
export interface DashboardRoute {
  readonly method: 'ANY' | 'GET' | 'POST';
  readonly path: string;
  readonly handler: string;
}

export const dashboardRoutes = [
  { method: 'ANY', path: '/sign-in', handler: 'functions/dashboard/sign-in.ts' },
  { method: 'ANY', path: '/sign-in/{proxy+}', handler: 'functions/dashboard/sign-in.ts' },
  { method: 'POST', path: '/sign-out', handler: 'functions/dashboard/sign-in.ts' },
  { method: 'ANY', path: '/{account}/{mode}/settings/keys', handler: 'functions/dashboard/keys.ts' },
  { method: 'ANY', path: '/{account}/{mode}/settings/keys/{proxy+}', handler: 'functions/dashboard/keys.ts' },
  {
    method: 'ANY',
    path: '/{account}/{mode}/settings/providers',
    handler: 'functions/dashboard/providers.ts',
  },
  {
    method: 'ANY',
    path: '/{account}/{mode}/settings/providers/{proxy+}',
    handler: 'functions/dashboard/providers.ts',
  },
  { method: 'GET', path: '/', handler: 'functions/dashboard/pages.ts' },
  { method: 'GET', path: '/{proxy+}', handler: 'functions/dashboard/pages.ts' },
  { method: 'POST', path: '/{proxy+}', handler: 'functions/dashboard/actions.ts' },
] as const satisfies readonly DashboardRoute[];
