/** Tests `npm run release` in a small repository with the same layout. */
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { repositoryRoot } from '../../infra/local/handler.ts';

const manifests = [
  'package.json',
  ...['client', 'cli-package', 'infra-package'].map((folder) => `${folder}/package.json`),
  'package-lock.json',
];

/** A client in another language, whose build writes one file that is named by the version of the project. */
const buildOfClient = (end: string) =>
  `import { readFileSync, writeFileSync } from 'node:fs';
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
writeFileSync(\`\${process.argv[2]}/client-\${version}${end}\`, '');\n`;

let directory: string;
const path = (file: string) => join(directory, file);
const read = (file: string) => readFileSync(path(file), 'utf8');
const git = (...args: string[]) => execFileSync('git', args, { cwd: directory, encoding: 'utf8' }).trim();

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'remit-release-'));
  for (const folder of ['client/dist', 'cli-package', 'infra-package', 'client-python', 'client-go'])
    mkdirSync(path(folder), { recursive: true });
  const files = {
    'package.json': '{\n  "name": "remit",\n  "version": "0.1.0",\n  "license": "MIT"\n}\n',
    'package-lock.json':
      '{\n  "name": "remit",\n  "version": "0.1.0",\n  "lockfileVersion": 3,\n  "packages": {\n    "": { "name": "remit", "version": "0.1.0", "license": "MIT" }\n  }\n}\n',
    'client/package.json': '{\n  "name": "remit-client",\n  "version": "0.1.0",\n  "files": ["dist"]\n}\n',
    'cli-package/package.json': '{\n  "name": "remit-cli",\n  "version": "0.1.0"\n}\n',
    'infra-package/package.json': '{\n  "name": "@remit/cdk",\n  "version": "0.1.0"\n}\n',
    'client/dist/remit.js': 'export {};\n',
    'client-python/build.ts': buildOfClient('.whl'),
    'client-go/build.ts': buildOfClient('.tar.gz'),
    'CHANGELOG.md': '# Changelog\n\n## Unreleased\n\n- Something new.\n\n## 0.1.0 – 2026-01-31\n\n- First.\n',
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
  expect(git('log', '--format=%s').split('\n')).toEqual(['Release 0.2.0', 'Begin']);
  expect(git('log', '-1', '--format=%s', 'v0.2.0^{commit}')).toBe('Release 0.2.0');
  for (const file of manifests) expect(JSON.parse(read(file)).version).toBe('0.2.0');
  expect(JSON.parse(read('package-lock.json')).packages[''].version).toBe('0.2.0');
  expect(read('CHANGELOG.md')).toMatch(
    /^# Changelog\n\n## Unreleased\n\n## 0\.2\.0 – \d{4}-\d\d-\d\d\n\n- Something new\.\n\n## 0\.1\.0/,
  );
  expect(readdirSync(path('dist')).sort()).toEqual([
    'SHA256SUMS',
    'client-0.2.0.tar.gz',
    'client-0.2.0.whl',
    'remit-0.2.0.sbom.json',
    'remit-0.2.0.tar.gz',
    'remit-cdk-0.2.0.tgz',
    'remit-cli-0.2.0.tgz',
    'remit-client-0.2.0.tgz',
  ]);
  const checksums = read('dist/SHA256SUMS').trimEnd().split('\n');
  expect(checksums).toHaveLength(7);
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
  expect((await release('0.2.0')).code).toBe(0);
  expectRelease();
  git('tag', '--delete', 'v0.2.0');
  expect((await release('0.2.0')).code).toBe(0);
  expect((await release('0.2.0')).code).toBe(0);
  expectRelease();
});

test('a release follows its candidates, and its sections of the changelog stay', async () => {
  const notes = (entry: string) => {
    const text = read('CHANGELOG.md').replace('## Unreleased\n', `## Unreleased\n\n- ${entry}\n`);
    writeFileSync(path('CHANGELOG.md'), text);
    git('commit', '--quiet', '--all', '--message', 'Change');
  };
  expect(await release('1.0.0-rc.9')).toEqual({ code: 0, error: '' });
  notes('Tenth.');
  expect((await release('1.0.0-rc.2')).error).toContain(
    'The version 1.0.0-rc.2 is not later than 1.0.0-rc.9.',
  );
  expect((await release('1.0.0-rc.10')).code).toBe(0);
  notes('Final.');
  expect((await release('1.0.0')).code).toBe(0);
  notes('Late.');
  expect((await release('1.0.0-rc.11')).error).toContain('The version 1.0.0-rc.11 is not later than 1.0.0.');
  expect(git('tag', '--list').split('\n').sort()).toEqual(['v1.0.0', 'v1.0.0-rc.10', 'v1.0.0-rc.9']);
  expect(JSON.parse(read('client/package.json')).version).toBe('1.0.0');
  expect(readdirSync(path('dist'))).toContain('remit-cli-1.0.0.tgz');
  expect(read('CHANGELOG.md').match(/^## \S+|^- .+$/gm)).toEqual([
    '## Unreleased',
    '- Late.',
    '## 1.0.0',
    '- Final.',
    '## 1.0.0-rc.10',
    '- Tenth.',
    '## 1.0.0-rc.9',
    '- Something new.',
    '## 0.1.0',
    '- First.',
  ]);
});

test('a candidate whose section is written and dated already is tagged as it is', async () => {
  for (const file of manifests) writeFileSync(path(file), read(file).replaceAll('0.1.0', '1.0.0-rc.1'));
  writeFileSync(path('CHANGELOG.md'), '# Changelog\n\n## 1.0.0-rc.1 – 2026-01-31\n\n- First.\n');
  git('commit', '--quiet', '--all', '--message', 'Candidate');
  expect(await release('1.0.0-rc.1')).toEqual({ code: 0, error: '' });
  expect(git('log', '-1', '--format=%s', 'v1.0.0-rc.1^{commit}')).toBe('Candidate');
  expect(readdirSync(path('dist'))).toContain('remit-1.0.0-rc.1.tar.gz');
  expect(git('status', '--porcelain')).toBe('');
});

test.each([
  ['no version', [], 'Usage: npm run release'],
  ['an invalid version', ['v0.2.0'], 'Usage: npm run release'],
  ['an unknown kind of candidate', ['0.2.0-beta.1'], 'Usage: npm run release'],
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
