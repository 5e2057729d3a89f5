/** Tests that the commands of the documentation leave no file behind that git sees. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

test.each(['client', 'cli-package', 'infra-package'])('git ignores what npm pack ./%s writes', (folder) => {
  const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const files = [`${name.replace('@', '').replace('/', '-')}-${version}.tgz`, `${folder}/dist/remit.js`];
  expect(
    execFileSync('git', ['check-ignore', ...files], { encoding: 'utf8' })
      .trim()
      .split('\n'),
  ).toEqual(files);
});
