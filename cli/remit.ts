#!/usr/bin/env node
/** Runs the command line (`npx remit`). */
import packageFile from '../package.json' with { type: 'json' };
import { commands } from './commands.ts';
import { runProgram } from './program.ts';

const args = process.argv.slice(2);
if (args.join() === '--version') process.stdout.write(`${packageFile.version}\n`);
else await runProgram(commands, args);
