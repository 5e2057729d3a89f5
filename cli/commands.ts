/** Lists all commands: those for operators of the service, and those for users of its API. */
import { accountCommands } from './accounts.ts';
import { apiCommands } from './api-commands.ts';
import { apiHelp } from './api-connection.ts';
import { auditCommands } from './audit.ts';
import { canaryCommands } from './canary.ts';
import type { CommandGroup } from './command.ts';
import { completionCommands } from './completion.ts';
import { deploymentCommands } from './deployment-command.ts';
import { eraseCommand } from './erase.ts';
import { keyCommands } from './keys.ts';
import { maintenanceCommands } from './maintenance.ts';
import { poisonCommands } from './poison.ts';
import { providerCommands } from './providers.ts';
import { reconcileCommands } from './reconcile.ts';
import { releaseCommands } from './release-command.ts';
import { secretCommands } from './secrets.ts';
import { timerCommands } from './timers.ts';
import { userCommands } from './users.ts';

export const commands: CommandGroup = {
  about: 'Manage invoices, payments and webhooks with Remit, an invoicing and payments API.',
  details: `The commands accounts, keys, users, providers, audit, reconcile, timers, poison, secrets, erase, maintenance and deployment
access the table directly and need no API key. They use the table of the local stack. To use the table of a deployment, add --stage. The command release shows what a deployment runs. The
commands completion, login, logout and profiles manage the command line itself. All other commands call the API.

In all groups, "ls" is list, and "show" and "get" are the same. For help, add --help, or run npx remit help COMMAND.

${apiHelp}`,
  commands: {
    ...apiCommands,
    accounts: accountCommands,
    keys: keyCommands,
    users: userCommands,
    providers: providerCommands,
    reconcile: reconcileCommands,
    timers: timerCommands,
    poison: poisonCommands,
    audit: auditCommands,
    secrets: secretCommands,
    erase: eraseCommand,
    maintenance: maintenanceCommands,
    canary: canaryCommands,
    deployment: deploymentCommands,
    release: releaseCommands,
    completion: completionCommands(() => commands),
  },
};
