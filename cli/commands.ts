/** Lists all commands: those for operators of the service, and those for users of its API. */
import { accountCommands } from './accounts.ts';
import { apiHelp } from './api-connection.ts';
import { auditCommands } from './audit.ts';
import { canaryCommands } from './canary.ts';
import type { CommandGroup } from './command.ts';
import { deploymentCommands } from './deployment-command.ts';
import { eraseCommand } from './erase.ts';
import { eventCommands } from './events.ts';
import { exportCommand } from './export.ts';
import { invoiceCommands } from './invoices.ts';
import { keyCommands } from './keys.ts';
import { listenCommand } from './listen.ts';
import { maintenanceCommands } from './maintenance.ts';
import { migrateCommands } from './migrate.ts';
import { openCommand } from './open.ts';
import { paymentCommands } from './payments.ts';
import { providerCommands } from './providers.ts';
import { reconcileCommands } from './reconcile.ts';
import { refundCommands } from './refunds.ts';
import { secretCommands } from './secrets.ts';
import { timerCommands } from './timers.ts';
import { triggerCommand } from './trigger.ts';
import { userCommands } from './users.ts';
import { webhookCommands } from './webhooks.ts';

export const commands: CommandGroup = {
  about: 'Manage invoices, payments and webhooks with Remit, an invoicing and payments API.',
  details: `The commands accounts, keys, users, providers, audit, reconcile, timers, secrets, export, erase, maintenance, migrate and deployment
access the table directly and need no API key. They use the table of the local stack. To use the table of a deployment, add --stage. All other
commands call the API.

${apiHelp}`,
  commands: {
    invoices: invoiceCommands,
    payments: paymentCommands,
    refunds: refundCommands,
    events: eventCommands,
    webhooks: webhookCommands,
    listen: listenCommand,
    trigger: triggerCommand,
    open: openCommand,
    accounts: accountCommands,
    keys: keyCommands,
    users: userCommands,
    providers: providerCommands,
    reconcile: reconcileCommands,
    timers: timerCommands,
    audit: auditCommands,
    secrets: secretCommands,
    export: exportCommand,
    erase: eraseCommand,
    maintenance: maintenanceCommands,
    canary: canaryCommands,
    deployment: deploymentCommands,
    migrate: migrateCommands,
  },
};
