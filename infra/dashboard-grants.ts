/**
 * Lists the permissions of the dashboard's functions, as `grants.ts` does for the functions of the API. The function
 * `pages` has no write.
 */
import type { dashboardRoutes } from '../shared/dashboard/gateway-routes.ts';
import { type Grant, mergeAccess, type TableAccess } from './grants.ts';

export type DashboardHandlerFile = (typeof dashboardRoutes)[number]['handler'];

/** For every page and action: the session, the membership and the name of the account. */
const context: TableAccess = { session: ['GetItem'], members: ['GetItem'], account: ['GetItem'] };

/** For every action that commits a change of records. */
const change: TableAccess = { idempotency: ['GetItem', 'PutItem'], outbox: ['PutItem'] };

export const dashboardGrants: Readonly<Record<DashboardHandlerFile, Grant>> = {
  'functions/dashboard/sign-in.ts': {
    table: mergeAccess(context, {
      session: ['PutItem', 'DeleteItem'],
      userSession: ['Query', 'PutItem', 'DeleteItem'],
      members: ['PutItem'],
      userAccount: ['PutItem'],
      auditEntry: ['PutItem'],
    }),
  },
  'functions/dashboard/pages.ts': {
    table: mergeAccess(context, {
      userAccount: ['Query'],
      invoice: ['GetItem', 'BatchGetItem'],
      payment: ['GetItem', 'BatchGetItem'],
      refund: ['GetItem', 'BatchGetItem'],
      indexPage: ['Query'],
      event: ['Query'],
      eventPointer: ['BatchGetItem'],
      webhook: ['Query'],
      webhookHealth: ['BatchGetItem'],
    }),
    accountState: 'readUsage',
    listsConnections: true,
    secrets: ['deployment'],
    payUrlBase: true,
  },
  'functions/dashboard/actions.ts': {
    table: mergeAccess(context, change, {
      indexPage: ['UpdateItem'],
      invoice: ['GetItem', 'PutItem', 'ConditionCheckItem'],
      payment: ['GetItem', 'PutItem'],
      connection: ['GetItem'],
      checkout: ['GetItem', 'PutItem'],
      providerPayment: ['PutItem'],
      refund: ['GetItem', 'PutItem'],
    }),
    accountState: 'allocateNumbers',
    secrets: ['deployment', 'providers'],
    payUrlBase: true,
  },
  'functions/dashboard/event-pages.ts': {
    table: mergeAccess(context, {
      event: ['Query', 'GetItem', 'BatchGetItem'],
      eventPointer: ['GetItem'],
      webhook: ['GetItem', 'BatchGetItem', 'Query'],
      webhookHealth: ['BatchGetItem'],
      delivery: ['GetItem', 'BatchGetItem', 'Query'],
    }),
  },
  'functions/dashboard/webhooks.ts': {
    table: mergeAccess(context, change, {
      webhook: ['GetItem', 'PutItem', 'DeleteItem', 'ConditionCheckItem'],
      webhookHealth: ['DeleteItem'],
    }),
    secrets: ['deployment', 'webhooks'],
    callsReceivers: true,
  },
  'functions/dashboard/webhook-sends.ts': {
    table: mergeAccess(context, change, {
      webhook: ['GetItem', 'BatchGetItem', 'PutItem', 'ConditionCheckItem'],
      webhookHealth: ['BatchGetItem', 'DeleteItem'],
      webhookSends: ['UpdateItem'],
      delivery: ['GetItem', 'BatchGetItem', 'PutItem'],
      event: ['BatchGetItem'],
    }),
    secrets: ['deployment', 'webhooks'],
    callsReceivers: true,
  },
  'functions/dashboard/settings.ts': {
    table: mergeAccess(context, {
      members: ['PutItem'],
      userAccount: ['DeleteItem'],
      auditEntry: ['PutItem', 'Query'],
    }),
    changesSettings: true,
    listsConnections: true,
    createsUsers: true,
    secrets: ['deployment'],
  },
  'functions/dashboard/providers.ts': {
    table: mergeAccess(context, { connection: ['GetItem', 'PutItem'], auditEntry: ['PutItem'] }),
    listsConnections: true,
    secrets: ['deployment', 'providers'],
    payUrlBase: true,
  },
  'functions/dashboard/keys.ts': {
    table: mergeAccess(context, {
      apiKey: ['GetItem', 'PutItem', 'UpdateItem'],
      keySigners: ['UpdateItem'],
      auditEntry: ['PutItem'],
    }),
    accountState: 'manageKeys',
    secrets: ['deployment', 'keySigning'],
    payUrlBase: true,
  },
};
