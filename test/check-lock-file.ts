/**
 * Checks that the installed packages are those of the committed lock file, byte for byte. `.ci/run` calls it after `npm
 * install`, which would otherwise change the lock file without a word if it does not fit `package.json`.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly integrity?: string }>>;
}

const parse = (text: string) => JSON.parse(text) as LockFile;
const committed = parse(execFileSync('git', ['show', 'HEAD:package-lock.json'], { encoding: 'utf8' }));
const current = parse(readFileSync('package-lock.json', 'utf8'));
const installed = parse(readFileSync('node_modules/.package-lock.json', 'utf8'));

const problems = [
  ...compare('package-lock.json', current, Object.keys({ ...committed.packages, ...current.packages })),
  // Packages for other platforms are not installed.
  ...compare('node_modules', installed, Object.keys(installed.packages)),
];
for (const problem of problems) process.stderr.write(`${problem}\n`);
if (problems.length > 0) process.exit(1);

function compare(name: string, actual: LockFile, paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const expected = committed.packages[path];
    const found = actual.packages[path];
    const isSame = expected?.version === found?.version && expected?.integrity === found?.integrity;
    return isSame ? [] : [`${name} differs from the committed lock file in ${path || 'the root package'}.`];
  });
}
