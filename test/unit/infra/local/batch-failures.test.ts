/** Lambda's reading of what a batch handler returns. */
import { expect, test } from '@jest/globals';
import { failedOf } from '../../../../infra/local/batch-failures.ts';

const failures = (...ids: unknown[]) => ({
  batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })),
});

test.each<[string, unknown, string[]]>([
  ['nothing', undefined, []],
  ['null', null, []],
  ['an empty object', {}, []],
  ['no list', { batchItemFailures: null }, []],
  ['an empty list', failures(), []],
  ['one of the batch', failures('2'), ['2']],
  ['two of the batch', failures('1', '3'), ['1', '3']],
  ['an unknown one', failures('1', 'x'), ['1', '2', '3']],
  ['an empty one', failures(''), ['1', '2', '3']],
  ['null as identifier', failures(null), ['1', '2', '3']],
  ['an entry without identifier', { batchItemFailures: [{}] }, ['1', '2', '3']],
  ['null as entry', { batchItemFailures: [null] }, ['1', '2', '3']],
  ['a list that is none', { batchItemFailures: 'all' }, ['1', '2', '3']],
  ['a text', 'done', ['1', '2', '3']],
])('%s', (_, answer, expected) => {
  expect([...failedOf(['1', '2', '3'], answer)]).toEqual(expected);
});
