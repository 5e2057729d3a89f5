/** Defines the codes that a delivery shows for a POST without a response, and maps network errors to them. */

export type PostError =
  | 'timeout'
  | 'connection_refused'
  | 'connection_reset'
  | 'connection_failed'
  | 'host_not_found'
  | 'dns_failure'
  | 'tls_failure'
  | 'address_not_allowed'
  | 'invalid_response';

/** An error whose code is already known. */
export class PostFault extends Error {
  readonly code: PostError;

  constructor(code: PostError) {
    super(code);
    this.code = code;
  }
}

/** The stage at which a connection failed. */
export type Stage = 'connecting' | 'securing' | 'exchanging';

/** Returns the code for an error of the network, TLS or the HTTP parser. */
export function toPostError(error: Error & { code?: unknown }, stage: Stage): PostError {
  if (error instanceof PostFault) return error.code;
  const code = typeof error.code === 'string' ? error.code : '';
  const known = byCode[code];
  if (known !== undefined) return known;
  // Invalid certificates have dozens of codes, but all of them occur before the connection is secure.
  if (stage === 'securing' || /^(ERR_SSL_|ERR_TLS_|EPROTO$)/.test(code)) return 'tls_failure';
  return code.startsWith('HPE_') ? 'invalid_response' : 'connection_failed';
}

const byCode: Readonly<Record<string, PostError>> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  ETIMEDOUT: 'timeout',
};
