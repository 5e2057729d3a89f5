/** Tests which JSON is accepted, and that the strict check and `JSON.parse` agree about a body. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findSyntaxError } from '../../shared/base/json-syntax.ts';
import {
  assertStrictJson,
  canonicalJson,
  decodeUtf8,
  StrictJsonError,
  syntaxErrorMessage,
} from '../../shared/base/strict-json.ts';

/** Parses a body as the service does: first the strict check, then `JSON.parse`. */
function parseStrictJson(text: string) {
  assertStrictJson(text);
  try {
    return JSON.parse(text);
  } catch {
    throw new StrictJsonError(syntaxErrorMessage(text));
  }
}

/** The reason why a text is rejected, or undefined. Any error other than `StrictJsonError` fails the test. */
function refusal(text: string, read: (text: string) => unknown = parseStrictJson): string | undefined {
  try {
    read(text);
    return undefined;
  } catch (error) {
    if (error instanceof StrictJsonError) return error.reason;
    throw error;
  }
}

describe('parseStrictJson', () => {
  test.each([
    ['{}', {}],
    [' \t\r\n{ } \n', {}],
    ['{"a":1e3,"b":[{"a":1},{"a":2}],"c":{"a":null}}', { a: 1000, b: [{ a: 1 }, { a: 2 }], c: { a: null } }],
    ['{"a":"{\\"a\\":1,\\"a\\":2}","b":"\\\\"}', { a: '{"a":1,"a":2}', b: '\\' }],
    ['{"a":["x","x","__proto__"],"b":"__proto__"}', { a: ['x', 'x', '__proto__'], b: '__proto__' }],
    ['{"":0,"A":1,"a":2}', { '': 0, A: 1, a: 2 }],
    ['{"constructor":1,"toString":2}', { constructor: 1, toString: 2 }],
  ])('accepts %s', (text, value) => {
    expect(parseStrictJson(text)).toEqual(value);
  });

  test.each([
    '',
    ' ',
    'nonsense',
    '{',
    '{"a"',
    '{"a',
    '{"a\\',
    '{"\\x":1}',
    '{a:1}',
    '{"a":1,}',
    '{} {}',
    '{}}',
  ])('rejects %j, which is not JSON', (text) => {
    expect(refusal(text)).toMatch(/not valid JSON/);
  });

  test.each(['\uFEFF{}', "{'a':1}", '{"a":NaN}', '{"a":01}', '{"a":"\n"}', '{}//', '\u00A0{}', '[[', '{]'])(
    'rejects %j, which is similar to JSON',
    (text) => {
      expect(refusal(text)).toMatch(/not valid JSON/);
    },
  );

  test.each(['[]', '[{}]', 'null', 'true', '1', '"{}"', ' [1] '])(
    'rejects %s, which is not an object',
    (text) => {
      expect(refusal(text)).toMatch(/must be a JSON object/);
    },
  );

  test.each([
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":2}',
    '{"a" : 1 , "b":{}, "a" :2}',
    '{"x":[{"y":{"a":1,"b":[],"a":2}}]}',
    '{"\\"":1,"\\u0022":2}',
    '{"":1,"":2}',
    '{"a/b":1,"a\\/b":2}',
    '{"😀":1,"\\ud83d\\ude00":2}',
  ])('rejects the repeated key in %s', (text) => {
    expect(refusal(text)).toMatch(/twice/);
  });

  test.each(['{"__proto__":1}', '{"\\u005f_proto__":{}}', '{"a":[{"__proto__":null}]}'])(
    'rejects the __proto__ key in %s',
    (text) => {
      expect(refusal(text)).toMatch(/__proto__/);
    },
  );

  test('accepts 32 levels and rejects 33', () => {
    const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    const objects = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
    expect(refusal(nested(32))).toBeUndefined();
    expect(refusal(nested(33))).toMatch(/32 levels/);
    expect(refusal(objects(32))).toBeUndefined();
    expect(refusal(objects(33))).toMatch(/32 levels/);
  });

  test.each([
    ['['.repeat(65_536)],
    [`${'['.repeat(32_768)}${']'.repeat(32_768)}`],
    ['{"a":'.repeat(13_000)],
    [`{"a":${'['.repeat(65_000)}`],
    [`{"${'\\'.repeat(65_000)}`],
    [`{${'"a":1,'.repeat(10_000)}`],
    [`${' '.repeat(65_536)}x`],
    [`{"a":"${'\\u0061'.repeat(10_000)}`],
  ])('rejects 64 KiB of hostile text within two seconds (%#)', (text) => {
    const started = performance.now();
    expect(refusal(text)).toBeDefined();
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

describe('messages', () => {
  test.each([
    ['{"a":1,}', 'not valid JSON at line 1, column 8. Remove the comma before it.'],
    ['{"a":[1,\n ]}', 'at line 2, column 2. Remove the comma before it.'],
    ['{"a":1\r\n "b":2}', 'at line 2, column 2. Send one JSON object.'],
    ['{\n  "é😀": x}', 'at line 2, column 9.'],
    ["{'a':1}", 'at line 1, column 2. Use double quotes.'],
    ['{"a":01}', 'at line 1, column 7.'],
    ['{"a":NaN}', 'at line 1, column 6.'],
    ['{} {}', 'at line 1, column 4.'],
    ['{"a\nb":1}', 'at line 1, column 2.'],
    ['{"a":1', 'it is incomplete at line 1, column 7.'],
    ['{\n"a":', 'it is incomplete at line 2, column 5.'],
    ['', 'it is incomplete at line 1, column 1.'],
    ['a=1&b=2', 'at line 1, column 1. Send one JSON object.'],
  ])('of %j names line and column', (text, message) => {
    expect(refusal(text)).toContain(message);
  });

  test.each([
    ['{"a":1,\n"a":2}', 'the key "a" twice, again at line 2, column 1'],
    ['{"card":{"number":1,"number":2}}', 'the key "card.number" twice, again at line 1, column 21'],
    ['{"x":[[],{"y":1},{"a":1,"a":2}]}', 'the key "x.2.a" twice'],
    ['{"a":[{"__proto__":1}]}', 'the key "a.0.__proto__" at line 1, column 8'],
  ])('of %j name the key with its path', (text, message) => {
    expect(refusal(text)).toContain(message);
  });
});

test('property: the position of a syntax error is the one that JSON.parse finds, where it names one', () => {
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '"\\u00e9"',
    '-1.5e3',
    '0',
    'true',
    'null',
    ' ',
    '\n',
    'x',
  ];
  let named = 0;
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces)), (parts) => {
      const text = parts.join('');
      const { isJson, position } = parsed(text);
      if (isJson) expect(findSyntaxError(text)).toBe(text.length);
      if (position !== undefined) expect([text, findSyntaxError(text)]).toEqual([text, position]);
      if (position !== undefined) named++;
    }),
    { numRuns: 3000 },
  );
  expect(named).toBeGreaterThan(500);
});

