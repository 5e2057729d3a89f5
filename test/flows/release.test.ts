/** Tests `npm run release` in a small repository with the same layout. */
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { repositoryRoot } from '../../infra/local/handler.ts';

let directory: string;
const path = (file: string) => join(directory, file);
const read = (file: string) => readFileSync(path(file), 'utf8');
const git = (...args: string[]) => execFileSync('git', args, { cwd: directory, encoding: 'utf8' }).trim();

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'remit-release-'));
  for (const folder of ['client/dist', 'cli-package', 'test/versions'])
    mkdirSync(path(folder), { recursive: true });
  const files = {
    'package.json': '{\n  "name": "remit",\n  "version": "0.1.0",\n  "license": "MIT"\n}\n',
    'package-lock.json':
      '{\n  "name": "remit",\n  "version": "0.1.0",\n  "lockfileVersion": 3,\n  "packages": {\n    "": { "name": "remit", "version": "0.1.0", "license": "MIT" }\n  }\n}\n',
    'client/package.json': '{\n  "name": "remit-client",\n  "version": "0.1.0",\n  "files": ["dist"]\n}\n',
    'cli-package/package.json': '{\n  "name": "remit-cli",\n  "version": "0.1.0"\n}\n',
    'client/dist/remit.js': 'export {};\n',
    'CHANGELOG.md': '# Changelog\n\n## Unreleased\n\n- Something new.\n\n## 0.1.0 – 2026-01-31\n\n- First.\n',
    'test/versions/releases.json': '[{ "version": "0.1.0", "commit": "abc" }]\n',
    '.gitignore': 'dist/\n!client/dist/\n',
  };
  for (const [file, content] of Object.entries(files)) writeFileSync(path(file), content);
  git('init', '--quiet');
  for (const [name, value] of [
    ['user.name', 'Test'],
    ['user.email', 'test@example.com'],
  ] as const)
    git('config', name, value);
  git('add', '.');
  git('commit', '--quiet', '--message', 'Begin');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Runs the command. Returns its exit code and what it printed. */
async function release(...args: string[]): Promise<{ code: number; error: string }> {
  const script = join(repositoryRoot, 'cli/release.ts');
  try {
    await promisify(execFile)(process.execPath, [script, ...args], { cwd: directory });
    return { code: 0, error: '' };
  } catch (error) {
    const { code, stderr } = error as { code: number; stderr: string };
    return { code, error: stderr };
  }
}

/** Expects all parts of the release 0.2.0, once. */
function expectRelease(): void {
  expect(git('log', '--format=%s').split('\n')).toEqual([
    'Test against the release 0.2.0 from now on',
    'Release 0.2.0',
    'Begin',
  ]);
  const commit = git('rev-parse', 'v0.2.0^{commit}');
  expect(git('log', '-1', '--format=%s', commit)).toBe('Release 0.2.0');
  expect(JSON.parse(read('test/versions/releases.json')).at(-1)).toEqual({ version: '0.2.0', commit });
  for (const file of ['package.json', 'client/package.json', 'cli-package/package.json', 'package-lock.json'])
    expect(JSON.parse(read(file)).version).toBe('0.2.0');
  expect(JSON.parse(read('package-lock.json')).packages[''].version).toBe('0.2.0');
  expect(read('CHANGELOG.md')).toMatch(
    /^# Changelog\n\n## Unreleased\n\n## 0\.2\.0 – \d{4}-\d\d-\d\d\n\n- Something new\.\n\n## 0\.1\.0/,
  );
  expect(readdirSync(path('dist')).sort()).toEqual([
    'SHA256SUMS',
    'remit-0.2.0.sbom.json',
    'remit-0.2.0.tar.gz',
    'remit-cli-0.2.0.tgz',
    'remit-client-0.2.0.tgz',
  ]);
  const checksums = read('dist/SHA256SUMS').trimEnd().split('\n');
  expect(checksums).toHaveLength(4);
  for (const line of checksums) {
    const [digest, file = ''] = line.split('  ');
    const content = readFileSync(path(`dist/${file}`));
    expect(createHash('sha256').update(content).digest('hex')).toBe(digest);
  }
  expect(JSON.parse(read('dist/remit-0.2.0.sbom.json'))).toMatchObject({ bomFormat: 'CycloneDX' });
  expect(git('status', '--porcelain')).toBe('');
}

test('a release has a version, a dated changelog, a tag, an archive, a package, its components and checksums', async () => {
  expect(await release('0.2.0')).toEqual({ code: 0, error: '' });
  expectRelease();
});

test('an interrupted release continues, and a complete one is not made twice', async () => {
  await release('0.2.0');
  rmSync(path('dist'), { recursive: true });
  git('reset', '--hard', '--quiet', 'HEAD~1');
  expect((await release('0.2.0')).code).toBe(0);
  expectRelease();
  git('reset', '--hard', '--quiet', 'HEAD~1');
  git('tag', '--delete', 'v0.2.0');
  expect((await release('0.2.0')).code).toBe(0);
  expect((await release('0.2.0')).code).toBe(0);
  expectRelease();
});

test.each([
  ['no version', [], 'Usage: npm run release'],
  ['an invalid version', ['v0.2.0'], 'Usage: npm run release'],
  ['an earlier version', ['0.0.9'], 'The version 0.0.9 is not later than 0.1.0.'],
  ['the same version', ['0.1.0'], 'The version 0.1.0 is not later than 0.1.0.'],
])('%s is refused and changes nothing', async (_, args, message) => {
  writeFileSync(path('CHANGELOG.md'), '# Changelog\n\n## Unreleased\n\n- Something new.\n');
  git('commit', '--quiet', '--all', '--message', 'Change');
  expect(await release(...args)).toEqual({ code: 1, error: expect.stringContaining(message) });
  expect([git('status', '--porcelain'), git('tag', '--list'), git('log', '-1', '--format=%s')]).toEqual([
    '',
    '',
    'Change',
  ]);
});

test('changes that are not committed, and a changelog without entries, are refused', async () => {
  writeFileSync(path('CHANGELOG.md'), '# Changelog\n\n## Unreleased\n');
  expect((await release('0.2.0')).error).toContain('The work tree has changes.');
  git('commit', '--quiet', '--all', '--message', 'Change');
  expect((await release('0.2.0')).error).toContain('CHANGELOG.md has no entry under Unreleased.');
  expect([git('status', '--porcelain'), git('tag', '--list')]).toEqual(['', '']);
});
