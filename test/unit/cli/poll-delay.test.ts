/** Tests how often `npx remit listen` asks for new events. */
import { describe, expect, test } from '@jest/globals';
import { failedPollDelayMs, pollDelayMs, readRateLimit } from '../../../cli/poll-delay.ts';

const hourMs = 3_600_000;

describe('after a success', () => {
  test('the wait is 2 seconds after an event, and grows to 10 seconds', () => {
    const waits = [0, 1, 2, 3, 99].map((quiet) => pollDelayMs(quiet, undefined, 0));
    expect(waits).toEqual([2_000, 4_000, 8_000, 10_000, 10_000]);
  });

  test.each([1000, 5000])(
    'of %d requests an hour, half remain although each request finds an event',
    (limit) => {
      let remaining = limit;
      for (let now = 0; now < hourMs; remaining -= 1) {
        expect(remaining).toBeGreaterThan(limit * 0.45);
        now += pollDelayMs(0, { limit, remaining, resetAt: hourMs }, now);
      }
    },
  );

  test('if other programs use the requests, it asks every 30 seconds', () => {
    expect(pollDelayMs(0, { limit: 1000, remaining: 0, resetAt: hourMs }, 0)).toBe(30_000);
  });
});

describe('after a failure', () => {
  test('the wait doubles up to a minute, and honors Retry-After', () => {
    const waits = [1, 2, 3, 7, 50].map((failures) => failedPollDelayMs(failures, undefined, 1));
    expect(waits).toEqual([1_000, 2_000, 4_000, 60_000, 60_000]);
    expect(failedPollDelayMs(1, 900)).toBe(900_000);
  });
});

test('the state of the rate limit comes from the headers of a response', () => {
  const headers = { 'X-RateLimit-Limit': '1000', 'X-RateLimit-Remaining': '7', 'X-RateLimit-Reset': '60' };
  expect(readRateLimit(new Headers(headers))).toEqual({ limit: 1000, remaining: 7, resetAt: 60_000 });
  expect(readRateLimit(new Headers({ 'X-RateLimit-Limit': '1000' }))).toBeUndefined();
});
