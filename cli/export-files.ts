/** Saves the files of an export. */
import { open, rm } from 'node:fs/promises';
import { parse } from 'node:path';
import type { Export, Remit } from '../client/src/remit.ts';
import { CommandError } from './command.ts';
import { showProgress } from './terminal.ts';

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Saves the files of a completed export. CSV and JSON lines become one file, with one header. Each archive is a file, and several have
 * numbers in their names. What was saved of a download that fails is deleted.
 * @returns the names of the files
 * @throws CommandError if a file cannot be downloaded or written
 */
export async function saveParts(remit: Remit, shown: Export, output: string): Promise<string[]> {
  const isArchive = shown.kind === 'documents';
  const files: string[] = [];
  try {
    for (const [index, { rows }] of shown.parts.entries()) {
      const bytes = await download(await linkTo(remit, shown, index));
      if (index === 0 || isArchive) {
        const name = isArchive && shown.parts.length > 1 ? numbered(output, index + 1) : output;
        files.push(name);
        await write(name, bytes, 'w');
      } else await write(output, shown.format === 'csv' ? withoutHeader(bytes) : bytes, 'a');
      showProgress(`Saved file ${index + 1} of ${shown.parts.length}, ${rows} rows`);
    }
    return files;
  } catch (error) {
    for (const file of files) await rm(file, { force: true });
    throw error instanceof CommandError
      ? error
      : new CommandError(`${output} was not saved: ${(error as Error).message}.`);
  }
}

/** Links work for 15 minutes. So each is a new one, but the first. */
async function linkTo(remit: Remit, shown: Export, index: number): Promise<string> {
  const { parts } = index === 0 ? shown : await remit.exports.retrieve(shown.id);
  const url = parts[index]?.url;
  if (url) return url;
  throw new CommandError(`The files of ${shown.id} have expired. Create the export again.`);
}

async function download(url: string): Promise<Buffer> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the download was answered with the status ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

/** Only the owner of a new file can read it, because it can have personal data. */
async function write(name: string, bytes: Uint8Array, flags: 'w' | 'a'): Promise<void> {
  const file = await open(name, flags, 0o600);
  try {
    await file.writeFile(bytes);
  } finally {
    await file.close();
  }
}

/** The names of columns have no line breaks. */
function withoutHeader(bytes: Buffer): Buffer {
  const start = bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? byteOrderMark.length : 0;
  const end = bytes.indexOf('\n', start);
  return end < 0 ? Buffer.alloc(0) : bytes.subarray(end + 1);
}

function numbered(output: string, number: number): string {
  const { dir, name, ext } = parse(output);
  return `${dir === '' ? '' : `${dir}/`}${name}-${String(number).padStart(3, '0')}${ext}`;
}
