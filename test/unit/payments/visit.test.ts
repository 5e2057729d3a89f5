/** Tests that only a visit which the service signed for the same invoice, in the last day, is read. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { beginVisit, readVisit } from '../../../shared/domain/payments/visit.ts';

const invoiceId = 'inv_0h2m4zv8k6q1t9w3x5y7c2b4n6';
const now = Date.UTC(2026, 10, 21);
const dayMs = 24 * 60 * 60 * 1000;

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'remit-visit-'));
  process.env.DEPLOYMENT_SECRET_FILE = join(directory, 'secret.json');
  await writeFile(process.env.DEPLOYMENT_SECRET_FILE, JSON.stringify({ current: '1', 1: 'secret' }));
});
afterAll(() => rm(directory, { recursive: true }));

test('a visit is read for its invoice, for a day', async () => {
  const text = await beginVisit(invoiceId, now);
  const visit = { id: expect.stringMatching(/^[0-9a-z]{26}$/), openedAt: now };
  expect(await readVisit(invoiceId, text, now + dayMs)).toEqual(visit);
  expect(await readVisit(invoiceId, text, now + dayMs + 1)).toBeUndefined();
  expect(await readVisit('inv_other', text, now)).toBeUndefined();
  expect(await beginVisit(invoiceId, now)).not.toBe(text);
});

test('a text that the service did not sign is not read', async () => {
  const [version = '', openedAt, id = '', signature = ''] = (await beginVisit(invoiceId, now)).split('.');
  const forged = [
    '',
    'x',
    [version, Number(openedAt) - 1, id, signature].join('.'),
    [version, openedAt, id.replace(/./g, '0'), signature].join('.'),
    [version, openedAt, id, 'A'.repeat(22)].join('.'),
    ['7', openedAt, id, signature].join('.'),
    [version, openedAt, id, `${signature}A`].join('.'),
  ];
  for (const text of forged) expect(await readVisit(invoiceId, text, now)).toBeUndefined();
});
