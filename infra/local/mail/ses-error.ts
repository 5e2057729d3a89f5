/** Defines the errors of SendEmail, and the check that a request is signed. */

/**
 * The errors of the operation with their HTTP statuses:
 * https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html#API_SendEmail_Errors. The last one is an error of all
 * operations: https://docs.aws.amazon.com/ses/latest/APIReference-V2/CommonErrors.html.
 */
const statuses = {
  AccountSuspendedException: 400,
  BadRequestException: 400,
  LimitExceededException: 400,
  MailFromDomainNotVerifiedException: 400,
  MessageRejected: 400,
  NotFoundException: 404,
  SendingPausedException: 400,
  TooManyRequestsException: 429,
  MissingAuthenticationTokenException: 403,
} as const;

export type SesErrorCode = keyof typeof statuses;

/** An error that the double answers. */
export class SesError extends Error {
  readonly code: SesErrorCode;

  constructor(code: SesErrorCode, message: string) {
    super(message);
    this.code = code;
  }

  get status(): number {
    return statuses[this.code];
  }
}

/** The signing name of SES is `ses`, also for API v2: https://docs.aws.amazon.com/general/latest/gr/ses.html */
const credential =
  /^AWS4-HMAC-SHA256 Credential=[^/]+\/\d{8}\/[a-z0-9-]+\/ses\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=[0-9a-f]{64}$/;

/** Checks that a request has a signature of this service. @throws SesError */
export function requireSigned(headers: Readonly<Record<string, string>>): void {
  const [, names = ''] = credential.exec(headers.authorization ?? '') ?? [];
  const isDated = /^\d{8}T\d{6}Z$/.test(headers['x-amz-date'] ?? '');
  if (isDated && ['host', 'x-amz-date'].every((name) => names.split(';').includes(name))) return;
  throw new SesError('MissingAuthenticationTokenException', 'Missing Authentication Token');
}
