/** Reads the examples in the README of an own client as a program, with what it prints. */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const languages = {
  'python-client': { folder: 'client-python', fence: 'python', comment: '#', file: 'readme.py' },
  'go-client': { folder: 'client-go', fence: 'go', comment: '//', file: 'readme.go' },
} as const;

/** Returns the blocks of the language, one after another. A comment with an arrow shows what its line prints. */
export async function readmeProgram(
  client: string,
): Promise<{ readonly file: string; readonly text: string; readonly printed: string }> {
  const { folder, fence, comment, file } = languages[client as keyof typeof languages];
  const readme = await readFile(join(resolve(import.meta.dirname, '..', '..'), folder, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(new RegExp(`^\`\`\`${fence}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))];
  const text = blocks.map(([, block]) => block).join('\n');
  const printed = [...text.matchAll(new RegExp(`${comment} → (.*)$`, 'gm'))].map(([, line]) => `${line}\n`);
  return { file, text, printed: printed.join('') };
}
