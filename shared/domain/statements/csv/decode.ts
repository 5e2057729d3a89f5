/** Decodes the bytes of a text file: the encodings in which banks and spreadsheets write CSV. Pure. */
import { StatementFileError } from './file-error.ts';

/** In the order in which they are tried. A byte order mark decides at once. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** The first bytes of files that people take for CSV, and what to do with them. */
const otherFiles: readonly (readonly [start: string, message: string])[] = [
  ['PK\u0003\u0004', 'This is a workbook of a spreadsheet. Save it as CSV, and import that file.'],
  ['\u00d0\u00cf\u0011\u00e0', 'This is a workbook of Excel. Save it as CSV, and import that file.'],
  ['%PDF', 'This is a PDF. Download the data as CSV instead.'],
];

const marks: readonly (readonly [mark: readonly number[], encoding: Encoding])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];

/**
 * Returns the text of a file, and its encoding.
 * @throws StatementFileError if it is empty, of another kind, or in an unknown encoding
 */
export function decodeFile(bytes: Uint8Array): { readonly text: string; readonly encoding: Encoding } {
  const start = Buffer.from(bytes.subarray(0, 4)).toString('latin1');
  for (const [beginning, message] of otherFiles)
    if (start.startsWith(beginning)) throw new StatementFileError(message);
  const marked = marks.find(([mark]) => mark.every((byte, index) => bytes[index] === byte))?.[1];
  const { text, encoding } = marked ? decodeAs(marked, bytes) : decodeUnmarked(bytes);
  if (text.trim() === '')
    throw new StatementFileError('The file is empty. Check that the download is complete.');
  if (/[\0\ufffd]/.test(text))
    throw new StatementFileError('The file has an unknown encoding. Save it as CSV in UTF-8.');
  return { text, encoding };
}

const decodeAs = (encoding: Encoding, bytes: Uint8Array) => ({
  text: new TextDecoder(encoding).decode(bytes),
  encoding,
});

/** Every text decodes as Windows-1252, and almost no other one as UTF-8. */
function decodeUnmarked(bytes: Uint8Array) {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'utf-8' as const };
  } catch {
    return decodeAs('windows-1252', bytes);
  }
}
