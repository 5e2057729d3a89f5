/**
 * Links `node_modules/.bin/node` to the Node that the project brings. npm 10, which comes with Node 20 and 22, removes the
 * link again when it skips the package for the other processor: https://github.com/npm/cli/issues/4362.
 *
 * - `npm install` calls this with the Node of the machine, which may not run TypeScript. It ignores a failure.
 * - The headers of Node, 67 MB, go: only addons that are compiled need them.
 * - A Node that does not run on this machine, for example without glibc, is not linked.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, symlinkSync } from 'node:fs';

const folder = 'node_modules/.bin';
const executable = `../node-${process.platform}-${process.arch}/bin/node`;

if (!existsSync(`${folder}/node`) && existsSync(`${folder}/${executable}`)) {
  execFileSync(`${folder}/${executable}`, ['--version']);
  // A link whose target is missing.
  rmSync(`${folder}/node`, { force: true });
  symlinkSync(executable, `${folder}/node`);
}
rmSync(`node_modules/node-${process.platform}-${process.arch}/include`, { recursive: true, force: true });
