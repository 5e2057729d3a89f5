/** The headers of every web page of the service, and the policy that its pages have in common. */
import { createHash } from 'node:crypto';

/**
 * The Content-Security-Policy of a page that runs nothing and loads nothing but its one stylesheet, whose text is
 * `stylesheet` to the letter, and an icon (a `data:` URL).
 * @param formAction where its forms may be sent
 */
export function pagePolicy(stylesheet: string, formAction: "'self'" | "'none'"): string {
  const styleHash = createHash('sha256').update(stylesheet).digest('base64');
  return [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    'img-src data:',
    `form-action ${formAction}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Nothing of the page may be framed, sniffed, sent elsewhere or kept; what it may load is its policy's affair. */
export function pageHeaders(contentSecurityPolicy: string): Record<string, string> {
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': contentSecurityPolicy,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'X-Robots-Tag': 'noindex',
    'Referrer-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
    'Strict-Transport-Security': 'max-age=31536000',
  };
}
