/**
 * Runs the checks of the code: `npm run check`, or `npm run check -- types style` for some of them.
 *
 * - Two checks run at the same time. The type check takes longest, so it begins first.
 * - Each check prints only what it found, and what to do about it.
 */
import { execute, installTools } from './tools.ts';

interface Check {
  readonly name: string;
  /** Programs with their arguments. They run one after another, up to the first that fails. */
  readonly commands: readonly string[];
  /** What to do about what the check prints. */
  readonly remedy: string;
}

const checks: readonly Check[] = [
  {
    name: 'types',
    commands: ['tsc -p . --incremental --tsBuildInfoFile .local/types.tsbuildinfo'],
    remedy: 'Mend the types. The message is about the first line that does not fit its declaration.',
  },
  {
    name: 'style',
    commands: ['biome check --error-on-warnings'],
    remedy: 'Run `npm run fix`, which formats and mends what it can. Mend the rest by hand.',
  },
  {
    name: 'directions',
    commands: ['node .ci/check-directions.ts'],
    remedy: 'docs/develop/architecture.md shows the order of the folders.',
  },
  {
    name: 'dead-code',
    commands: ['knip --treat-config-hints-as-errors'],
    remedy:
      'Nothing uses what is listed. Delete it. For an export that its own file uses, delete the word `export`. ' +
      'Add a dependency that is not listed to package.json. If a program starts a file, name the file in knip.json.',
  },
  {
    name: 'client',
    commands: ['tsc -p client', 'node .ci/generate-client-types.ts --check'],
    remedy: 'Run `npm run client:types`, then adapt client/src to the new types.',
  },
  {
    name: 'api',
    commands: ['node .ci/lint-openapi.ts'],
    remedy:
      'The routes and schemas in shared/, and shared/api/openapi, make the OpenAPI document. Mend them there.',
  },
];
const atTheSameTime = 2;

const names = process.argv.slice(2);
const unknown = names.find((name) => !checks.some((check) => check.name === name));
if (unknown !== undefined) {
  const known = checks.map(({ name }) => name).join(', ');
  process.stderr.write(`There is no check ${unknown}. Use one of ${known}.\n`);
  process.exit(1);
}
await installTools();
const waiting = checks.filter(({ name }) => names.length === 0 || names.includes(name));
await Promise.all(Array.from({ length: atTheSameTime }, runWaiting));

async function runWaiting(): Promise<void> {
  for (let check = waiting.shift(); check; check = waiting.shift()) await run(check);
}

async function run({ name, commands, remedy }: Check): Promise<void> {
  const start = performance.now();
  for (const command of commands) {
    const failure = await execute(command);
    if (failure === undefined) continue;
    process.stderr.write(`\n${failure.trimEnd()}\n\n✗ ${name}: ${remedy}\n\n`);
    process.exitCode = 1;
    return;
  }
  process.stdout.write(`✓ ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)\n`);
}
