/** Defines the codes that a delivery shows for a POST without a response, and maps errors of the network and of TLS to them. */

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

/** Why a connection could not be made secure. */
export type TlsCause =
  | 'certificate_expired'
  | 'certificate_not_yet_valid'
  | 'certificate_self_signed'
  | 'certificate_untrusted'
  | 'certificate_wrong_name'
  | 'not_tls'
  | 'protocol_version'
  | 'handshake_refused';

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

/**
 * Returns why TLS failed. Undefined if the error has no known cause.
 * - A certificate has the code of OpenSSL's verification (openssl-verification-options, X509_V_ERR_…) or of Node's comparison of names.
 * - A handshake that fails while Node writes has only the code `EPROTO`, with OpenSSL's reason in the message.
 */
export function tlsCauseOf({ code, message }: Error & { code?: unknown }): TlsCause | undefined {
  if (typeof code === 'string' && Object.hasOwn(causeByCode, code)) return causeByCode[code];
  return causeByReason.find(([reason]) => reason.test(message))?.[1];
}

const causeByCode: Readonly<Record<string, TlsCause>> = {
  CERT_HAS_EXPIRED: 'certificate_expired',
  CERT_NOT_YET_VALID: 'certificate_not_yet_valid',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate_self_signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate_untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'certificate_untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate_untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate_untrusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_wrong_name',
};

const causeByReason: readonly (readonly [reason: RegExp, cause: TlsCause])[] = [
  [/:(wrong version number|packet length too long|http request):/, 'not_tls'],
  [/:(tlsv1 alert protocol version|unsupported protocol):/, 'protocol_version'],
  [/ alert /, 'handshake_refused'],
];
