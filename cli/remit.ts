#!/usr/bin/env node
/** `npx remit`: the command line. */
import { commands } from './commands.ts';
import { runProgram } from './program.ts';

await runProgram(commands, process.argv.slice(2));
