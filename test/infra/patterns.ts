/** Matches the patterns of IAM's `StringLike` condition. */

/** Returns true if `text` matches `pattern`. `*` matches any characters, `?` matches exactly one. */
export function matchesPattern(text: string, pattern: string): boolean {
  const parts = pattern.split(/([*?])/).map((part) => {
    if (part === '*') return '.*';
    return part === '?' ? '.' : part.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`, 's').test(text);
}
