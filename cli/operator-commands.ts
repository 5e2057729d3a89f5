/** Lists the commands for operators of the service that need none of its sources. */
import { accountCommands } from './accounts.ts';
import { auditCommands } from './audit.ts';
import { canaryCommands } from './canary.ts';
import type { CommandGroup } from './command.ts';
import { deploymentCommands } from './deployment-command.ts';
import { eraseCommand } from './erase.ts';
import { keyCommands } from './keys.ts';
import { maintenanceCommands } from './maintenance.ts';
import { poisonCommands } from './poison.ts';
import { providerCommands } from './providers.ts';
import { reconcileCommands } from './reconcile.ts';
import { secretCommands } from './secrets.ts';
import { timerCommands } from './timers.ts';
import { userCommands } from './users.ts';

export const operatorCommands: CommandGroup['commands'] = {
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
};

/** The part of the help that says which commands need an API key. */
export const operatorHelp = `The commands accounts, keys, users, providers, audit, reconcile, timers, poison, secrets, erase, maintenance and deployment
access the table directly and need no API key. They use the table of the local stack. To use the table of a deployment, add --stage.`;
