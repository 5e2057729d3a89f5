/** Tests how results of batch handlers are read. */
import { expect, test } from '@jest/globals';
import { failedIds } from '../../../../infra/local/batch-failures.ts';

const failures = (...ids: unknown[]) => ({
  batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })),
});

test.each<[string, unknown, string[]]>([
  ['nothing', undefined, []],
  ['null', null, []],
  ['an empty object', {}, []],
  ['a null list', { batchItemFailures: null }, []],
  ['an empty list', failures(), []],
  ['one identifier of the batch', failures('2'), ['2']],
  ['two identifiers of the batch', failures('1', '3'), ['1', '3']],
  ['an unknown identifier', failures('1', 'x'), ['1', '2', '3']],
  ['an empty identifier', failures(''), ['1', '2', '3']],
  ['null as identifier', failures(null), ['1', '2', '3']],
  ['an entry without identifier', { batchItemFailures: [{}] }, ['1', '2', '3']],
  ['null as entry', { batchItemFailures: [null] }, ['1', '2', '3']],
  ['a text instead of a list', { batchItemFailures: 'all' }, ['1', '2', '3']],
  ['a text', 'done', ['1', '2', '3']],
])('%s', (_, result, expected) => {
  expect([...failedIds(['1', '2', '3'], result)]).toEqual(expected);
});