function parsed(text: string): { isJson: boolean; position?: number } {
  try {
    JSON.parse(text);
    return { isJson: true };
  } catch (error) {
    const [, position] = / at position (\d+)/.exec(String(error)) ?? [];
    return { isJson: false, ...(position !== undefined && { position: Number(position) }) };
  }
}

type Tree = { json: string; twice: boolean; proto: boolean; depth: number };

/** Returns a string literal with some of its characters escaped. */
const literalOf = (text: string, escaped: number) =>
  `"${[...text].map((char, i) => ((escaped >> i) & 1 ? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}` : char)).join('')}"`;

const key = fc.record({ text: fc.constantFrom('a', 'b', 'ab', 'c', '__proto__', ''), escaped: fc.nat(7) });
const space = fc.constantFrom('', ' ', '\n\t');

/** Valid JSON texts, each with the faults that the strict check must find in it. */
const { tree } = fc.letrec<{ tree: Tree; value: Tree }>((tie) => ({
  tree: fc.array(fc.tuple(key, space, tie('value')), { maxLength: 4 }).map((members) => {
    const names = members.map(([name]) => name.text);
    return {
      json: `{${members.map(([name, gap, value]) => `${gap}${literalOf(name.text, name.escaped)}${gap}:${value.json}`).join(',')}}`,
      twice: new Set(names).size < names.length || members.some(([, , value]) => value.twice),
      proto: names.includes('__proto__') || members.some(([, , value]) => value.proto),
      depth: 1 + Math.max(0, ...members.map(([, , value]) => value.depth)),
    };
  }),
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc
      .constantFrom('1', 'null', '-0.5e2', '"a"', '"{\\"a\\":1,\\"a\\":[[["', '"\\\\"', '",a:"')
      .map((json) => ({ json, twice: false, proto: false, depth: 0 })),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => ({
      json: `[${items.map((item) => item.json).join(' , ')}]`,
      twice: items.some((item) => item.twice),
      proto: items.some((item) => item.proto),
      depth: 1 + Math.max(0, ...items.map((item) => item.depth)),
    })),
    tie('tree'),
  ),
}));

