/** Tests the lines that `npm start` prints for people. */
import { expect, test } from '@jest/globals';
import type { AnsweredRequest } from '../../../../infra/local/gateway.ts';
import { formatEntry, formatRequest, writeReadableLines } from '../../../../infra/local/readable-log.ts';
import { metricFields } from '../../../../shared/base/metrics.ts';

const at = new Date(2026, 0, 31, 9, 5, 7);
const plain = (_color: string, text: string) => text;
const colored = (color: string, text: string) => `<${color}>${text}</>`;

const request = (fields: Partial<AnsweredRequest> = {}): AnsweredRequest => ({
  method: 'GET',
  route: '/api/invoices/{id}',
  pathParameters: { id: 'inv_vk1c1md5xjmaywt5nf4hekw88c' },
  status: 200,
  durationMs: 12.6,
  requestId: 'request-1',
  ...fields,
});

test('a request is one line with its method, path, status, time and id', () => {
  expect(formatRequest(request(), at, plain).split(/ {2,}| (?=\/)/)).toEqual([
    '09:05:07 GET',
    '/api/invoices/inv_vk1c1md5xjmaywt5nf4hekw88c',
    '200',
    '13 ms',
    'request-1',
  ]);
});

test.each([
  ['a key', { id: `sk_test_${'1'.repeat(50)}` }],
  ['an address', { id: 'dorji@example.bt' }],
  ['control characters', { id: 'inv_\u001b[2J1c1md5xjmaywt5nf4' }],
])('a path parameter with %s is not shown', (_, pathParameters) => {
  expect(formatRequest(request({ pathParameters }), at, plain)).toContain(' /api/invoices/{id} ');
});

test('nothing of the path of a request without a route is shown', () => {
  const line = formatRequest(request({ route: undefined, pathParameters: {}, status: 404 }), at, plain);
  expect(line).toContain(' (no route) ');
});

test('the color tells success, refusal and failure apart', () => {
  const colors = [201, 404, 503].map(
    (status) => /<(\w+)>\d{3}</.exec(formatRequest(request({ status }), at, colored))?.[1],
  );
  expect(colors).toEqual(['green', 'yellow', 'red']);
});

test('an attempt to deliver is one line without what only metrics need', () => {
  const fields = {
    delivery: 'dlv_1',
    webhook: 'wh_1',
    tries: 2,
    ...metricFields({ Deliveries: 1, DeliveryLag: 35 }, { result: 'retried' }),
  };
  expect(formatEntry({ level: 'info', message: 'delivery', fields }, at, plain)).toBe(
    '09:05:07 delivery delivery=dlv_1 webhook=wh_1 tries=2 result=retried',
  );
});

test('an error is one line without its stack, and its text cannot control the terminal', () => {
  const error = { name: 'TypeError', message: 'bad\u001b[2J\ntext', stack: 'at secret' };
  expect(formatEntry({ level: 'error', message: 'request', fields: { error } }, at, plain)).toBe(
    '09:05:07 error: request error="TypeError: bad\\u001b[2J\\ntext"',
  );
});

test('the logger writes readable lines, and none for a request that has its line already', () => {
  const printed: string[] = [];
  const ignore = () => {};
  const target = { debug: ignore, info: ignore, warn: ignore, error: ignore, critical: ignore };
  writeReadableLines(target, (line) => printed.push(line), plain);
  const write = target.info as (message: string, fields: object) => void;
  write('request', { status: 200 });
  write('event', { event: 'evt_1' });
  expect(printed.map((line) => line.slice(9))).toEqual(['event event=evt_1']);
});
