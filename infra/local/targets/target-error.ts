/** Defines the errors of the double of EventBridge and Lambda, and the check that a request is signed. */

/** An error that the double answers. */
export class TargetDoubleError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, status: number, message: string) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

const credential =
  /^AWS4-HMAC-SHA256 Credential=[^/]+\/\d{8}\/[a-z0-9-]+\/([a-z]+)\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=[0-9a-f]{64}$/;

/**
 * Checks that a request has a signature of a service, which covers all headers that begin with `x-amz-`:
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 * @throws TargetDoubleError of https://docs.aws.amazon.com/eventbridge/latest/APIReference/CommonErrors.html
 */
export function requireSignatureOf(service: string, headers: Readonly<Record<string, string>>): void {
  const [, named, signed = ''] = credential.exec(headers.authorization ?? '') ?? [];
  const isDated = /^\d{8}T\d{6}Z$/.test(headers['x-amz-date'] ?? '');
  const needed = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))];
  if (isDated && named === service && needed.every((name) => signed.split(';').includes(name))) return;
  throw new TargetDoubleError('MissingAuthenticationToken', 403, 'Missing Authentication Token');
}
