import { expect, test } from '@jest/globals';
import {
  csrfTokenOf,
  describeBrowser,
  isCsrfToken,
  randomSessionId,
  userIdOf,
} from '../../../shared/domain/users/session.ts';

test.each([
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
    'Chrome on Linux',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Safari/604.1',
    'Safari on iOS',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  ['curl/8.14.1', 'Another browser'],
  ['', 'Another browser'],
])('the browser of %p', (userAgent, expected) => {
  expect(describeBrowser(userAgent)).toBe(expected);
});

test('a user is an issuer and a subject: no other pair gives the same id', () => {
  const id = userIdOf({ issuer: 'https://a.example', subject: '1' });
  expect(id).toMatch(/^usr_[0-9a-hjkmnp-tv-z]{26}$/);
  expect(userIdOf({ issuer: 'https://a.example', subject: '1' })).toBe(id);
  expect(userIdOf({ issuer: 'https://a.example1', subject: '' })).not.toBe(id);
  expect(userIdOf({ issuer: 'https://b.example', subject: '1' })).not.toBe(id);
});

test('only the token of the same session is accepted', () => {
  const [id, other] = [randomSessionId(), randomSessionId()];
  expect(isCsrfToken(id, csrfTokenOf(id))).toBe(true);
  for (const token of ['', 'x', csrfTokenOf(other), `${csrfTokenOf(id)}x`, 'é'.repeat(43)])
    expect(isCsrfToken(id, token)).toBe(false);
});
