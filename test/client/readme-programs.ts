/** The examples of the client's README as programs, with what each is to print. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot } from '../../infra/local/handler.ts';

export interface Program {
  readonly text: string;
  /** What stands behind `// →`, in its order. */
  readonly prints: readonly string[];
}

/**
 * By the names behind the fences: blocks without one are parts of `examples.ts`, in their order. The first block comes
 * before every program that imports nothing itself.
 */
export async function readmePrograms(): Promise<ReadonlyMap<string, Program>> {
  const readme = await readFile(join(repositoryRoot, 'client', 'README.md'), 'utf8');
  const texts = new Map<string, string>();
  for (const [, name = '', text = ''] of readme.matchAll(/^```ts ?(\S*)\n([\s\S]*?)^```$/gm)) {
    const file = name || 'examples.ts';
    texts.set(file, `${texts.get(file) ?? ''}${text}\n`);
  }
  const [opening = ''] = /^import[\s\S]*?^\}\);$/m.exec(texts.get('examples.ts') ?? '') ?? [];
  return new Map(
    [...texts].map(([name, text]) => [
      name,
      {
        text: text.includes('import ') ? text : `${opening}\n${text}`,
        prints: [...text.matchAll(/\/\/ → (.*)$/gm)].map(([, line = '']) => line),
      },
    ]),
  );
}
