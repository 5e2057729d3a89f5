/** Collects the texts that a user of the service can read, each with its location. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { repositoryRoot } from '../../infra/local/handler.ts';

export interface ReadableText {
  /** The file, relative to the repository's root, or the address of the rendered page. */
  readonly source: string;
  /** The line of the file in which the text begins, from 1. */
  readonly line: number;
  /** Has as many lines as the original, so that a position in it gives a line of the file. */
  readonly text: string;
}

const sourceFolders = [
  'functions',
  'shared',
  'cli',
  'cli-package',
  'infra-package',
  'client/src',
  'client-python',
  'client-go',
  'infra',
  'bench',
];
const generated = 'client/src/api-types.ts';

/** The paths of all TypeScript files whose strings or comments are checked. */
export async function sourceFiles(): Promise<readonly string[]> {
  const files = await Promise.all(sourceFolders.map((folder) => filesUnder(folder, '.ts')));
  return files.flat().filter((file) => file !== generated);
}

/** The pages for users: the Markdown files at the top, and those of the packages and of `docs/`. */
export async function markdownTexts(): Promise<readonly ReadableText[]> {
  const top = (await readdir(repositoryRoot)).filter((name) => name.endsWith('.md'));
  const files = [
    ...top,
    'client/README.md',
    'client-python/README.md',
    'client-go/README.md',
    'cli-package/README.md',
    'infra-package/README.md',
    ...(await filesUnder('docs', '.md')),
  ];
  return Promise.all(files.map(async (source) => ({ source, line: 1, text: await readSource(source) })));
}

/** Reads a file by its path relative to the repository's root. */
export const readSource = (file: string): Promise<string> => readFile(join(repositoryRoot, file), 'utf8');

/** Every string literal and template of a TypeScript file that is prose: it has two words in a row. */
export function proseLiterals(source: string, content: string): readonly ReadableText[] {
  const file = ts.createSourceFile(source, content, ts.ScriptTarget.Latest, true);
  const texts: ReadableText[] = [];
  const visit = (node: ts.Node): void => {
    const text = literalText(node, file);
    if (text !== undefined && /[A-Za-z]{2,},? +[A-Za-z]{2,}/.test(text)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
      texts.push({ source, line: line + 1, text });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return texts;
}

/** The text of a literal with its expressions replaced by `…`, and escapes such as `\n` by spaces of the same length. */
function literalText(node: ts.Node, file: ts.SourceFile): string | undefined {
  if (!ts.isStringLiteralLike(node) && !ts.isTemplateExpression(node)) return undefined;
  const start = node.getStart(file);
  const characters = [...file.text.slice(start, node.end).split('')];
  for (const { expression } of ts.isTemplateExpression(node) ? node.templateSpans : []) {
    const from = expression.getFullStart() - start - 2;
    const to = expression.end - start + 1;
    for (let at = from; at < to; at += 1)
      if (characters[at] !== '\n') characters[at] = at === from ? '…' : ' ';
  }
  return characters.join('').replace(/\\[nrt]/g, '  ');
}

/** The text that a browser shows of an HTML page: each block on a line of its own. */
export function visibleText(html: string): string {
  return html
    .replace(/<(style|head)[\s>][\s\S]*?<\/\1>/g, '')
    .replace(/\s+/g, ' ')
    .replace(
      /<\/?(p|br|li|ul|ol|td|th|tr|dt|dd|dl|div|h\d|pre|section|summary|legend|label|main|nav)\b[^>]*>/g,
      '\n',
    )
    .replace(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/ *\n[ \n]*/g, '\n')
    .trim();
}

async function filesUnder(folder: string, ending: string): Promise<readonly string[]> {
  const entries = await readdir(join(repositoryRoot, folder), { recursive: true }).catch((error) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return entries
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name}`)
    .sort();
}
