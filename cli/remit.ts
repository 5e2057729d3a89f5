#!/usr/bin/env node
/** Runs the command line (`npx remit`). Node keeps the compiled modules in `.local`, so the next command starts faster. */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import packageFile from '../package.json' with { type: 'json' };

enableCompileCache(join(import.meta.dirname, '..', '.local', 'compile-cache'));
// The cache contains only what is imported after it is enabled.
const [{ commands }, { runProgram }] = await Promise.all([import('./commands.ts'), import('./program.ts')]);

await runProgram(commands, process.argv.slice(2), { version: packageFile.version });
