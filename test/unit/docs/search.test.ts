/** Tests the search of the documentation: its ranking, typing errors, and that the source of the function stands alone. */
import { expect, test } from '@jest/globals';
import { searchDocs } from '../../../cli/mcp-docs.ts';
import { indexSections } from '../../../shared/base/search-sections.ts';
import { markdownPages } from '../../../shared/web/docs/markdown-pages.ts';
import { document } from '../../support/document.ts';
import { supportQuestions } from '../../support/support-questions.ts';

const baseUrl = 'https://remit.example.com';
const pages = markdownPages(document, baseUrl);
const readPage = async (path: string) => {
  const render = pages.get(path.replace('/docs/', ''));
  if (!render) throw new Error(`${path} does not exist.`);
  return render();
};

test.each(supportQuestions)(
  '%j: searchDocs answers first with the right section',
  async (question, _, start) => {
    expect((await searchDocs(question, baseUrl, readPage)).slice(baseUrl.length)).toMatch(
      new RegExp(`^${start}`),
    );
  },
);

const section = (title: string, text = '', place = '') => ({ title, text, place });
const find = indexSections([
  section('Verify messages', 'The signature of a webhook', 'Webhooks'),
  section('Refunds', 'A refund returns money'),
  section('expMonth', 'The month of a card'),
]);
const titles = (question: string) => find(question).map(({ title }) => title);

test.each([
  ['verification', 'Verify messages'],
  ['refunded', 'Refunds'],
  ['month', 'expMonth'],
  ['expmonth', 'expMonth'],
  ['EXPMONTH', 'expMonth'],
  ['signtaure', 'Verify messages'],
  ['signatre', 'Verify messages'],
  ['siignature', 'Verify messages'],
  ['how do I verify a refund? signature', 'Verify messages'],
])('the question %j leads to %s', (question, title) => {
  expect(titles(question)[0]).toBe(title);
});

test.each(['', ' ', '?', 'zzzz'])('the question %j has no answer', (question) => {
  expect(titles(question)).toEqual([]);
});

test('a text without letters and an empty documentation are no errors', () => {
  expect(indexSections([section('', '…')])('a')).toEqual([]);
  expect(indexSections([])('verify')).toEqual([]);
});

test('the page contains the source of the function, which uses nothing from outside of itself', () => {
  const alone: typeof indexSections = new Function(`return ${indexSections}`)();
  expect(alone([section('Verify')])('verify')).toHaveLength(1);
});
