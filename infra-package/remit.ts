/** Runs the command line of the package: all commands but `release`, which compares a deployment with the sources. */
import { apiCommands } from '../cli/api-commands.ts';
import { apiHelp } from '../cli/api-connection.ts';
import type { CommandGroup } from '../cli/command.ts';
import { completionCommands } from '../cli/completion.ts';
import { operatorCommands, operatorHelp } from '../cli/operator-commands.ts';
import { runProgram } from '../cli/program.ts';
import packageFile from './package.json' with { type: 'json' };

const commands: CommandGroup = {
  about: 'Operate and use a deployment of Remit, an invoicing and payments API.',
  details: `${operatorHelp} The
commands completion, login, logout and profiles manage the command line itself. All other commands call the API.

In all groups, "ls" is list, and "show" and "get" are the same. For help, add --help, or run npx remit help COMMAND.

${apiHelp}`,
  commands: { ...apiCommands, ...operatorCommands, completion: completionCommands(() => commands) },
};

await runProgram(commands, process.argv.slice(2), {
  version: packageFile.version,
  explainMissing: (word) =>
    word === 'release'
      ? 'The command release needs the repository of the service. npx cdk diff of your app shows what would change.'
      : undefined,
});
