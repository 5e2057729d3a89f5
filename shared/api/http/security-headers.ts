/**
 * The headers that every answer has, of a function and of the gateway itself, whatever its kind and status.
 *
 * - `Strict-Transport-Security`: a browser uses only HTTPS for this host during the next year. Browsers ignore it in responses
 *   over HTTP, so it has no effect on the local stack.
 * - `X-Content-Type-Options`: a browser takes the declared type, so no stored text becomes a page or a script.
 */
export const securityHeaders = {
  'Strict-Transport-Security': 'max-age=31536000',
  'X-Content-Type-Options': 'nosniff',
} as const;
