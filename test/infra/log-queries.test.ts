/** Tests which log groups the saved queries search. CloudWatch searches at most 50 in one query. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { repositoryRoot } from '../../infra/local/handler.ts';

test('a saved query that more than 50 functions serve is divided', async () => {
  const options = { cwd: repositoryRoot };
  const { stdout } = await promisify(execFile)(process.execPath, ['test/infra/log-queries-of.ts'], options);
  const counts: Record<string, number> = JSON.parse(stdout);
  const countsOf = (name: string) =>
    Object.fromEntries(Object.entries(counts).filter(([found]) => found.startsWith(`remit-dev/${name}`)));
  expect(countsOf('failed requests')).toEqual({
    'remit-dev/failed requests (1 of 2)': 50,
    'remit-dev/failed requests (2 of 2)': 10,
  });
  expect(countsOf('failed refunds')).toEqual({
    'remit-dev/failed refunds (1 of 2)': 50,
    'remit-dev/failed refunds (2 of 2)': 20,
  });
  expect(countsOf('differences')).toEqual({ 'remit-dev/differences': 10 });
});
