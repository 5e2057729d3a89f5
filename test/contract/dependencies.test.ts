/** Tests the packages that the project depends on: their versions are fixed, their contents are known, their licenses fit. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

interface LockedPackage {
  readonly version: string;
  readonly link?: boolean;
  /** Its content is a part of the package that contains it. */
  readonly inBundle?: boolean;
  readonly dev?: boolean;
  readonly integrity?: string;
  readonly license?: string;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
const manifest = readJson('package.json');
const { '': root, ...packages }: Record<string, LockedPackage> = readJson('package-lock.json').packages;
const external = Object.entries(packages).filter(
  ([path, { link }]) => path.startsWith('node_modules/') && !link,
);

/** Licenses that allow use and distribution with a notice, and one (MPL-2.0) that does for unchanged files. */
const allowedLicenses = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC-BY-4.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'Python-2.0',
  'Unlicense',
];
/** These are in the deployed functions, so their licenses must need nothing but a notice. */
// The fonts have the last one, which lets them be part of any software.
const noticeOnly = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'MIT AND OFL-1.1',
];

test('the lock file fits package.json, and every dependency has an exact version', () => {
  for (const kind of ['dependencies', 'devDependencies'] as const)
    expect(root?.[kind]).toEqual(manifest[kind]);
  const versions = Object.values<string>({ ...manifest.dependencies, ...manifest.devDependencies });
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
});

test('the lock file has a SHA-512 of the content of every package', () => {
  expect(external.length).toBeGreaterThan(100);
  const unknown = external.filter(
    ([, { integrity = '', inBundle }]) => !inBundle && !integrity.startsWith('sha512-'),
  );
  expect(unknown.map(([path]) => path)).toEqual([]);
});

test('every license is one of the allowed ones', () => {
  const isAllowed = (license: string, allowed: readonly string[]) =>
    license
      .replace(/[()]/g, '')
      .split(' OR ')
      .some((each) => allowed.includes(each));
  const refused = external.filter(
    ([, { license = 'none', dev }]) => !isAllowed(license, dev ? allowedLicenses : noticeOnly),
  );
  expect(refused.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
});

test('no package of the deployed functions runs a script when it is installed', () => {
  const scripted = external.filter(([, { hasInstallScript, dev }]) => hasInstallScript && !dev);
  expect(scripted.map(([path]) => path)).toEqual([]);
});
