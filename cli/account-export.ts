/** Defines `remit accounts export`: writes everything that an account has stored, as JSON Lines. */
import { once } from 'node:events';
import { constants, type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { now } from '../shared/base/time.ts';
import type { ExportLine } from '../shared/operations/export/account-export.ts';
import { type CliCommand, CommandError, type ParsedOptions, usageError } from './command.ts';
import { escapeControlCharacters } from './escape-control-characters.ts';
import { accountOption } from './requested-account.ts';
import { connectTable } from './table-connection.ts';
import { endProgress, showProgress } from './terminal.ts';

export const exportCommand: CliCommand = {
  about: 'Write all data of an account in both modes: records, documents, endpoints, deliveries and events.',
  details: `Each line is a JSON object with type, mode, cursor and data. Data has the fields that the API shows, without secrets.
Only documents have payment URLs, because their hashes cover them. A complete export ends with a line of the type end. Of a malformed record, the export contains only the ID and
what is wrong, in a line of the type malformed.

An export is not a snapshot. Start maintenance first if nothing may change meanwhile. If an export to a file is
interrupted, run the same command with --resume. If an export to standard output is interrupted, use --after with the
cursor of the last complete line.`,
  options: {
    account: accountOption,
    output: { value: 'FILE', about: 'File to write. Default: standard output.' },
    resume: { about: 'Continue the interrupted export in the file.' },
    after: { value: 'CURSOR', about: 'Continue after the line with this cursor.' },
  },
  examples: [
    'npx remit accounts export --account acct_… --stage prod --output account.jsonl',
    'npx remit accounts export --account acct_… --stage prod --output account.jsonl --resume',
  ],
  run: async (options) => {
    const account = options.required('account');
    const output = options.optional('output');
    if (options.flag('resume') && output === undefined)
      throw usageError('--resume needs --output. To continue on standard output, use --after.');
    if (options.flag('resume') && options.optional('after') !== undefined)
      throw usageError('Use --resume or --after, not both.');
    await connectTable();
    const { exportAccount, parseExportCursor } = await import(
      '../shared/operations/export/account-export.ts'
    );
    const file = output === undefined ? undefined : await openFile(output, options);
    try {
      const last = file && (await readLastLine(file, account));
      if (last?.type === 'end') {
        process.stderr.write('The export in this file is complete already.\n');
        return undefined;
      }
      const cursor = last?.cursor ?? options.optional('after');
      const after = cursor === undefined ? undefined : parseExportCursor(cursor);
      if (cursor !== undefined && !after)
        throw usageError('The cursor is not valid. Use the cursor of a line of an export.');
      // A file that ends with the line of the account has no cursor yet. The account is written once.
      const lines = exportAccount(account, after, now());
      const { count, malformed } = await writeLines(lines, file, {
        skipsAccount: last?.type === 'account',
      });
      process.stderr.write(`Exported ${count} lines. The export is complete.\n`);
      if (malformed > 0)
        process.stderr.write(
          `${malformed} records are malformed, and their data is missing. Repair the items that the lines of the type malformed name, and export again.\n`,
        );
    } finally {
      await file?.close();
    }
    return undefined;
  },
};

async function writeLines(
  lines: AsyncIterable<ExportLine>,
  file: FileHandle | undefined,
  { skipsAccount }: { skipsAccount: boolean },
): Promise<{ count: number; malformed: number }> {
  let count = 0;
  let malformed = 0;
  for await (const line of lines) {
    if (skipsAccount && line.type === 'account') continue;
    const text = `${escapeControlCharacters(JSON.stringify(line))}\n`;
    if (file) await file.appendFile(text);
    else if (!process.stdout.write(text)) await once(process.stdout, 'drain');
    count += 1;
    if (line.type === 'malformed') malformed += 1;
    if (count % 100 === 0) showProgress(`Exported ${count} lines.`);
  }
  endProgress();
  return { count, malformed };
}

const { O_APPEND, O_CREAT, O_EXCL, O_RDWR } = constants;
const present = O_RDWR | O_APPEND;
const absent = present | O_CREAT | O_EXCL;

/** Opens a new file, or with `--resume` the file of the interrupted export. Only its owner can read a new file. */
async function openFile(path: string, options: ParsedOptions): Promise<FileHandle> {
  // npm runs scripts in the repository's root, but gives the caller's directory in INIT_CWD.
  const file = resolve(process.env.INIT_CWD ?? '', path);
  try {
    return await open(file, options.flag('resume') ? present : absent, 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST')
      throw usageError(`${path} exists. Add --resume to continue its export, or choose another file.`);
    if (code === 'ENOENT' && options.flag('resume'))
      throw usageError(`${path} does not exist, so there is no export to resume. Leave out --resume.`);
    throw new CommandError(`Cannot write ${path} (${code}). Check the path.`);
  }
}

/** Larger than the largest line, which is an event or a delivery with all attempts. */
const maxLineBytes = 4 * 1024 * 1024;

/**
 * Returns the last complete line of the file, and removes what follows it. Returns undefined for an empty file.
 * @throws CommandError if the file does not contain an export of this account; the file stays unchanged
 */
async function readLastLine(file: FileHandle, account: string): Promise<ExportLine | undefined> {
  const { size } = await file.stat();
  if (size === 0) return undefined;
  const head = await readBytes(file, 0, Math.min(size, maxLineBytes));
  const first = parseLine(head.subarray(0, head.indexOf('\n')));
  if (first?.type !== 'account' || (first.data as { accountId?: string })?.accountId !== account)
    throw new CommandError(`The file does not contain an export of ${account}. Choose another file.`);
  const start = Math.max(0, size - maxLineBytes);
  const tail = await readBytes(file, start, size - start);
  const end = tail.lastIndexOf('\n');
  const last = parseLine(tail.subarray(tail.subarray(0, end).lastIndexOf('\n') + 1, end));
  if (!last) throw new CommandError('The last line of the file is damaged. Start a new export.');
  await file.truncate(start + end + 1);
  return last;
}

async function readBytes(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, start);
  return buffer.subarray(0, bytesRead);
}

function parseLine(bytes: Buffer): ExportLine | undefined {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
