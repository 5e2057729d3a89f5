/** Reads the credentials of a payment provider: from a file, from standard input, or typed without an echo. */
import { readFile } from 'node:fs/promises';
import { text as readStream } from 'node:stream/consumers';
import {
  type CredentialField,
  credentialFields,
  providerFacts,
} from '../shared/domain/payments/connections/provider-facts.ts';
import type { HostedProviderName } from '../shared/domain/payments/provider/hosted-provider.ts';
import { type OptionSpec, type ParsedOptions, usageError } from './command.ts';
import { ask, isInteractive } from './terminal.ts';

export const credentialsOption: OptionSpec = {
  value: 'PATH',
  about: `JSON file with the fields ${credentialFields.join(', ')}, or - for standard input. Required without a terminal.`,
};

/**
 * Reads the credentials from the file, or asks for them.
 * @param advice shown before the first question
 */
export async function readCredentials(
  parsed: ParsedOptions,
  name: HostedProviderName,
  advice: string,
  isOptional: boolean,
): Promise<Partial<Record<CredentialField, string>>> {
  const path = parsed.optional('credentials-file');
  if (path !== undefined) return parseCredentials(await readText(path));
  if (!isInteractive())
    throw usageError(
      'Without a terminal, add --credentials-file with the credentials, or - to read standard input.',
    );
  process.stderr.write(advice);
  const entered: Partial<Record<CredentialField, string>> = {};
  for (const field of credentialFields) {
    const facts = providerFacts[name].credentials[field];
    if (!facts) continue;
    const keep = isOptional ? ' (Enter keeps the present one)' : '';
    entered[field] = await ask(`${facts.label}${keep}: `, { hidden: true });
  }
  return entered;
}

async function readText(path: string): Promise<string> {
  if (path === '-') return readStream(process.stdin);
  return readFile(path, 'utf8').catch(() => {
    throw usageError('The file of --credentials-file cannot be read. Check the path.');
  });
}

/** The error does not quote the text, because it contains secrets. */
function parseCredentials(text: string): Partial<Record<CredentialField, string>> {
  const wrong = usageError(
    `--credentials-file must be a JSON object with texts in the fields ${credentialFields.join(', ')}.`,
  );
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw wrong;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw wrong;
  const isValid = Object.entries(parsed).every(
    ([field, value]) => credentialFields.some((known) => known === field) && typeof value === 'string',
  );
  if (!isValid) throw wrong;
  return parsed;
}
