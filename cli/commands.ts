/** Lists all commands: those for users of the API, and those for operators of the service. */
import { apiCommands } from './api-commands.ts';
import { apiHelp } from './api-connection.ts';
import type { CommandGroup } from './command.ts';
import { completionCommands } from './completion.ts';
import { operatorCommands, operatorHelp } from './operator-commands.ts';
import { releaseCommands } from './release-command.ts';

export const commands: CommandGroup = {
  about: 'Manage invoices, payments and webhooks with Remit, an invoicing and payments API.',
  details: `${operatorHelp} The command release shows what a deployment runs. The
commands completion, login, logout and profiles manage the command line itself. All other commands call the API.

In all groups, "ls" is list, and "show" and "get" are the same. For help, add --help, or run npx remit help COMMAND.

${apiHelp}`,
  commands: {
    ...apiCommands,
    ...operatorCommands,
    release: releaseCommands,
    completion: completionCommands(() => commands),
  },
};
