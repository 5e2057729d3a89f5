/**
 * Lists the permissions of the dashboard's functions, as `grants.ts` does for the functions of the API. The function
 * `pages` has no other write than the time of the last use of a session. All but that of the sign-in read the clock of test mode, which the frame of every page shows.
 */

import type { QueueName } from '../shared/base/queues.ts';
import { sellerSettingAttributes, settingAttributes } from '../shared/domain/accounts/account.ts';
import type { dashboardRoutes } from '../shared/web/dashboard/gateway-routes.ts';
import {
  allocatingIfOpen,
  changingEntries,
  changingKeys,
  guardOfKeys,
  keySettings,
  listingKeys,
  puttingReplacements,
  readingClockForLists,
  readingEntries,
  readingKeyNames,
  readingSeller,
  readingUsage,
  replacedKey,
  resettingClock,
  showingClock,
  summarizingKeys,
  writingSeller,
} from './account-state-access.ts';
import {
  advancingClock,
  type Grant,
  mergeAccess,
  searchingIds,
  searchingTerms,
  type TableAccess,
} from './grants.ts';

export type DashboardHandlerFile = (typeof dashboardRoutes)[number]['handler'];

/** For every page and action: the session, the membership, the key that verifies both, and the name of the account. */
const context: TableAccess = {
  session: ['GetItem'],
  members: ['GetItem'],
  signingKey: ['GetItem'],
  account: ['GetItem'],
};

/** For every action that commits a change of records. */
const change: TableAccess = { idempotency: ['GetItem', 'PutItem'], outbox: ['PutItem'] };

