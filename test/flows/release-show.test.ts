/** Tests that a version leads to its commit: `remit release show`, what `npm run deploy` prints, and the file of an archive. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { reportReleases } from '../../cli/running-release.ts';
import { errorOutputOf, useAwsServers } from '../support/aws-servers.ts';
import { startCloudFormation } from '../support/cloudformation-server.ts';
import { run } from '../support/command-line.ts';
import { listenOnLoopback } from '../support/loopback-server.ts';

const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
const head = git('rev-parse', 'HEAD');
const before = git('rev-parse', 'HEAD~3');
const behind = git('rev-list', '--count', `${before}..${head}`);
const { version: release } = JSON.parse(readFileSync('package.json', 'utf8'));
const foreign = '1234567890abcdef1234567890abcdef12345678';

let cloudFormation: Awaited<ReturnType<typeof startCloudFormation>>;
let restoreEnvironment: () => void;
let folder: string;

beforeAll(async () => {
  cloudFormation = await startCloudFormation({
    'remit-prod-stateless': { Version: '1.0.0-rc.1+000000000000', Commit: `${before}-dirty` },
    'remit-shop2-prod-stateless': { Version: '1.0.0-rc.1+000000000000', Commit: foreign },
    'remit-staging-stateless': { Version: '1.0.0-rc.1+000000000000' },
  });
  restoreEnvironment = useAwsServers({ CLOUDFORMATION: cloudFormation.endpoint });
  folder = mkdtempSync(join(tmpdir(), 'remit-release-show-'));
});
afterAll(async () => {
  restoreEnvironment();
  rmSync(folder, { recursive: true });
  await cloudFormation.close();
});

const show = (...args: string[]) => run('release', ['show', ...args], { TABLE_NAME: undefined });

test('a deployed version leads to the commit, to what it has in common with this folder, and to its sources', async () => {
  const { code, out } = await show('--stage', 'prod');
  expect(code).toBe(0);
  expect(out).toMatch(/^running version +1\.0\.0-rc\.1\+000000000000$/m);
  expect(out).toMatch(
    new RegExp(`^running commit +${before.slice(0, 12)}.*, with changes that are not committed$`, 'm'),
  );
  expect(out).toMatch(new RegExp(`^version of this folder +${release}\\+[0-9a-f]{12}$`, 'm'));
  expect(out).toMatch(new RegExp(`^commit of this folder +${head.slice(0, 12)}`, 'm'));
  expect(out).toMatch(/^same functions +no$/m);
  expect(out).toMatch(new RegExp(`^the deployment is +${behind} commits behind this folder$`, 'm'));
  expect(out).toContain(`git checkout ${before}\n`);
});

test('a commit that this repository does not have is named, and a deployment without one leads to its tag', async () => {
  expect((await show('--stage', 'prod', '--installation', 'shop2')).out).toMatch(
    /^running commit +1234567890ab, which is not in this repository: run git fetch$/m,
  );
  expect((await show('--stage', 'staging')).out).toMatch(
    /^running commit +at or after the tag v1\.0\.0-rc\.1$/m,
  );
  const missing = await show('--stage', 'dev');
  expect([missing.code, missing.error]).toEqual([1, expect.stringContaining('does not exist there')]);
});

test('a service is asked for its header, and the same functions have the same version', async () => {
  const { own } = JSON.parse((await show('--json')).out);
  const headers: Record<string, string> = { 'X-Remit-Version': own.version };
  const server = await listenOnLoopback(
    createServer((_, response) => {
      response.writeHead(200, headers).end('{}');
    }),
  );
  try {
    const { out } = await show('--url', `${server.endpoint}/api/`);
    expect(out).toMatch(/^same functions +yes$/m);
    delete headers['X-Remit-Version'];
    expect(await show('--url', server.endpoint)).toMatchObject({
      code: 1,
      error: expect.stringContaining('has status 200 and no header X-Remit-Version'),
    });
  } finally {
    await server.close();
  }
  expect(await show('--url', server.endpoint)).toMatchObject({
    code: 1,
    error: expect.stringContaining('does not answer'),
  });
  expect(await show('--url', server.endpoint, '--stage', 'prod')).toMatchObject({ code: 2 });
});

test('a deployment prints what runs and what will run', async () => {
  const Outputs = { Version: { Value: '1.0.0-rc.2+aaaaaaaaaaaa' }, Commit: { Value: head } };
  writeFileSync(join(folder, 'RemitStateless.template.json'), JSON.stringify({ Outputs }));
  const lines = (await errorOutputOf(() => reportReleases(folder, { stage: 'prod' }))).split('\n');
  expect(lines[0]).toContain(`Runs now: 1.0.0-rc.1+000000000000, commit ${before.slice(0, 12)}`);
  expect(lines[0]).toContain('with changes that are not committed');
  expect(lines[1]).toContain(`Will run: 1.0.0-rc.2+aaaaaaaaaaaa, commit ${head.slice(0, 12)}`);
  expect(await errorOutputOf(() => reportReleases(folder, { stage: 'dev' }))).toMatch(/^Runs now: nothing/);
});

test('an archive without a repository knows its commit', () => {
  const root = join(folder, 'archive');
  mkdirSync(join(root, 'infra'), { recursive: true });
  for (const file of ['infra/source-commit.ts', 'infra/archive-commit.txt', '.gitattributes'])
    cpSync(file, join(root, file));
  const inRoot = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const read = (at: string) =>
    execFileSync(
      process.execPath,
      ['-e', `import('${at}/infra/source-commit.ts').then((m) => console.log(m.readSourceCommit()))`],
      { encoding: 'utf8' },
    ).trim();
  expect(read(root)).toBe('unknown');
  inRoot('init', '--quiet');
  inRoot('add', '.');
  const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
  inRoot(...author, 'commit', '--quiet', '--message', 'Begin');
  const commit = inRoot('rev-parse', 'HEAD');
  expect(read(root)).toBe(commit);
  writeFileSync(join(root, '.gitattributes'), `${readFileSync('.gitattributes', 'utf8')}# more\n`);
  expect(read(root)).toBe(`${commit}-dirty`);
  // Inside another repository, an archive is not a part of it.
  const unpacked = join(root, 'unpacked');
  mkdirSync(unpacked);
  execFileSync('sh', ['-c', 'git archive HEAD | tar -x -C unpacked'], { cwd: root });
  expect(read(unpacked)).toBe(commit);
});
