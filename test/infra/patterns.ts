/** Patterns of IAM's `StringLike`. */

/** Whether `text` is what `pattern` asks for: `*` stands for any characters, `?` for one. */
export function matchesPattern(text: string, pattern: string): boolean {
  const parts = pattern.split(/([*?])/).map((part) => {
    if (part === '*') return '.*';
    return part === '?' ? '.' : part.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`, 's').test(text);
}
