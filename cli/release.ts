/**
 * Makes a release in the local repository: `npm run release -- 1.2.0`, or `1.2.0-rc.1` for a release candidate.
 *
 * - It sets the version, dates the section of the changelog, commits, and tags the commit `v1.2.0`.
 * - It writes the source archive, the packages of the clients, of the command line and of the construct, a list of components (SBOM) and the checksums of these to `dist/`.
 * - A client in another language needs the tools of that language. Without them, the release says so and has no such package.
 * - It sends nothing anywhere. After an interruption, the same command continues.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const usage = 'Usage: npm run release -- VERSION, for example 1.2.0 or 1.2.0-rc.1';
const versionPattern = /^(\d+)\.(\d+)\.(\d+)(?:-rc\.(\d+))?$/;
const changelog = 'CHANGELOG.md';
/** The folders of the packages. */
const packages = ['client', 'cli-package', 'infra-package'];
/** The folders of the clients in other languages. Their version is that of the project. */
const otherClients = ['client-python', 'client-go'];
const manifests = [
  'package.json',
  ...packages.map((folder) => `${folder}/package.json`),
  'package-lock.json',
];
const directory = 'dist';

/** The release cannot be made. The message says what to do. */
class ReleaseError extends Error {}

const run = (command: string, ...args: string[]) => execFileSync(command, args, { encoding: 'utf8' }).trim();
const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
const writeJson = (file: string, value: unknown) =>
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);

try {
  release(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof ReleaseError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

function release([version = '', ...others]: readonly string[]): void {
  if (!versionPattern.test(version) || others.length > 0) throw new ReleaseError(usage);
  if (run('git', 'status', '--porcelain') !== '')
    throw new ReleaseError('The work tree has changes. Commit them or put them aside first.');
  const tag = `v${version}`;
  const isTagged = run('git', 'tag', '--list', tag) !== '';
  if (!isTagged) tagRelease(version, tag);
  writeArtifacts(version, tag);
  process.stdout.write(
    `The release ${version} is in ${directory}/. To publish it, push the branch and the tag: git push --follow-tags\n`,
  );
}

/** Sets the version in all files, commits and tags. */
function tagRelease(version: string, tag: string): void {
  const { version: current } = readJson('package.json');
  if (current !== version || !readFileSync(changelog, 'utf8').includes(`\n## ${version} `)) {
    if (!isLater(version, current))
      throw new ReleaseError(`The version ${version} is not later than ${current}. Choose a later one.`);
    dateChangelog(version);
    for (const file of manifests) setVersion(file, version);
    run('git', 'commit', '--quiet', '--message', `Release ${version}`, changelog, ...manifests);
  }
  run('git', 'tag', '--annotate', tag, '--message', `Release ${version}`);
}

function isLater(version: string, current: string): boolean {
  const [parts, before] = [partsOf(version), partsOf(current)];
  const differing = parts.findIndex((part, at) => part !== before[at]);
  return differing !== -1 && (parts[differing] ?? 0) > (before[differing] ?? 0);
}

/** Returns the numbers of a version, the most significant first. A release comes after all of its candidates. */
function partsOf(version: string): number[] {
  const parts = versionPattern.exec(version)?.slice(1) ?? [];
  return parts.map((part: string | undefined) =>
    part === undefined ? Number.POSITIVE_INFINITY : Number(part),
  );
}

/** Puts the entries of the section Unreleased under the version and the day. */
function dateChangelog(version: string): void {
  const text = readFileSync(changelog, 'utf8');
  const [, entries = ''] = /\n## Unreleased\n([\s\S]*?)(?=\n## |$)/.exec(text) ?? [];
  if (!entries.includes('- '))
    throw new ReleaseError(`${changelog} has no entry under Unreleased. Describe the changes first.`);
  const day = new Date().toISOString().slice(0, 10);
  writeFileSync(
    changelog,
    text.replace('\n## Unreleased\n', () => `\n## Unreleased\n\n## ${version} – ${day}\n`),
  );
}

function setVersion(file: string, version: string): void {
  const content = readJson(file);
  content.version = version;
  // The lock file states the version of the root package twice.
  if (content.packages?.['']) content.packages[''].version = version;
  writeJson(file, content);
}

function writeArtifacts(version: string, tag: string): void {
  const name = `remit-${version}`;
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  run('git', 'archive', '--format=tar.gz', `--prefix=${name}/`, `--output=${directory}/${name}.tar.gz`, tag);
  for (const folder of packages) run('npm', 'pack', `./${folder}`, '--pack-destination', directory);
  for (const folder of otherClients) run('node', `${folder}/build.ts`, directory);
  const components = run('npm', 'sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only');
  writeFileSync(`${directory}/${name}.sbom.json`, `${components}\n`);
  const checksums = readdirSync(directory)
    .sort()
    .map((file) => {
      const digest = createHash('sha256')
        .update(readFileSync(`${directory}/${file}`))
        .digest('hex');
      return `${digest}  ${file}\n`;
    });
  writeFileSync(`${directory}/SHA256SUMS`, checksums.join(''));
}
