/** Matches the patterns of IAM's `StringLike` condition. */

/** Decides whether a text matches. */
export type Matcher = (text: string) => boolean;

/** Compiles a pattern of IAM. `*` matches any characters, `?` matches exactly one. */
export function compilePattern(pattern: string): Matcher {
  if (!/[*?]/.test(pattern)) return (text) => text === pattern;
  const prefix = pattern.slice(0, -1);
  if (pattern.endsWith('*') && !/[*?]/.test(prefix)) return (text) => text.startsWith(prefix);
  const parts = pattern.split(/([*?])/).map((part) => {
    if (part === '*') return '.*';
    return part === '?' ? '.' : part.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  });
  const expression = new RegExp(`^${parts.join('')}$`, 's');
  return (text) => expression.test(text);
}
