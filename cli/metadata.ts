/** Reads metadata from options: `--metadata KEY=VALUE` sets a text, and `--remove-metadata KEY` removes one. */
import { type OptionSpec, type ParsedOptions, usageError } from './command.ts';

/** The option of commands that create something with metadata. */
export const metadataOption: Readonly<Record<string, OptionSpec>> = {
  metadata: {
    value: 'KEY=VALUE',
    about: 'A text of your own, for example orderId=1047. Repeat the option for more texts.',
    repeatable: true,
  },
};

/** The options of commands that change something with metadata. */
export const metadataUpdateOptions: Readonly<Record<string, OptionSpec>> = {
  ...metadataOption,
  'remove-metadata': {
    value: 'KEY',
    about: 'Key of a text to remove from the metadata. Repeat the option for more keys.',
    repeatable: true,
  },
};

/**
 * Returns the metadata of a new resource as a part of the request body. The API validates the keys and texts.
 * @returns an empty object if no text is given
 * @throws CommandError (usage) if a text has no key, or if two texts have the same key
 */
export function readMetadata(options: ParsedOptions): { metadata?: Record<string, string> } {
  const texts = options.all('metadata').map(parseText);
  requireDistinct(texts.map(([key]) => key));
  return texts.length > 0 ? { metadata: Object.fromEntries(texts) } : {};
}

/**
 * Returns the change of metadata as a part of the request body. Null removes a key.
 * @returns an empty object if nothing is given
 * @throws CommandError (usage) if a text has no key, or if a key is given twice
 */
export function readMetadataUpdate(options: ParsedOptions): { metadata?: Record<string, string | null> } {
  const removed = options.all('remove-metadata').map((key) => [key, null] as const);
  const entries = [...options.all('metadata').map(parseText), ...removed];
  requireDistinct(entries.map(([key]) => key));
  return entries.length > 0 ? { metadata: Object.fromEntries(entries) } : {};
}

function parseText(option: string): readonly [string, string] {
  const position = option.indexOf('=');
  if (position < 1) throw usageError('--metadata must be KEY=VALUE, for example --metadata orderId=1047.');
  return [option.slice(0, position), option.slice(position + 1)];
}

function requireDistinct(keys: readonly string[]): void {
  const repeated = keys.find((key, index) => keys.indexOf(key) !== index);
  if (repeated !== undefined) throw usageError(`The metadata key "${repeated}" is given twice. Use it once.`);
}
