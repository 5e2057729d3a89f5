/** Tests which `limit` and `offset` a list accepts, and the `pagination` of a page. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import { paginationOf, paginationQuery, paginationSchema } from '../../shared/base/pagination.ts';

const schema = v.strictObject(paginationQuery);
const read = (query: unknown) => {
  const result = v.safeParse(schema, query, { abortEarly: true });
  return result.success ? result.output : result.issues[0].message;
};

const limitMessage = 'limit must be an integer from 1 to 100, sent only once.';
const offsetMessage = 'offset must be an integer from 0 to 9007199254740991, sent only once.';

describe('the query', () => {
  test.each([
    [{}, { limit: 20, offset: 0 }],
    [
      { limit: undefined, offset: undefined },
      { limit: 20, offset: 0 },
    ],
    [{ limit: '1' }, { limit: 1, offset: 0 }],
    [
      { limit: '100', offset: '9007199254740991' },
      { limit: 100, offset: Number.MAX_SAFE_INTEGER },
    ],
    [
      { limit: '007', offset: '0' },
      { limit: 7, offset: 0 },
    ],
    [{ offset: `${'0'.repeat(1000)}12` }, { limit: 20, offset: 12 }],
  ])('%j gives %j', (query, expected) => {
    expect(read(query)).toEqual(expected);
  });

  const invalid = [
    '',
    ' ',
    '-1',
    '+1',
    '1.0',
    '1e1',
    '0x1',
    ' 1',
    '1 ',
    '1\n',
    '١',
    'ten',
    'NaN',
    '9'.repeat(400),
  ];
  test.each([...invalid, '0', '000', '101', ['1', '1'], ['1'], [], null, 5])(
    'limit %j is rejected',
    (limit) => {
      expect(read({ limit })).toBe(limitMessage);
    },
  );
  test.each([...invalid, '9007199254740992', '9007199254740993', '12345678901234567', ['0', '0'], null, 0])(
    'offset %j is rejected',
    (offset) => {
      expect(read({ offset })).toBe(offsetMessage);
    },
  );

  test('property: a number in decimal digits is accepted within its range and rejected outside it', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 55n }), fc.nat(5), (value, zeros) => {
        const offset = '0'.repeat(zeros) + value;
        expect(read({ offset })).toEqual(
          value < 2n ** 53n ? { limit: 20, offset: Number(value) } : offsetMessage,
        );
      }),
    );
    fc.assert(
      fc.property(fc.nat(200), (value) => {
        const limit = String(value);
        expect(read({ limit })).toEqual(
          value >= 1 && value <= 100 ? { limit: value, offset: 0 } : limitMessage,
        );
      }),
    );
  });

  test('property: only digits are accepted', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (offset) => {
        if (!/^[0-9]+$/.test(offset)) expect(read({ offset })).toBe(offsetMessage);
      }),
    );
  });
});

describe('a page', () => {
  test.each([
    [{ total: 0, limit: 20, offset: 0, count: 0 }, false],
    [{ total: 20, limit: 20, offset: 0, count: 20 }, false],
    [{ total: 21, limit: 20, offset: 0, count: 20 }, true],
    [{ total: 21, limit: 20, offset: 20, count: 1 }, false],
    [{ total: 5, limit: 20, offset: Number.MAX_SAFE_INTEGER, count: 0 }, false],
  ])('%j has more: %j', (page, hasMore) => {
    const { total, limit, offset } = page;
    expect(paginationOf(page)).toEqual({ total, limit, offset, hasMore });
  });

  test('property: hasMore is false exactly on the last page', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.integer({ min: 1, max: 100 }), (total, limit) => {
        const pages = Math.max(1, Math.ceil(total / limit));
        let offset = 0;
        for (let number = 1; number <= pages; number++) {
          const count = Math.min(limit, total - offset);
          const page = paginationOf({ total, limit, offset, count });
          expect(v.is(paginationSchema, page)).toBe(true);
          expect(page.hasMore).toBe(number < pages);
          offset += count;
        }
        expect(offset).toBe(total);
      }),
    );
  });

  test('has exactly four fields', () => {
    expect(v.is(paginationSchema, { total: 1, limit: 1, offset: 0, hasMore: false })).toBe(true);
    expect(v.is(paginationSchema, { total: 1, limit: 1, offset: 0, hasMore: false, next: 1 })).toBe(false);
    expect(v.is(paginationSchema, { total: 1, limit: 1, offset: 0 })).toBe(false);
    expect(v.is(paginationSchema, { total: -1, limit: 1, offset: 0, hasMore: false })).toBe(false);
  });
});
