/** Each page of the documentation says for whom it is, and no page repeats a sentence of another one. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { repositoryRoot } from '../../infra/local/handler.ts';

const pages = globSync('docs/{use,operate,develop}/*.md', { cwd: repositoryRoot });
const textOf = (file: string) => readFileSync(join(repositoryRoot, file), 'utf8');
/** A shorter sentence can be the same by chance. */
const fewestWords = 10;

/** Returns the sentences of paragraphs, list items and cells, without code blocks, targets of links and marks. */
function sentencesOf(file: string): string[] {
  const prose = textOf(file).replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
  return prose
    .split(/\n\s*\n|\n *(?:[-#]|\d+\.) |\|/)
    .flatMap((block) => block.replaceAll(/\s+/g, ' ').split(/(?<=[.:!?]) /))
    .map((sentence) =>
      sentence
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .replaceAll(/[`*]/g, '')
        .trim(),
    )
    .filter((sentence) => sentence.split(' ').length >= fewestWords);
}

test.each(pages)('%s says at its top for whom it is and what it answers', (file) => {
  expect(textOf(file)).toMatch(/^# .+\n\nFor [a-z][^:]*: /);
});

test('no sentence is on two pages', () => {
  const all = [...pages, 'README.md', 'CONTRIBUTING.md', 'SECURITY.md'].flatMap((file) =>
    [...new Set(sentencesOf(file))].map((sentence) => ({ file, sentence })),
  );
  expect(all.length).toBeGreaterThan(1_000);
  const repeated = [...Map.groupBy(all, ({ sentence }) => sentence).values()].filter(
    ({ length }) => length > 1,
  );
  expect(repeated).toEqual([]);
});
