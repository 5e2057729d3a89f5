/**
 * Lists the routes of the dashboard's gateway. Each function routes the requests that it gets by itself.
 *
 * Each function may do only what its own routes need. So only one signs API keys, only one reads files of banks, only one changes members, only one moves the clock of test mode, only one
 * writes the credentials of payment providers, only one calls the receivers of webhooks, and the function of most pages writes
 * only that a session is in use.
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
  {
    method: 'ANY',
    path: '/{account}/{mode}/settings/invoices',
    handler: 'functions/dashboard/seller.ts',
  },
  {
    method: 'ANY',
    path: '/{account}/{mode}/settings/invoices/{proxy+}',
    handler: 'functions/dashboard/seller.ts',
  },
  {
    method: 'ANY',
    path: '/{account}/{mode}/settings/members',
    handler: 'functions/dashboard/members.ts',
  },
  {
    method: 'ANY',
    path: '/{account}/{mode}/settings/members/{proxy+}',
    handler: 'functions/dashboard/members.ts',
  },
  { method: 'ANY', path: '/{account}/{mode}/settings', handler: 'functions/dashboard/settings.ts' },
  { method: 'ANY', path: '/{account}/{mode}/settings/{proxy+}', handler: 'functions/dashboard/settings.ts' },
  { method: 'ANY', path: '/{account}/{mode}/clock', handler: 'functions/dashboard/clock.ts' },
  { method: 'ANY', path: '/{account}/{mode}/clock/{proxy+}', handler: 'functions/dashboard/clock.ts' },
  { method: 'ANY', path: '/{account}/{mode}/schedules', handler: 'functions/dashboard/schedules.ts' },
  {
    method: 'ANY',
    path: '/{account}/{mode}/schedules/{proxy+}',
    handler: 'functions/dashboard/schedules.ts',
  },
  { method: 'GET', path: '/{account}/{mode}/search', handler: 'functions/dashboard/search.ts' },
  { method: 'GET', path: '/{account}/{mode}/events', handler: 'functions/dashboard/event-pages.ts' },
  { method: 'GET', path: '/{account}/{mode}/events/{proxy+}', handler: 'functions/dashboard/event-pages.ts' },
  { method: 'GET', path: '/{account}/{mode}/webhooks', handler: 'functions/dashboard/event-pages.ts' },
  {
    method: 'GET',
    path: '/{account}/{mode}/webhooks/{proxy+}',
    handler: 'functions/dashboard/event-pages.ts',
  },
  { method: 'POST', path: '/{account}/{mode}/webhooks/{proxy+}', handler: 'functions/dashboard/webhooks.ts' },
  {
    method: 'POST',
    path: '/{account}/{mode}/webhook-sends/{proxy+}',
    handler: 'functions/dashboard/webhook-sends.ts',
  },
  {
    method: 'GET',
    path: '/{account}/{mode}/downloads/{proxy+}',
    handler: 'functions/dashboard/downloads.ts',
  },
  {
    method: 'GET',
    path: '/{account}/{mode}/mails/{proxy+}',
    handler: 'functions/dashboard/downloads.ts',
  },
  {
    method: 'GET',
    path: '/{account}/{mode}/payment-page/{proxy+}',
    handler: 'functions/dashboard/downloads.ts',
  },
  {
    method: 'GET',
    path: '/{account}/{mode}/account-statements/{proxy+}',
    handler: 'functions/dashboard/account-statements.ts',
  },
  { method: 'ANY', path: '/{account}/{mode}/exports', handler: 'functions/dashboard/exports.ts' },
  { method: 'ANY', path: '/{account}/{mode}/exports/{proxy+}', handler: 'functions/dashboard/exports.ts' },
  {
    method: 'ANY',
    path: '/{account}/{mode}/bank-statements',
    handler: 'functions/dashboard/bank-statements.ts',
  },
  {
    method: 'ANY',
    path: '/{account}/{mode}/bank-statements/{proxy+}',
    handler: 'functions/dashboard/bank-statements.ts',
  },
  { method: 'GET', path: '/', handler: 'functions/dashboard/pages.ts' },
  { method: 'GET', path: '/{proxy+}', handler: 'functions/dashboard/pages.ts' },
  { method: 'POST', path: '/{proxy+}', handler: 'functions/dashboard/actions.ts' },
] as const satisfies readonly DashboardRoute[];
