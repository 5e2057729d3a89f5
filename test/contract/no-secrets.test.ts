/** Tests that the repository contains no secret: in no file that git tracks is a text of the shape of a known credential. */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const credentials: Readonly<Record<string, RegExp>> = {
  'AWS access key': /\b(AKIA|ASIA)[0-9A-Z]{16}\b/,
  'AWS secret key': /aws_?secret_?(access_?)?key['"]?\s*[:=]\s*['"]?[\w/+]{40}\b/i,
  'private key': /-----BEGIN ([A-Z]+ )?PRIVATE KEY-----/,
  'API key of Remit': /\bsk_(test|live)_[1-9]\d{0,5}[0-9a-z]{54}\b/,
  'webhook secret of Remit': /\bwhsec_[\w+/=-]{24,}/,
  'GitHub token': /\b(gh[pousr]_\w{36,}|github_pat_\w{22,})/,
  'npm token': /\bnpm_\w{36}\b|_authToken\s*=\s*\S{8,}/,
  'Slack token': /\bxox[abprs]-[\w-]{10,}/,
  'Google API key': /\bAIza[\w-]{35}\b/,
  'Stripe key': /\b[rs]k_live_[0-9a-zA-Z]{24,}\b/,
  'JSON web token': /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/,
};

/** The start of the secret in the examples of the API, that of the test vector of Standard Webhooks, and keys of the double. */
const publicSecrets = /whsec_(ZXhhbXBsZSBzZWNyZXQs|MfKQ9r8GKYqrTwjUPD8I)|[rs]k_live_double0{17}[1-3]\b/;

/** Returns the kind of each credential in `text`. */
const kindsIn = (text: string) =>
  Object.entries(credentials).flatMap(([kind, pattern]) =>
    pattern.test(text) && !publicSecrets.test(text) ? [kind] : [],
  );

/** Lists the files that git tracks. In an archive without a repository these are all but the generated ones. */
function listFiles(): string[] {
  if (existsSync('.git'))
    return execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0').filter(Boolean);
  const generated = ['node_modules', '.local', 'cdk.out', 'dist'];
  return globSync('**/*', {
    exclude: (path) => generated.some((name) => path.split('/').includes(name)),
  }).filter((path) => statSync(path).isFile());
}

test('no tracked file contains a credential', () => {
  const files = listFiles();
  expect(files.length).toBeGreaterThan(300);
  const found = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) => kindsIn(line).map((kind) => `${file}:${index + 1}: ${kind}`)),
  );
  expect(found).toEqual([]);
});

test.each([
  ['AWS access key', `AKIA${'Q'.repeat(16)}`],
  ['AWS secret key', `aws_secret_access_key = ${'a'.repeat(40)}`],
  ['private key', '-----BEGIN EC PRIVATE' + ' KEY-----'],
  ['API key of Remit', `Bearer sk_live_1${'a'.repeat(54)}`],
  ['webhook secret of Remit', `whsec_${'a'.repeat(32)}`],
  ['GitHub token', `ghp_${'a'.repeat(36)}`],
  ['npm token', ['//registry/:_authToken', 'a'.repeat(36)].join('=')],
  ['Stripe key', `rk_live_${'a'.repeat(24)}`],
])('a planted %s is found', (kind, text) => {
  expect(kindsIn(text)).toContain(kind);
});
