/** Tests how archives of documents are joined: other programs read the result, and each file and each row is in it once. */
import { describe, expect, test } from '@jest/globals';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { joinArchives } from '../../../shared/web/exports/join-archives.ts';
import { seededRandom } from '../../support/seeded-random.ts';

type Files = Readonly<Record<string, Uint8Array>>;

/** Makes an archive as `archiveDocuments` does. */
const archiveOf = (files: Files, index: string, indexName = 'index.csv'): Uint8Array =>
  zipSync({
    ...Object.fromEntries(
      Object.entries(files).map(([name, bytes]) => [name, [bytes, { level: 0 }]] as const),
    ),
    [indexName]: strToU8(index),
  });

async function* each(archives: readonly Uint8Array[]) {
  yield* archives;
}

async function join(archives: readonly Uint8Array[], indexName = 'index.csv') {
  let count = 0;
  const chunks: Uint8Array[] = [];
  for await (const chunk of joinArchives(each(archives), indexName, () => {
    count += 1;
  }))
    chunks.push(chunk);
  return { count, files: unzipSync(Buffer.concat(chunks)) };
}

const header = '\ufeffnumber,file\n';

describe('joined archives', () => {
  test('have the files and the rows of all, and one header with its mark', async () => {
    const random = seededRandom('archives');
    const all: Record<string, Uint8Array> = {};
    const archives = Array.from({ length: 7 }, (_, part) => {
      const names = Array.from({ length: random.integer(1, 9) }, (_, number) => `རྩིས-${part}-${number}.pdf`);
      const files = Object.fromEntries(
        names.map((name) => [name, Buffer.alloc(random.integer(0, 9_000), name)] as const),
      );
      Object.assign(all, files);
      return archiveOf(files, header + names.map((name) => `1,${name}\n`).join(''));
    });
    const { count, files } = await join(archives);
    const { 'index.csv': index, ...others } = files;
    expect(count).toBe(7);
    expect(Object.keys(others)).toEqual(Object.keys(all));
    for (const [name, bytes] of Object.entries(all))
      expect(Buffer.compare(others[name] ?? bytes, bytes)).toBe(0);
    expect(Buffer.from(index ?? []).toString('utf8')).toBe(
      header +
        Object.keys(all)
          .map((name) => `1,${name}\n`)
          .join(''),
    );
  });

  test('end before an archive that has a name again', async () => {
    const one = strToU8('one');
    const archives = [{ 'a.pdf': one }, { 'b.pdf': one }, { 'c.pdf': one, 'a.pdf': one }, { 'd.pdf': one }];
    const { count, files } = await join(archives.map((each) => archiveOf(each, header)));
    expect(count).toBe(2);
    expect(Object.keys(files)).toEqual(['a.pdf', 'b.pdf', 'index.csv']);
  });

  test('have all lines of an index of JSON, and rows without a file', async () => {
    const archives = ['1', '2', '3'].map((line) =>
      archiveOf({}, `{"file":null,"n":${line}}\n`, 'index.jsonl'),
    );
    const { files } = await join(archives, 'index.jsonl');
    expect(Object.keys(files)).toEqual(['index.jsonl']);
    expect(
      strFromU8(files['index.jsonl'] ?? new Uint8Array())
        .split('\n')
        .map((line) => (line === '' ? line : JSON.parse(line).n)),
    ).toEqual([1, 2, 3, '']);
  });

  test('need archives that end with an index', async () => {
    await expect(join([archiveOf({}, header, 'other.csv')])).rejects.toThrow('has no index.csv');
    await expect(join([strToU8('no archive, and long enough')])).rejects.toThrow('is not readable');
  });
});
