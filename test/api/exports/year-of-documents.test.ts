/** Tests that an export of many documents is one archive with one index, which other programs read. Takes 10 seconds. */
import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { strFromU8, unzipSync } from 'fflate';
import type { Stack } from '../../../infra/local/stack.ts';
import { newAccount } from '../../support/api.ts';
import { inNewestVersion } from '../../support/newest-version.ts';
import { startTestStack } from '../../support/stack.ts';
import { tableOf } from '../../support/table.ts';
import { untilRelayed } from '../../support/until-relayed.ts';
import { waitUntil } from '../../support/wait-until.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.close());

/** More than two archives of a step. */
const count = 53;

test('53 documents are one archive with one index', async () => {
  const { changeSeller } = await import('../../../shared/domain/accounts/seller-change-store.ts');
  const account = await newAccount(stack.baseUrl);
  await changeSeller(account.accountId, { legalName: 'Druk Crafts', address: { country: 'BT' } });
  const api = inNewestVersion(account.test);
  for (let amount = 1; amount <= count; amount++)
    await api.post('/api/invoices', { customerId: 'c_1', amount, currency: 'BTN', description: 'Tea' });
  await untilRelayed(tableOf(stack), `${account.accountId}#test`);
  const { json: created } = await api.post('/api/exports', { kind: 'documents', bom: true });
  const shown = await waitUntil('the export', async () => {
    const { json } = await api.get(`/api/exports/${created.id}`);
    return json.status !== 'running' && json;
  });
  expect(shown).toMatchObject({ status: 'completed', rows: count, leftOut: 0, parts: [{ rows: count }] });
  const response = await fetch(shown.parts[0].url);
  expect(response.headers.get('content-type')).toBe('application/zip');
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(shown.parts[0].bytes).toBe(bytes.length);

  const files = unzipSync(bytes);
  const text = files['index.csv'] ?? new Uint8Array();
  expect([...text.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  const index: Record<string, string>[] = parse(Buffer.from(text), { columns: true, bom: true });
  expect(index.map((row) => Math.round(Number(row.amount) * 100))).toEqual(
    Array.from({ length: count }, (_, position) => position + 1),
  );
  const named = index.map(({ file = '' }) => file);
  expect(Object.keys(files)).toEqual([...named, 'index.csv']);
  for (const name of named) expect(strFromU8(files[name]?.subarray(0, 5) ?? new Uint8Array())).toBe('%PDF-');
  for (const { file: name = '', sha256 } of index)
    expect([name, sha256]).toEqual([name, hash('sha256', files[name] ?? '')]);

  const directory = await mkdtemp(join(tmpdir(), 'remit-zip-'));
  const file = join(directory, 'year.zip');
  await writeFile(file, bytes);
  // The second one reads an archive from its beginning, and not from the list at its end.
  const ran = [
    spawnSync('unzip', ['-t', file], { encoding: 'utf8' }),
    spawnSync('jar', ['x'], { encoding: 'utf8', cwd: directory, input: bytes }),
  ];
  const unpacked = await readdir(directory);
  await rm(directory, { recursive: true });
  // Without the programs, fflate is the only reader.
  const [unzip, jar] = ran.map(({ error, ...each }) =>
    (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT' ? undefined : each,
  );
  if (unzip)
    expect(unzip).toMatchObject({ status: 0, stdout: expect.stringContaining('No errors detected') });
  if (!jar) return;
  expect(jar).toMatchObject({ status: 0, stderr: '' });
  expect(unpacked.toSorted()).toEqual([...named, 'index.csv', 'year.zip'].toSorted());
});
