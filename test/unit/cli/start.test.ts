/** Tests what the command line loads when it starts. */
import { expect, test } from '@jest/globals';
import { execute } from '../../support/command-line.ts';

/** Writes the URL of each module that is loaded to standard error. */
const printLoaded = `import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) { process.stderr.write(url + '\\n'); return next(url, context); } });`;

test('a command that does not call AWS does not load the AWS SDK', async () => {
  const hook = `data:text/javascript,${encodeURIComponent(printLoaded)}`;
  const { code, error } = await execute(process.execPath, ['--import', hook, 'cli/remit.ts', 'help'], {});
  expect(code).toBe(0);
  const loaded = error.split('\n');
  expect(loaded).toContainEqual(expect.stringMatching(/\/client\/src\/invoices\.ts$/));
  expect(
    loaded.filter((url) => /node_modules\/@(aws-sdk|smithy)\/|\/shared\/platform\/aws\//.test(url)),
  ).toEqual([]);
});
