/** Finds texts in table items, in every form in which an item could contain them. */
import { brotliDecompressSync } from 'node:zlib';
import type { TestItem } from './table.ts';

/** Returns the keys of the items that contain one of the texts, in any case: plain, escaped, as base64 or compressed. */
export function findTexts(items: readonly TestItem[], texts: readonly string[]): string[] {
  const forms = texts.flatMap(formsOf);
  return items.flatMap((item) => {
    const content = contentsOf(item).join('\n');
    const folded = content.toLowerCase();
    const found = forms.filter(({ form, isFolded }) => (isFolded ? folded : content).includes(form));
    return found.length > 0 ? [`${item.pk} ${item.sk}: ${found[0]?.form}`] : [];
  });
}

function formsOf(text: string): { form: string; isFolded: boolean }[] {
  const plain = [text, encodeURIComponent(text), JSON.stringify(text).slice(1, -1)];
  // Within a longer text, the base64 of a text depends on its position modulo 3, and its ends on the neighbors.
  const encoded = [0, 1, 2].map((shift) => {
    const base64 = Buffer.concat([Buffer.alloc(shift), Buffer.from(text)]).toString('base64');
    return base64.slice(shift === 0 ? 0 : 4, -4);
  });
  return [
    ...plain.map((form) => ({ form: form.toLowerCase(), isFolded: true })),
    ...encoded
      // Shorter ones would match by accident.
      .filter((form) => form.length >= 8)
      .flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')])
      .map((form) => ({ form, isFolded: false })),
  ];
}

/** Returns all texts in a value: names, strings, and bytes as they are and decompressed. */
function contentsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (value instanceof Uint8Array) return [Buffer.from(value).toString('latin1'), decompress(value)];
  if (value instanceof Set) return [...value].flatMap(contentsOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => [name, ...contentsOf(each)]);
}

function decompress(bytes: Uint8Array): string {
  try {
    return brotliDecompressSync(bytes).toString('utf8');
  } catch {
    return '';
  }
}
