/** All commands, for whoever operates the service and for whoever uses its API. */
import { accounts } from './accounts.ts';
import { apiHelp } from './api-connection.ts';
import type { Group } from './command.ts';
import { events } from './events.ts';
import { invoices } from './invoices.ts';
import { keys } from './keys.ts';
import { listen } from './listen.ts';
import { open } from './open.ts';
import { payments } from './payments.ts';
import { reconcile } from './reconcile.ts';
import { refunds } from './refunds.ts';
import { trigger } from './trigger.ts';
import { webhooks } from './webhooks.ts';

export const commands: Group = {
  about: 'The command line of Remit, an invoicing and payments API.',
  details: `accounts, keys and reconcile work on the table itself, without an API key: on the local stack's or, with TABLE_NAME
and the usual AWS variables set, on a deployed one. All others call the API.

${apiHelp}`,
  commands: {
    invoices,
    payments,
    refunds,
    events,
    webhooks,
    listen,
    trigger,
    open,
    accounts,
    keys,
    reconcile,
  },
};
