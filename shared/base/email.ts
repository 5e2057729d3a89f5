/** Recognizes e-mail addresses. */

export const maxEmailLength = 254;

const localPart = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const domainLabel = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/**
 * Whether `text` is an e-mail address that is reachable over the public internet.
 *
 * - The local part is a dot-string of RFC 5321, without quotes and comments.
 * - The domain has at least two labels. Internationalized domains must be in their `xn--` form.
 * - The last label is not a number, which excludes IP addresses.
 */
export function isEmail(text: string): boolean {
  if (text.length > maxEmailLength) return false;
  const [local = '', domain = '', ...more] = text.split('@');
  if (more.length > 0 || local.length > 64 || !localPart.test(local)) return false;
  const labels = domain.split('.');
  return (
    labels.length >= 2 && labels.every((label) => domainLabel.test(label)) && /\D/.test(labels.at(-1) ?? '')
  );
}
