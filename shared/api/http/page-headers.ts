/** The headers of every web page of the service, and the policy that its pages have in common. */
import { createHash } from 'node:crypto';
import { securityHeaders } from './security-headers.ts';

/**
 * Returns the Content-Security-Policy of a page that runs no script. The page loads only its stylesheet and the images of
 * `images`.
 * @param stylesheet the exact text of the stylesheet, which the policy contains as a hash
 * @param formAction where the page may send its forms, as a list of sources. Browsers apply it to each redirect of a form,
 *   too. So undefined, which allows every address, is for a form whose answer leads to another site.
 * @param images the sources of its images
 */
export function pagePolicy(stylesheet: string, formAction: string | undefined, images = 'data:'): string {
  const styleHash = createHash('sha256').update(stylesheet).digest('base64');
  return [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    `img-src ${images}`,
    ...(formAction === undefined ? [] : [`form-action ${formAction}`]),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Returns the headers of a page: no other site may embed it, no cache may store it, and no search engine lists it. */
export function pageHeaders(contentSecurityPolicy: string): Record<string, string> {
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': contentSecurityPolicy,
    'Cache-Control': 'no-store',
    'X-Frame-Options': 'DENY',
    'X-Robots-Tag': 'noindex',
    'Referrer-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
    ...securityHeaders,
  };
}
