/**
 * Keeps every text for users plain: the OpenAPI document, the pages, error messages, the command line and the Markdown
 * files contain no phrase of `plain-words.ts`, and the descriptions of the API have short sentences.
 */
import { describe, expect, test } from '@jest/globals';
import { referencePages } from '../../shared/web/docs/docs-page.ts';
import { errorPages } from '../../shared/web/docs/error-pages.ts';
import { document } from '../support/document.ts';
import { countWords, findAvoidedPhrases, sentencesOf } from './plain-words.ts';
import {
  markdownTexts,
  proseLiterals,
  type ReadableText,
  readSource,
  sourceFiles,
  visibleText,
} from './readable-texts.ts';

const maxWords = 40;

/** Texts of the OpenAPI document, by the JSON pointer of each. */
const documentTexts = textsWithin(document, '/openapi.json#');

function textsWithin(node: unknown, source: string): readonly ReadableText[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => {
    const isText = typeof value === 'string' && ['description', 'summary', 'message'].includes(key);
    const pointer = `${source}/${key.replaceAll('/', '~1')}`;
    return isText ? [{ source: pointer, line: 1, text: value }] : textsWithin(value, pointer);
  });
}

/** The words of CGST Rule 46, which invoices must have. */
const wordsOfLaw = 'AUTHORISED OPERATIONS';

/** One line for each avoided phrase: `file:line: the words around it (avoid "…", write …)`. */
function offencesIn({ source, line, text }: ReadableText): readonly string[] {
  return findAvoidedPhrases(text.replace(wordsOfLaw, '')).map(({ index, words, advice }) => {
    const lines = text.slice(0, index).split('\n').length - 1;
    const sentence = text.slice(Math.max(0, index - 80), index + words.length + 60);
    return `${source}:${line + lines}: ${oneLine(sentence)} (avoid "${oneLine(words)}", write ${advice})`;
  });
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

describe('no avoided phrase is in', () => {
  test('the strings of the source files', async () => {
    const files = await sourceFiles();
    const texts = await Promise.all(files.map(async (file) => proseLiterals(file, await readSource(file))));
    expect(texts.flat().length).toBeGreaterThan(500);
    expect(texts.flat().flatMap(offencesIn)).toEqual([]);
  });

  test('the OpenAPI document', () => {
    expect(documentTexts.length).toBeGreaterThan(300);
    expect(documentTexts.flatMap(offencesIn)).toEqual([]);
  });

  test('the pages of the reference', () => {
    for (const [path, render] of referencePages(() => document, 'https://remit.example.com')) {
      const text = visibleText(render());
      expect(text).toContain('Idempotency');
      expect(offencesIn({ source: `/docs/${path}`, line: 1, text })).toEqual([]);
    }
  });

  test('the pages of error codes', () => {
    for (const [path, render] of errorPages(document, 'https://remit.example.com')) {
      expect(offencesIn({ source: `/docs/${path}`, line: 1, text: visibleText(render()) })).toEqual([]);
    }
  });

  test('the Markdown files', async () => {
    expect((await markdownTexts()).flatMap(offencesIn)).toEqual([]);
  });
});

test(`no sentence of the OpenAPI document has more than ${maxWords} words`, () => {
  const long = documentTexts.flatMap(({ source, text }) =>
    sentencesOf(text)
      .filter((sentence) => countWords(sentence) > maxWords)
      .map((sentence) => `${source}: ${countWords(sentence)} words: ${sentence}`),
  );
  expect(long).toEqual([]);
});

test('no comment cites a document that is not in the repository', async () => {
  const citations: string[] = [];
  for (const file of await sourceFiles()) {
    const lines = (await readSource(file)).split('\n');
    for (const [index, line] of lines.entries()) {
      if (/\((semantics|interface)\b/.test(line)) citations.push(`${file}:${index + 1}: ${line.trim()}`);
    }
  }
  expect(citations).toEqual([]);
});

describe('the check itself', () => {
  test.each([
    'The API key has not the permission that this needs.',
    'A path or method that there is not is answered with 404.',
    'The body of the answer is of no account.',
    'The next attempt heeds `Retry-After`.',
    'Whoever operates this deployment makes keys.',
    'Null if there is none.',
    'It is refunded without\nfurther ado.',
    'It waits so that a message is kept, so that none is lost.',
  ])('finds %j', (text) => {
    expect(findAvoidedPhrases(text)).not.toEqual([]);
  });

  test.each([
    'The API key does not have the `invoices:write` permission.',
    'The invoice has not been paid.',
    'The endpoint has two attempts, each of which failed.',
    'The message comes from a webhook endpoint.',
    'Wait so that no request is lost. Retry so that the write takes effect.',
    '`*` stands for the common events.',
    'There is no invoice with this id.',
  ])('accepts %j', (text) => {
    expect(findAvoidedPhrases(text)).toEqual([]);
  });

  test('gives the line of a phrase within a template and within a Markdown file', () => {
    const [literal] = proseLiterals('a.ts', `\nconst a = \`The first \${b('c')} line,\nheeds the second\`;`);
    expect(literal && offencesIn(literal)).toEqual([expect.stringMatching(/^a\.ts:3: .*heeds the second/)]);
    const page = { source: 'a.md', line: 1, text: 'The first line\nof which the second\nis long.' };
    expect(offencesIn(page)).toEqual([expect.stringMatching(/^a\.md:2: .*avoid "of which"/)]);
  });

  test('counts words and splits sentences', () => {
    expect(sentencesOf('One two. Three `four.five` six.\n- seven')).toEqual([
      'One two.',
      'Three `four.five` six.',
      '- seven',
    ]);
    expect(countWords('- seven `eight` →')).toBe(2);
  });
});
