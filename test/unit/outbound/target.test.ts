/** Tests which URLs may be configured, by their text alone. */
import { describe, expect, test } from '@jest/globals';
import {
  configuredPortFault,
  type TargetPolicy,
  targetFault,
} from '../../../shared/platform/outbound/target.ts';

const strict: TargetPolicy = { mode: 'test', allowedRanges: [], ownHosts: [] };
const live: TargetPolicy = { ...strict, mode: 'live' };
const local: TargetPolicy = { ...strict, allowedRanges: ['127.0.0.0/8', '::1/128'] };

describe('a receiver is allowed', () => {
  test.each([
    'https://example.com',
    'https://example.com/hooks?tenant=7&kind=a#'.slice(0, -1),
    'HTTPS://Hooks.Example.COM:8443/a/b',
    'https://a_b.example.com/hook',
    'https://bücher.example/hook',
    'https://xn--bcher-kva.example/hook',
    'https://1.1.1.1/hook',
    'https://[2606:4700:4700::1111]:444/hook',
    'https://example.com/%20@:/hook',
    'https://example.com?mail=a@example.com',
    'https://localhost.example.com/',
    'https://127.0.0.1.nip.example/',
    'https://example.com:1/',
    'https://example.com:65535/',
  ])('%s in both modes', (url) => {
    expect(targetFault(url, strict)).toBeUndefined();
    expect(targetFault(url, live)).toBeUndefined();
  });

  test('by http only in test mode', () => {
    expect(targetFault('http://example.com/hook', strict)).toBeUndefined();
    expect(targetFault('http://example.com/hook', live)).toMatch(/^url must start with https:\/\//);
  });

  test.each([
    'http://127.0.0.1:9000/',
    'http://localhost:9000/',
    'http://a.localhost/',
    'http://[::1]:9000/',
  ])('%s if the deployment allows loopback', (url) => {
    expect(targetFault(url, local)).toBeUndefined();
  });

  test('but not at another private address, if the deployment allows loopback', () => {
    expect(targetFault('http://10.0.0.1/', local)).toMatch(/public address/);
    expect(targetFault('http://0.0.0.0/', local)).toMatch(/public address/);
  });
});

describe('the service itself is rejected', () => {
  const own: TargetPolicy = {
    ...local,
    ownHosts: ['127.0.0.1:4600', 'Api.Example.com', 'pay.example.com:8443', '[::1]:4700'],
  };

  test.each([
    'http://127.0.0.1:4600/api/events',
    'http://127.1:4600/',
    'http://127.0.0.2:4600/',
    'http://localhost:4600/',
    'http://LOCALHOST:4600/',
    'http://x.localhost:4600/',
    'http://[::1]:4600/',
    'http://[::ffff:127.0.0.1]:4600/',
    'http://0.0.0.0:4600/',
    'http://[::]:4600/',
    'http://127.0.0.1:4700/',
    'https://api.example.com/api/invoices',
    'https://API.example.com:443/',
    'http://api.example.com:80/',
    'http://api.example.com:443/',
    'https://%61pi.example.com/',
    'https://pay.example.com:8443/',
  ])('%s', (url) => {
    expect(targetFault(url, own)).toMatch(/^url must not lead to this service itself\. /);
  });

  test('with a dot at the end', () => {
    expect(targetFault('https://api.example.com./', own)).toMatch(/^url must have a host name/);
    expect(targetFault('https://api.example.com/', { ...own, ownHosts: ['api.example.com.'] })).toMatch(
      /itself/,
    );
  });

  test.each([
    'http://127.0.0.1:4601/',
    'http://localhost/',
    'https://api.example.com:8443/',
    'https://pay.example.com/',
    'https://xapi.example.com/',
    'https://api.example.com.example/',
  ])('but not %s', (url) => {
    expect(targetFault(url, own)).toBeUndefined();
  });
});

describe('the message says what is wrong and what to do', () => {
  const long = (length: number) => `https://example.com/${'a'.repeat(length - 20)}`;

  test('at most 2048 characters', () => {
    expect(targetFault(long(2_048), live)).toBeUndefined();
    expect(targetFault(long(2_049), live)).toMatch(/^url must have at most 2048 characters\. /);
  });

  test.each([
    ['', /^url must be an absolute URL such as /],
    ['example.com/hook', /absolute/],
    ['//example.com/hook', /absolute/],
    ['https:example.com', /absolute/],
    ['https:/example.com', /absolute/],
    ['https:///example.com', /absolute/],
    ['https:\\\\example.com', /backslashes/],
    ['https://example.com\\@127.0.0.1/', /backslashes/],
    [' https://example.com/', /white space/],
    ['https://example.com/\n', /white space/],
    ['https://exam\tple.com/', /white space/],
    ['https://example.com/\0', /control characters/],
    ['https://exa\u00admple.com/', /control characters/],
    ['https://exam\u200bple.com/', /control characters/],
    ['https://example.com/\ud800', /control characters/],
    ['https://', /absolute/],
    ['https://?a', /absolute/],
    ['ftp://example.com/', /absolute/],
    ['javascript:alert(1)', /absolute/],
    ['file:///etc/passwd', /absolute/],
    ['https://user:secret@example.com/', /^url must not contain a user name or password\. /],
    ['https://user@example.com/', /user name/],
    ['https://@example.com/', /user name/],
    ['https://:@example.com/', /user name/],
    ['https://example.com@127.0.0.1/', /user name/],
    ['https://a:b@c@example.com/', /user name/],
    ['https://example.com/#part', /^url must not contain a fragment\. /],
    ['https://example.com#', /fragment/],
    ['https://example.com#@127.0.0.1/', /fragment/],
    ['https://example.com:0/', /^url must have a port from 1 to 65535/],
    ['https://example.com:00000/', /port/],
    ['https://example.com:65536/', /absolute/],
    ['https://example.com:x/', /absolute/],
    [
      'https://example.com./',
      /^url must have a host name .*\. Remove other characters and any dot at the end\.$/,
    ],
    ['https://a..example.com/', /have a host name/],
    ['https://.example.com/', /have a host name/],
    ["https://a'b.example.com/", /have a host name/],
    ['https://a*b.example.com/', /have a host name/],
    [`https://${'a'.repeat(64)}.com/`, /have a host name/],
    [`https://${'abc.'.repeat(63)}com/`, /have a host name/],
  ])('%j', (url, expected) => {
    expect(targetFault(url, strict)).toMatch(expected);
    expect(targetFault(url, live)).toMatch(expected);
  });

  test('for http in live mode', () => {
    expect(targetFault('http://example.com/', live)).toBe(
      'url must start with https:// in live mode. Install a TLS certificate on your receiver.',
    );
  });
});

describe('the port of a new endpoint', () => {
  const ports = [443, 8443];

  test.each([
    'https://example.com/',
    'https://example.com:443/',
    'https://example.com:8443/',
    'https://[2606:4700::1]/',
  ])('%s is allowed', (url) => {
    expect(configuredPortFault(url, ports)).toBeUndefined();
  });

  test.each([
    'http://127.0.0.1:9/',
    'http://localhost:9/',
    'http://a.localhost:9/',
    'http://[::1]:9/',
    'http://127.9.9.9:9/',
  ])('%s is loopback, where every port is allowed', (url) => {
    expect(configuredPortFault(url, ports)).toBeUndefined();
  });

  test.each([
    'http://example.com/',
    'https://example.com:22/',
    'https://10.0.0.1:9/',
    'https://127.0.0.1.example.com:9/',
  ])('%s is not allowed, and the message names the ports', (url) => {
    expect(configuredPortFault(url, ports)).toMatch(/^url must have the port 443 or 8443\. /);
  });
});
