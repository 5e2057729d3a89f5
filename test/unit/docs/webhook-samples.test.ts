/** Tests the samples that verify signatures, and the lists of event types, against what the service does. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { verifyWebhook } from '../../../client/src/verify-webhook.ts';
import { repositoryRoot } from '../../../infra/local/handler.ts';
import { commonEventTypes, eventTypes } from '../../../shared/domain/events/event.ts';
import { signedHeaders } from '../../../shared/domain/webhooks/signature.ts';
import { htmlOf } from '../../../shared/web/docs/prose.ts';
import { webhookGuide } from '../../../shared/web/docs/webhook-guide.ts';
import { pythonVerifier, testVector } from '../../../shared/web/docs/webhook-samples.ts';
import { document } from '../../support/document.ts';

const { secret, id, timestamp, body, signature } = testVector;
const at = Number(timestamp) * 1000;
const otherSecret = `whsec_${Buffer.from('another secret').toString('base64')}`;

test('the test vector has the signature that the service makes, and the client accepts it', async () => {
  const headers = signedHeaders(id, Buffer.from(body), [secret], at);
  expect(headers['webhook-signature']).toBe(signature);
  expect(
    await verifyWebhook(body, headers, secret, { receivedAt: new Date(at), apiVersion: '2026-11-21' }),
  ).toEqual(JSON.parse(body));
});

const hasPython = spawnSync('python3', ['-c', 'import sys; assert sys.version_info >= (3, 10)']).status === 0;
if (!hasPython) process.stderr.write('Skipped the verification in Python: Python 3.10 is not installed.\n');

(hasPython ? test : test.skip)('the function in Python accepts and refuses the right messages', () => {
  const headers = signedHeaders(id, Buffer.from(body), [otherSecret, secret], at);
  const calls = [
    [body, secret, at],
    [body, otherSecret, at],
    [body, secret, at + 300_000],
    [body, secret, at + 301_000],
    [body, secret, at - 301_000],
    [`${body} `, secret, at],
    [body, `whsec_${Buffer.from('wrong').toString('base64')}`, at],
  ] as const;
  const program = `${pythonVerifier}\n
import json, sys
headers, calls = json.load(sys.stdin)
print(json.dumps([verify(body.encode(), headers, secret, at / 1000) for body, secret, at in calls]))`;
  const { stdout, stderr } = spawnSync('python3', ['-c', program], {
    input: JSON.stringify([headers, calls]),
  });
  expect(stderr.toString()).toBe('');
  expect(JSON.parse(stdout.toString())).toEqual([true, true, true, false, false, false, false]);
});

test('the page and the guide list exactly the event types of * and all', () => {
  const page = htmlOf(webhookGuide(document)).toString();
  for (const type of [...eventTypes, 'webhook.test']) expect(page).toContain(`id="event-${type}"`);
  const rows = readFileSync(join(repositoryRoot, 'docs/use/webhooks.md'), 'utf8').split('\n');
  const typesIn = (start: string) =>
    [...(rows.find((row) => row.startsWith(start)) ?? '').matchAll(/`(\w+\.\w+)`/g)].map(([, type]) => type);
  expect(typesIn('| `["*"]` |')).toEqual(commonEventTypes);
  expect([...commonEventTypes, ...typesIn('| `["all"]` |')]).toEqual(eventTypes);
});
