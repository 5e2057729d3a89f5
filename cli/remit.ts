#!/usr/bin/env node
/** `npx remit`: the command line. */
import packageFile from '../package.json' with { type: 'json' };
import { commands } from './commands.ts';
import { runProgram } from './program.ts';

const words = process.argv.slice(2);
if (words.join() === '--version') process.stdout.write(`${packageFile.version}\n`);
else await runProgram(commands, words);
