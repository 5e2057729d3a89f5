/** Tests how Markdown becomes HTML: what the pages add to it, and that no text of another kind becomes markup. */
import { expect, test } from '@jest/globals';
import { folded, htmlOf, markdownOf, plain, prose, table } from '../../../shared/web/docs/prose.ts';
import { visibleText } from '../../contract/readable-texts.ts';

test.each([
  ['HTML', 'a <img src=x onerror=alert(1)> b', 'a &lt;img src=x onerror=alert(1)&gt; b'],
  [
    'an address',
    'See https://remit.example.com or dorji@example.bt',
    'See https://remit.example.com or dorji@example.bt',
  ],
])('%s has no meaning', (_, text, shown) => {
  expect(prose(text).toString()).toBe(`<p>${shown}</p>`);
});

test.each([
  '<script>alert(1)</script>',
  'a <code><img src=x onerror=alert(1) b',
  '<pre>\n<img src=x\n</pre>',
])('the HTML of %j has no meaning', (text) => {
  expect(prose(text).toString()).not.toMatch(/<(?!\/?p>)/);
});

test('the label of a table is escaped', () => {
  expect(prose(table(['a" b="'], [['c']])).toString()).toContain('aria-label="a&quot; b=&quot;"');
});

test.each(['["all"] or "*", not <one>', 'a | b', '`x` [y](z) \\ <br>', '**bold**'])(
  'the plain text %j is shown as it is, also within a table',
  (text) => {
    expect(visibleText(prose(plain(text)).toString())).toBe(text);
    expect(visibleText(prose(table(['a'], [[plain(text)]])).toString())).toBe(`a\n${text}`);
  },
);

test('a block of code has its label, and can have the focus', () => {
  expect(prose('```sh First request\ncurl "$URL"\n```').toString()).toBe(
    '<pre tabindex="0" role="region" aria-label="First request"><code>curl "$URL"</code></pre>',
  );
  expect(prose('```sh A\n"</code><img>&quot;\n```').toString()).toContain(
    '<code>"&lt;/code&gt;&lt;img&gt;&amp;quot;</code>',
  );
});

test('only the row of an error code has a fragment', () => {
  const shown = prose(table(['Code'], [['[x](/docs/errors/not_found)'], ['y']])).toString();
  expect(shown.match(/<tr[^>]*>/g)).toEqual(['<tr>', '<tr id="error-not_found">', '<tr>']);
});

test('headings are deeper on a page, and details are folded there only', () => {
  const blocks = ['## Title', folded('`a`', ['Text'], 'b')];
  expect(markdownOf(blocks)).toBe('## Title\n\n### `a`\n\nText');
  expect(htmlOf(blocks, { deeper: 1, id: 'c' }).toString()).toBe(
    '<h3 id="c-title">Title</h3><details id="b"><summary><code>a</code></summary><p>Text</p></details>',
  );
});