const grantsOfPages: Readonly<Record<DashboardHandlerFile, Grant>> = {
  'functions/dashboard/sign-in.ts': {
    table: mergeAccess(context, {
      session: ['PutItem', 'DeleteItem'],
      userSession: ['Query', 'PutItem', 'DeleteItem'],
      members: ['PutItem'],
      signingKey: ['PutItem'],
      userAccount: ['PutItem', 'Query'],
      outbox: ['PutItem'],
    }),
    secrets: ['signing'],
  },
  'functions/dashboard/pages.ts': {
    table: mergeAccess(context, {
      userAccount: ['Query'],
      invoice: ['GetItem', 'BatchGetItem'],
      invoiceReference: ['GetItem'],
      searchEntry: ['Query'],
      draft: ['GetItem', 'BatchGetItem'],
      document: ['BatchGetItem'],
      credit: ['Query'],
      payment: ['GetItem', 'BatchGetItem'],
      refund: ['GetItem', 'BatchGetItem'],
      customer: ['GetItem', 'BatchGetItem'],
      seller: ['GetItem'],
      product: ['GetItem', 'BatchGetItem'],
      statement: ['BatchGetItem'],
      rowUse: ['Query'],
      indexPage: ['Query'],
      event: ['Query'],
      eventPointer: ['BatchGetItem'],
      eventCursor: ['GetItem'],
      daySums: ['Query'],
      webhook: ['Query'],
      webhookHealth: ['BatchGetItem'],
      invoiceMail: ['Query'],
      mail: ['BatchGetItem', 'Query'],
      mailAddress: ['BatchGetItem'],
    }),
    accountState: [readingUsage, readingSeller],
    listsConnections: true,
    secrets: ['deployment'],
    payUrlBase: true,
  },
  'functions/dashboard/actions.ts': {
    table: mergeAccess(context, change, {
      // A form of an invoice that is shown again offers products and customers.
      indexPage: ['UpdateItem', 'Query'],
      invoice: ['GetItem', 'BatchGetItem', 'PutItem', 'ConditionCheckItem'],
      invoiceReference: ['PutItem'],
      draft: ['GetItem', 'PutItem', 'ConditionCheckItem'],
      bankReference: ['GetItem', 'PutItem', 'DeleteItem'],
      credit: ['Query', 'PutItem', 'DeleteItem'],
      rowUse: ['GetItem', 'PutItem'],
      searchEntry: ['PutItem', 'DeleteItem', 'Query'],
      customer: ['GetItem', 'BatchGetItem', 'PutItem', 'ConditionCheckItem'],
      seller: ['GetItem'],
      product: ['GetItem', 'BatchGetItem', 'PutItem', 'ConditionCheckItem'],
      // Another request can use the credit that a new invoice has found.
      payment: ['GetItem', 'BatchGetItem', 'PutItem', 'ConditionCheckItem'],
      connection: ['GetItem'],
      checkout: ['GetItem', 'PutItem'],
      providerReference: ['PutItem'],
      refund: ['GetItem', 'PutItem'],
      mail: ['GetItem', 'PutItem'],
      mailAddress: ['DeleteItem'],
      invoiceMail: ['PutItem'],
      attempts: ['UpdateItem'],
    }),
    mailFrom: true,
    accountState: [
      readingUsage,
      readingSeller,
      allocatingIfOpen('invoice', 'payment', 'refund', 'customer', 'product', 'draft'),
    ],
    secrets: ['deployment', 'providers'],
    payUrlBase: true,
  },
  'functions/dashboard/event-pages.ts': {
    table: mergeAccess(context, {
      event: ['Query', 'GetItem', 'BatchGetItem'],
      eventPointer: ['GetItem'],
      customer: ['BatchGetItem'],
      webhook: ['GetItem', 'BatchGetItem', 'Query'],
      webhookHealth: ['BatchGetItem'],
      delivery: ['GetItem', 'BatchGetItem', 'Query'],
    }),
    accountState: [showingClock],
    eventTargets: 'knows',
  },
  'functions/dashboard/webhooks.ts': {
    table: mergeAccess(context, change, {
      webhook: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
      webhookHealth: ['DeleteItem'],
    }),
    accountState: [showingClock],
    secrets: ['deployment', 'webhooks'],
    callsReceivers: true,
    eventTargets: 'knows',
  },
  'functions/dashboard/webhook-sends.ts': {
    table: mergeAccess(context, change, {
      webhook: ['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
      webhookHealth: ['BatchGetItem', 'DeleteItem'],
      webhookSends: ['UpdateItem'],
      delivery: ['GetItem', 'BatchGetItem', 'PutItem'],
      event: ['BatchGetItem'],
    }),
    accountState: [showingClock],
    secrets: ['deployment', 'webhooks'],
    callsReceivers: true,
    eventTargets: 'sendsTo',
  },
  'functions/dashboard/settings.ts': {
    table: mergeAccess(context, { outbox: ['PutItem'], auditEntry: ['Query'] }),
    accountState: [showingClock, readingKeyNames],
    changesSettings: settingAttributes,
    listsConnections: true,
    secrets: ['deployment'],
  },
  'functions/dashboard/members.ts': {
    table: mergeAccess(context, {
      members: ['PutItem'],
      userAccount: ['DeleteItem'],
      outbox: ['PutItem'],
    }),
    accountState: [showingClock],
    createsUsers: true,
    secrets: ['deployment', 'signing'],
  },
  'functions/dashboard/seller.ts': {
    table: mergeAccess(context, {
      seller: ['GetItem', 'PutItem'],
      series: ['GetItem', 'PutItem'],
      outbox: ['PutItem'],
    }),
    bucket: { logo: ['GetObject', 'PutObject'] },
    accountState: [showingClock, writingSeller],
    changesSettings: sellerSettingAttributes,
    secrets: ['deployment'],
  },
  'functions/dashboard/providers.ts': {
    table: mergeAccess(context, { connection: ['GetItem', 'PutItem'], outbox: ['PutItem'] }),
    accountState: [showingClock],
    listsConnections: true,
    secrets: ['deployment', 'providers'],
    payUrlBase: true,
  },
  'functions/dashboard/keys.ts': {
    table: mergeAccess(context, {
      apiKey: ['PutItem', 'UpdateItem'],
      outbox: ['PutItem'],
    }),
    accountState: [
      showingClock,
      readingEntries,
      listingKeys,
      changingEntries,
      changingKeys(...guardOfKeys, ...keySettings, ...replacedKey),
      puttingReplacements,
    ],
    secrets: ['deployment'],
    payUrlBase: true,
  },
  'functions/dashboard/downloads.ts': {
    table: mergeAccess(context, {
      invoice: ['GetItem', 'BatchGetItem'],
      invoiceReference: ['GetItem'],
      payment: ['GetItem', 'BatchGetItem'],
      refund: ['GetItem', 'BatchGetItem'],
      customer: ['GetItem', 'BatchGetItem'],
      searchEntry: ['Query'],
      indexPage: ['Query'],
      seller: ['GetItem'],
    }),
    accountState: [readingUsage],
    bucket: { logo: ['GetObject'] },
    secrets: ['deployment'],
  },
  'functions/dashboard/search.ts': {
    table: mergeAccess(context, searchingTerms, searchingIds),
    accountState: [readingUsage, summarizingKeys],
    secrets: ['deployment'],
  },
  'functions/dashboard/account-statements.ts': {
    table: mergeAccess(context, {
      customer: ['GetItem'],
      indexPage: ['Query'],
      invoice: ['GetItem', 'BatchGetItem'],
      payment: ['GetItem', 'BatchGetItem'],
      refund: ['GetItem', 'BatchGetItem'],
      seller: ['GetItem'],
    }),
    accountState: [readingUsage],
    bucket: { logo: ['GetObject'] },
    secrets: ['deployment'],
  },
  'functions/dashboard/exports.ts': {
    table: mergeAccess(context, change, {
      indexPage: ['Query', 'UpdateItem'],
      export: ['GetItem', 'BatchGetItem', 'PutItem'],
      exportSlot: ['Query', 'PutItem'],
    }),
    accountState: [readingUsage, allocatingIfOpen('export')],
    bucket: { export: ['GetObject'] },
    secrets: ['deployment'],
  },
  'functions/dashboard/schedules.ts': {
    table: mergeAccess(context, change, {
      schedule: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'ConditionCheckItem'],
      // The form of a schedule offers products and customers. It begins with an invoice or draft that is to repeat.
      indexPage: ['UpdateItem', 'Query'],
      invoice: ['GetItem'],
      draft: ['GetItem'],
      customer: ['GetItem', 'BatchGetItem'],
      searchEntry: ['Query'],
      product: ['GetItem', 'BatchGetItem'],
      seller: ['GetItem'],
    }),
    accountState: [readingUsage, readingSeller, allocatingIfOpen('schedule')],
    secrets: ['deployment'],
    mailFrom: true,
    payUrlBase: true,
  },
  'functions/dashboard/bank-statements.ts': {
    table: mergeAccess(context, change, {
      indexPage: ['Query', 'UpdateItem'],
      statement: ['GetItem', 'BatchGetItem', 'Query', 'PutItem'],
      rowUse: ['Query', 'GetItem', 'PutItem', 'ConditionCheckItem', 'DeleteItem'],
      bankReference: ['PutItem'],
      credit: ['PutItem'],
      searchEntry: ['Query'],
      invoiceReference: ['GetItem'],
      customer: ['BatchGetItem'],
      invoice: ['GetItem', 'BatchGetItem', 'PutItem', 'ConditionCheckItem'],
      payment: ['GetItem', 'BatchGetItem', 'PutItem'],
      connection: ['GetItem'],
      checkout: ['GetItem', 'PutItem'],
      providerReference: ['PutItem'],
      refund: ['BatchGetItem', 'GetItem', 'PutItem'],
    }),
    accountState: [readingUsage, readingSeller, allocatingIfOpen('statement', 'payment')],
    bucket: { statementFile: ['GetObject', 'PutObject'] },
    secrets: ['deployment', 'providers'],
  },
  'functions/dashboard/clock.ts': {
    table: mergeAccess(context, advancingClock, {
      idempotency: ['GetItem', 'PutItem'],
      eventCursor: ['GetItem'],
    }),
    accountState: [readingClockForLists, resettingClock],
    secrets: ['deployment'],
    payUrlBase: true,
    sendsTo: ['overdue', 'payment', 'refund', 'webhook', 'mail'],
  },
};

/** Each function also stores that a session is in use. */
export const dashboardGrants = Object.fromEntries(
  Object.entries<Grant>(grantsOfPages).map(([file, grant]) => [file, { ...grant, usesSession: true }]),
) as Readonly<Record<DashboardHandlerFile, Grant>>;

/** The queues to which functions of the dashboard send. */
export const dashboardQueues: readonly QueueName[] = [
  ...new Set(Object.values(dashboardGrants).flatMap(({ sendsTo = [] }) => sendsTo)),
];
