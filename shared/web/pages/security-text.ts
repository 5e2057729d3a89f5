/** Renders `/.well-known/security.txt` (RFC 9116): how to report a vulnerability of this deployment. */
import { now } from '../../base/time.ts';

/** The path of the file below the base URL of the service. */
export const securityTextPath = '/.well-known/security.txt';

/**
 * The time, in milliseconds, until a reader must load the file again. RFC 9116 recommends less than a year. No instance of a
 * function lives as long, so each renders the file once.
 */
export const securityTextLifeMs = 180 * 86_400_000;

/**
 * Returns the file.
 * @param baseUrl the base URL of the service, without a trailing slash
 * @param contact the URI of the setting `securityContact`
 */
export function renderSecurityText(baseUrl: string, contact: string): string {
  const expires = new Date(now() + securityTextLifeMs).toISOString();
  return [
    `Contact: ${contact}`,
    `Expires: ${expires.replace(/\.\d+/, '')}`,
    'Preferred-Languages: en',
    `Canonical: ${baseUrl}${securityTextPath}`,
    '',
  ].join('\n');
}
