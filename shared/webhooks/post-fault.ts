/** Why a POST got no answer: the codes that a delivery's log shows, and which error of the network means which. */

export type PostError =
  | 'timeout'
  | 'connection_refused'
  | 'connection_reset'
  | 'connection_failed'
  | 'dns_failure'
  | 'tls_failure'
  | 'address_not_allowed'
  | 'invalid_response';

/** A failure that is known by its code already. */
export class PostFault extends Error {
  readonly code: PostError;

  constructor(code: PostError) {
    super(code);
    this.code = code;
  }
}

/** How far a connection had come when it failed. */
export type Stage = 'connecting' | 'securing' | 'exchanging';

/** The code for what the network, TLS or the HTTP parser threw. */
export function postErrorOf(error: Error & { code?: unknown }, stage: Stage): PostError {
  if (error instanceof PostFault) return error.code;
  const code = typeof error.code === 'string' ? error.code : '';
  const known = byCode[code];
  if (known !== undefined) return known;
  // Certificates are refused with dozens of codes, all of them before the connection is secure.
  if (stage === 'securing' || /^(ERR_SSL_|ERR_TLS_|EPROTO$)/.test(code)) return 'tls_failure';
  return code.startsWith('HPE_') ? 'invalid_response' : 'connection_failed';
}

const byCode: Readonly<Record<string, PostError>> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  ETIMEDOUT: 'timeout',
};
