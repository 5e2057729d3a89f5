/**
 * Links `node_modules/.bin/node` to the Node that the project brings. npm 10, which comes with Node 20 and 22, removes the
 * link again when it skips the package for the other processor: https://github.com/npm/cli/issues/4362. `npm install` calls
 * this with the Node of the machine, which may not run TypeScript.
 */
import { existsSync, symlinkSync } from 'node:fs';

const link = 'node_modules/.bin/node';
const executable = `node-${process.platform}-${process.arch}/bin/node`;
if (!existsSync(link) && existsSync(`node_modules/${executable}`)) symlinkSync(`../${executable}`, link);