test('property: valid JSON is rejected if and only if a key is repeated or is __proto__', () => {
  fc.assert(
    fc.property(tree, ({ json, twice, proto, depth }) => {
      fc.pre(depth <= 32);
      expect(() => JSON.parse(json)).not.toThrow();
      expect(refusal(json, assertStrictJson) !== undefined).toBe(twice || proto);
      expect(refusal(json) !== undefined).toBe(twice || proto);
    }),
    { numRuns: 3000 },
  );
});

test('property: any serialized object without __proto__ is accepted and parsed as JSON.parse does', () => {
  const strict = fc.dictionary(
    fc.string({ unit: 'grapheme' }).filter((name) => name !== '__proto__'),
    fc.jsonValue({ maxDepth: 4 }),
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(strict, fc.nat(4), (value, indent) => {
      const text = JSON.stringify(value, undefined, indent);
      fc.pre(!text.includes('__proto__'));
      expect(parseStrictJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

test('property: any text is either parsed as JSON.parse does or rejected with a StrictJsonError', () => {
  const scraps = fc
    .array(
      fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"',
        '\\',
        'a',
        '1',
        ' ',
        '"a"',
        '"b":',
        '\\u0061',
        'null',
      ),
    )
    .map((parts) => `{${parts.join('')}`);
  fc.assert(
    fc.property(fc.oneof(scraps, fc.string({ unit: 'binary' })), (text) => {
      const reason = refusal(text);
      if (reason === undefined) expect(parseStrictJson(text)).toEqual(JSON.parse(text));
      refusal(text, assertStrictJson);
    }),
    { numRuns: 3000 },
  );
});

describe('decodeUtf8', () => {
  test.each([
    [[0xff]],
    [[0xc3]],
    [[0xc0, 0xaf]],
    [[0xed, 0xa0, 0x80]],
    [[0xf4, 0x90, 0x80, 0x80]],
    [[0x7b, 0x80, 0x7d]],
  ])('finds no text in %j, and decodes the next bytes correctly', (bytes) => {
    expect(decodeUtf8(Uint8Array.from(bytes))).toBeUndefined();
    expect(decodeUtf8(Uint8Array.of(0x7b, 0x7d))).toBe('{}');
  });

  test('leaves a byte order mark in the text, so the text is not JSON', () => {
    const text = decodeUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d));
    expect(text).toBe('\uFEFF{}');
    expect(refusal(text ?? '')).toMatch(/not valid JSON/);
  });

  test('property: decodes the bytes of every well-formed text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(decodeUtf8(new TextEncoder().encode(text))).toBe(text);
      }),
    );
  });
});

describe('canonicalJson', () => {
  test.each([
    [{ b: 1, a: [{ d: null, c: 'x' }] }, '{"a":[{"c":"x","d":null}],"b":1}'],
    [{ 10: 1, 9: 2, a: 3, A: 4 }, '{"10":1,"9":2,"A":4,"a":3}'],
    [[3, 1, 2], '[3,1,2]'],
    [{ a: undefined, b: -0, c: '\ud800' }, '{"b":0,"c":"\\ud800"}'],
    [undefined, 'null'],
    ['a', '"a"'],
  ])('of %j is %s', (value, expected) => {
    expect(canonicalJson(value)).toBe(expected);
  });

  const reordered = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reordered);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([name, member]) => [name, reordered(member)]),
    );
  };

  test('property: does not depend on the order of keys, and keeps everything else', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const canonical = canonicalJson(value);
        expect(canonicalJson(reordered(value))).toBe(canonical);
        expect(JSON.stringify(JSON.parse(canonical))).toBe(canonicalOrder(value));
        expect(canonicalJson(JSON.parse(canonical))).toBe(canonical);
      }),
    );
  });

  /** The output of `JSON.stringify` after the keys of each object were inserted in sorted order. */
  function canonicalOrder(value: unknown): string {
    return JSON.stringify(value, (_, member) =>
      typeof member === 'object' && member !== null && !Array.isArray(member)
        ? Object.fromEntries(
            Object.keys(member)
              .sort()
              .map((name) => [name, member[name]]),
          )
        : member,
    );
  }

  test('property: two values have the same text only if they are the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 2 }), fc.jsonValue({ maxDepth: 2 }), (a, b) => {
        const plain = (value: unknown) => JSON.parse(JSON.stringify(value));
        if (canonicalJson(a) === canonicalJson(b)) expect(plain(a)).toEqual(plain(b));
      }),
    );
  });
});
