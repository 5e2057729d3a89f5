/** Runs the installed command line: the commands of the API, without those of operators. */
import { apiCommands } from '../cli/api-commands.ts';
import type { CommandGroup } from '../cli/command.ts';
import { completionCommands } from '../cli/completion.ts';
import { runProgram } from '../cli/program.ts';
import packageFile from './package.json' with { type: 'json' };

/** The names of the commands that need the repository. The build sets them. */
declare const operatorCommands: readonly string[];

const commands: CommandGroup = {
  about: 'Manage invoices, payments and webhooks with Remit, an invoicing and payments API.',
  details: `Run remit login once. --profile and REMIT_PROFILE select another profile than the current one, and REMIT_URL and
REMIT_API_KEY replace them. Without all of these, the commands use the local stack that was started in the current folder.

These commands of operators need the repository of the service, and run there as npx remit: ${operatorCommands.join(', ')}.

In all groups, "ls" is list, and "show" and "get" are the same.`,
  commands: { ...apiCommands, completion: completionCommands(() => commands) },
};

await runProgram(commands, process.argv.slice(2), {
  version: packageFile.version,
  explainMissing: (word) =>
    operatorCommands.includes(word)
      ? `The command ${word} needs the repository of the service. Run npx remit ${word} in its folder.`
      : undefined,
});
