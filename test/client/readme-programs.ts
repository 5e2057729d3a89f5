/** Extracts the examples of the client's README as programs, with their expected output. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot } from '../../infra/local/handler.ts';

export interface Program {
  readonly text: string;
  /** The texts after `// →`, in order. */
  readonly prints: readonly string[];
}

/**
 * Returns the programs by file name, which follows the opening fence of a block. Blocks without a name are parts of
 * `examples.ts`, in order. The first block is prepended to every program that has no import.
 */
export async function readmePrograms(): Promise<ReadonlyMap<string, Program>> {
  const readme = await readFile(join(repositoryRoot, 'client', 'README.md'), 'utf8');
  const texts = new Map<string, string>();
  for (const [, name = '', text = ''] of readme.matchAll(/^```ts ?(\S*)\n([\s\S]*?)^```$/gm)) {
    const file = name || 'examples.ts';
    texts.set(file, `${texts.get(file) ?? ''}${text}\n`);
  }
  const [setup = ''] = /^import[\s\S]*?^\}\);$/m.exec(texts.get('examples.ts') ?? '') ?? [];
  return new Map(
    [...texts].map(([name, text]) => [
      name,
      {
        text: text.includes('import ') ? text : `${setup}\n${text}`,
        prints: [...text.matchAll(/\/\/ → (.*)$/gm)].map(([, line = '']) => line),
      },
    ]),
  );
}
