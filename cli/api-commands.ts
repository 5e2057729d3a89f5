/** Lists the commands for users of the API. The package of the command line has only these. */
import { withProfileOption } from './api-connection.ts';
import { clockCommands } from './clock.ts';
import type { CommandGroup } from './command.ts';
import { customerCommands } from './customers.ts';
import { draftCommands } from './drafts.ts';
import { eventCommands } from './events.ts';
import { exportsCommands } from './exports.ts';
import { importCommand } from './import.ts';
import { invoiceCommands } from './invoices.ts';
import { listenCommand } from './listen.ts';
import { mailCommands } from './mails.ts';
import { mcpCommand } from './mcp.ts';
import { openCommand } from './open.ts';
import { paymentCommands } from './payments.ts';
import { productCommands } from './products.ts';
import { loginCommand, logoutCommand, profileCommands } from './profiles.ts';
import { refundCommands } from './refunds.ts';
import { scheduleCommands } from './schedules.ts';
import { searchCommand } from './search.ts';
import { statementCommands } from './statements.ts';
import { triggerCommand } from './trigger.ts';
import { webhookCommands } from './webhooks.ts';

export const apiCommands: CommandGroup['commands'] = {
  invoices: invoiceCommands,
  payments: paymentCommands,
  refunds: refundCommands,
  customers: customerCommands,
  products: productCommands,
  drafts: draftCommands,
  schedules: scheduleCommands,
  statements: statementCommands,
  exports: exportsCommands,
  mails: mailCommands,
  events: eventCommands,
  webhooks: webhookCommands,
  clock: clockCommands,
  ...withProfileOption({
    listen: listenCommand,
    import: importCommand,
    trigger: triggerCommand,
    search: searchCommand,
    open: openCommand,
    mcp: mcpCommand,
  }),
  login: loginCommand,
  logout: logoutCommand,
  profiles: profileCommands,
};
