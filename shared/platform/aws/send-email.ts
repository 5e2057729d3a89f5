/**
 * Calls SendEmail of Amazon SES with a complete message: https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html.
 *
 * - A call that SES may have accepted is never made again by itself. SES has no idempotency key, so a second call could send a second
 *   mail.
 * - Above its rate, SES refuses the call. Then the next one waits a moment, so a morning with many mails goes out at the rate of SES, and
 *   the others wait in the queue. SES recommends to wait:
 *   https://docs.aws.amazon.com/ses/latest/dg/manage-sending-quotas-errors.html.
 * - Each call has a connection of its own. A connection that was idle can end while a request is written to it, and then nobody knows
 *   whether SES has the request.
 * - The client of the SDK would add 350 KB to the function for one operation.
 */
import { remainingMs } from '../../base/deadline.ts';
import { env } from '../../base/env.ts';
import { logger, serializeError } from '../../base/log.ts';
import { addressOf, publicEndpoint } from './endpoint.ts';
import { type AwsRequest, HttpClient } from './http-client.ts';
import { signatureHeaders } from './signature.ts';

export interface EmailToSend {
  readonly from: string;
  readonly to: string;
  /** The message in MIME. */
  readonly source: Buffer;
  /** Message tags. Names and values have only letters, digits, `_` and `-`. */
  readonly tags: Readonly<Record<string, string>>;
}

/**
 * - `accepted`: SES sends the mail.
 * - `later`: SES has not accepted it, for a reason that passes or that the owner of the AWS account can remove.
 * - `refused`: SES does not accept this mail.
 * - `unknown`: nobody knows whether SES has it.
 */
export type EmailOutcome =
  | { readonly kind: 'accepted'; readonly messageId: string }
  | {
      readonly kind: 'later';
      readonly reason: 'throttled' | 'sending_paused' | 'not_verified' | 'service_error';
    }
  | { readonly kind: 'refused'; readonly code: string }
  | { readonly kind: 'unknown' };

/** The name in host names. The name in signatures is another: https://docs.aws.amazon.com/general/latest/gr/ses.html */
const service = 'email';
const signingName = 'ses';
const path = '/v2/email/outbound-emails';
const contentType = 'application/json';
/** In milliseconds. SES answers within a second, and the function has a minute. */
const limits = { connectionTimeout: 2_000, socketTimeout: 30_000 };
/** The connection was not made, so SES has no request. */
const unsent = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

/** Short, so that a few workers use the whole rate. Waits differ by up to as much again, so that workers do not call together. */
const rateWaitMs = 150;
/** What the last call and the store of its outcome need, in milliseconds. */
const lastCallMs = limits.connectionTimeout + limits.socketTimeout + 3_000;
/** How long a function without a deadline waits for the rate. */
const longestWaitMs = 20_000;

let client: HttpClient | undefined;

/** Sends a mail. Waits while SES refuses it because of its rate, as long as the function can. */
export async function sendEmail(email: EmailToSend): Promise<EmailOutcome> {
  const endsAt = performance.now() + Math.min(longestWaitMs, remainingMs() - lastCallMs);
  for (;;) {
    const outcome = await callOnce(email);
    const waitMs = rateWaitMs * (1 + Math.random());
    if (outcome !== 'above rate') return outcome;
    if (performance.now() + waitMs > endsAt) return { kind: 'later', reason: 'throttled' };
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

async function callOnce(email: EmailToSend): Promise<EmailOutcome | 'above rate'> {
  client ??= new HttpClient(limits);
  let request: AwsRequest;
  try {
    request = requestFor(email);
  } catch (error) {
    logger.error('The call to SES cannot be made', { error: serializeError(error) });
    return { kind: 'later', reason: 'service_error' };
  }
  try {
    const { response } = await client.handle(request);
    return outcomeOf(response.statusCode, response.headers, response.body);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return unsent.includes(code) ? { kind: 'later', reason: 'service_error' } : { kind: 'unknown' };
  }
}

/** Returns the signed request. @throws Error if the environment does not say where it goes */
function requestFor({ from, to, source, tags }: EmailToSend): AwsRequest {
  const { host, ...address } = addressOf(env.awsEndpoint(service) ?? publicEndpoint(service));
  const body = JSON.stringify({
    FromEmailAddress: from,
    Destination: { ToAddresses: [to] },
    Content: { Raw: { Data: source.toString('base64') } },
    // SES reports what comes of the mail only with it.
    ConfigurationSetName: env.mailConfigurationSet(),
    EmailTags: Object.entries(tags).map(([Name, Value]) => ({ Name, Value })),
  });
  const scope = { region: env.awsRegion(), service: signingName, credentials: env.awsCredentials() };
  const signature = signatureHeaders({ path, host, contentType, body }, scope, Date.now());
  const headers = { host, 'content-type': contentType, connection: 'close', ...signature };
  return { ...address, path, headers, body };
}

function outcomeOf(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
): EmailOutcome | 'above rate' {
  const json = parse(body);
  if (status >= 200 && status < 300) {
    const { MessageId: messageId } = json;
    return typeof messageId === 'string' ? { kind: 'accepted', messageId } : { kind: 'unknown' };
  }
  if (status >= 500) return { kind: 'unknown' };
  // The header can have the name of the model before the code, and a URL behind it.
  const code = (headers['x-amzn-errortype'] ?? '').split(':')[0]?.split('#').at(-1) ?? '';
  if (status === 429 || code === 'TooManyRequestsException' || code === 'LimitExceededException')
    return /rate/i.test(String(json.message)) ? 'above rate' : { kind: 'later', reason: 'throttled' };
  if (code === 'SendingPausedException' || code === 'AccountSuspendedException')
    return { kind: 'later', reason: 'sending_paused' };
  const isUnverified = code === 'MessageRejected' && /not verified/i.test(String(json.message));
  if (isUnverified || code === 'MailFromDomainNotVerifiedException')
    return { kind: 'later', reason: 'not_verified' };
  // The role or the clock of the function is wrong, or the configuration set is missing, which the operator can mend.
  if (status === 403 || code === 'NotFoundException') return { kind: 'later', reason: 'service_error' };
  return { kind: 'refused', code };
}

function parse(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(body.toString('utf8')) ?? {};
  } catch {
    return {};
  }
}
