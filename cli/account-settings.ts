/** The options by which an account's settings are changed, and what they may be. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  type AccountSettings,
  arePaymentInstructions,
  isQrText,
  maxInstructions,
  maxQrBytes,
  type SettingsChange,
} from '../shared/accounts/account.ts';
import { CommandError, nameOf, type Option, type Options, oneOf, usageError } from './command.ts';

/** The settings by the names of their options. */
const settings = {
  'display-name': 'displayName',
  'payment-instructions': 'paymentInstructions',
  'payment-qr': 'paymentQr',
} as const satisfies Record<string, keyof AccountSettings>;

const settingWords = Object.keys(settings) as (keyof typeof settings)[];

export const settingOptions: Readonly<Record<string, Option>> = {
  'display-name': { value: 'NAME', about: "who is paid, in place of the account's name" },
  'payment-instructions': {
    value: 'TEXT',
    about: 'how to pay otherwise, such as a bank account, in lines of text',
  },
  'payment-instructions-file': { value: 'PATH', about: 'the same from a file in UTF-8' },
  'payment-qr': { value: 'TEXT', about: "the text of a QR code for the payer's bank" },
  remove: { value: 'SETTING', about: `takes one away: ${settingWords.join(', ')}` },
};

/** The change that the options ask for: null takes a setting away. Throws a usage error if they ask for none. */
export async function settingsChangeOf(options: Options): Promise<SettingsChange> {
  const change = {
    displayName: options.optional('display-name') && nameOf(options, 'display-name'),
    paymentInstructions: await instructionsOf(options),
    paymentQr: qrTextOf(options),
  };
  const removed = options.optional('remove');
  if (removed !== undefined) return withRemoval(change, oneOf('remove', removed, settingWords));
  if (Object.values(change).some((value) => value !== undefined)) return change;
  const all = Object.keys(settingOptions)
    .map((name) => `--${name}`)
    .join(', ');
  throw usageError(`There is nothing to change: use at least one of ${all}.`);
}

function withRemoval(change: SettingsChange, word: keyof typeof settings): SettingsChange {
  const setting = settings[word];
  if (change[setting] === undefined) return { ...change, [setting]: null };
  throw usageError(`Either set the ${word} or remove it, not both.`);
}

/** Payment instructions with lines that end in a line feed, whatever they end in where they were written. */
async function instructionsOf(options: Options): Promise<string | undefined> {
  const text = options.optional('payment-instructions');
  const path = options.optional('payment-instructions-file');
  if (text !== undefined && path !== undefined)
    throw usageError('Use either --payment-instructions or --payment-instructions-file, not both.');
  const lines = (path === undefined ? text : await readText(path))?.replace(/\r\n?/g, '\n').trim();
  if (lines === undefined || arePaymentInstructions(lines)) return lines;
  const option = path === undefined ? 'payment-instructions' : 'payment-instructions-file';
  throw usageError(
    `--${option} must be text of 1 to ${maxInstructions} characters in lines, without tabs and other control characters.`,
  );
}

function qrTextOf(options: Options): string | undefined {
  const text = options.optional('payment-qr');
  if (text === undefined || isQrText(text)) return text;
  throw usageError(
    `--payment-qr must be text of 1 to ${maxQrBytes} bytes (UTF-8) in one line, without control characters.`,
  );
}

/** npm runs scripts at the top of the repository, and tells where it was called. */
async function readText(path: string): Promise<string> {
  const file = resolve(process.env.INIT_CWD ?? '', path);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file));
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') throw usageError(`${path} is not text in UTF-8.`);
    throw new CommandError(`${path} cannot be read (${code}).`);
  }
}
