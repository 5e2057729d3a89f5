/** The documentation points only to files and headings that exist, and the README stays a short front page. */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { repositoryRoot } from '../../infra/local/handler.ts';

const maxReadmeLines = 150;
const documents = globSync(['*.md', 'client/README.md', '{cli,infra}-package/README.md', 'docs/**/*.md'], {
  cwd: repositoryRoot,
});
const folders = ['.ci', 'bench', 'cli', 'client', 'docs', 'functions', 'infra', 'shared', 'test'];

const textOf = (file: string) => readFileSync(join(repositoryRoot, file), 'utf8');

/** The text without code blocks, whose paths belong to commands. */
const proseOf = (file: string) => textOf(file).replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');

/** The targets of the relative links in a document, as paths from the repository's root, with their fragments. */
function linksOf(file: string): string[] {
  const targets = [...proseOf(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => (target.startsWith('#') ? `${file}${target}` : join(dirname(file), target)));
}

/** The paths in backticks that begin with one of the repository's folders. A path with a placeholder names no file. */
function pathsOf(file: string): string[] {
  const quoted = [...proseOf(file).matchAll(/`([^`\s]+)`/g)].map(([, text = '']) => text);
  return quoted.filter((text) => folders.includes(text.split('/')[0] ?? '') && /^[^<>]*\/[^<>]*$/.test(text));
}

/** Whether the target exists, and in a Markdown file also the heading that the fragment names. */
function isTarget(link: string): boolean {
  const [path = '', fragment] = link.split('#');
  if (!existsSync(join(repositoryRoot, path))) return false;
  if (fragment === undefined) return true;
  return statSync(join(repositoryRoot, path)).isFile() && headingsOf(path).includes(fragment);
}

/** The fragments that GitHub makes of a document's headings. */
const headingsOf = (file: string) =>
  [...proseOf(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

test('there are documents to check', () => {
  expect(documents).toEqual(
    expect.arrayContaining(['README.md', 'docs/operate/README.md', 'docs/develop/architecture.md']),
  );
});

test(`the README has at most ${maxReadmeLines} lines`, () => {
  expect(textOf('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(maxReadmeLines);
});

describe.each(documents)('%s', (file) => {
  test('links only to files and headings that exist', () => {
    expect(linksOf(file).filter((link) => !isTarget(link))).toEqual([]);
  });

  test('names only paths of the repository that exist', () => {
    expect(pathsOf(file).filter((path) => !existsSync(join(repositoryRoot, path)))).toEqual([]);
  });
});
