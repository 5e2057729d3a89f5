#!/usr/bin/env node
/** Runs the command line (`npx remit`). */
import packageFile from '../package.json' with { type: 'json' };
import { commands } from './commands.ts';
import { runProgram } from './program.ts';

await runProgram(commands, process.argv.slice(2), { version: packageFile.version });
