/**
 * Calls SendEmail of Amazon SES with a complete message: https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html.
 *
 * - A call that SES may have accepted is never made again by itself. SES has no idempotency key, so a second call could send a second
 *   mail.
 * - Above its rate, SES refuses the call. Then the next one waits a moment, so a morning with many mails goes out at the rate of SES, and
 *   the others wait in the queue. SES recommends to wait:
 *   https://docs.aws.amazon.com/ses/latest/dg/manage-sending-quotas-errors.html.
 */
import { remainingMs } from '../../base/deadline.ts';
import { env } from '../../base/env.ts';
import { logger, serializeError } from '../../base/log.ts';
import { type AwsRequest, type AwsResponse, HttpClient } from './http-client.ts';
import { awsErrorCodeOf, parseAnswer, signSingleCall } from './single-call.ts';

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
    return outcomeOf(response);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return unsent.includes(code) ? { kind: 'later', reason: 'service_error' } : { kind: 'unknown' };
  }
}

/** Returns the signed request. @throws Error if the environment does not say where it goes */
function requestFor({ from, to, source, tags }: EmailToSend): AwsRequest {
  const body = JSON.stringify({
    FromEmailAddress: from,
    Destination: { ToAddresses: [to] },
    Content: { Raw: { Data: source.toString('base64') } },
    // SES reports what comes of the mail only with it.
    ConfigurationSetName: env.mailConfigurationSet(),
    EmailTags: Object.entries(tags).map(([Name, Value]) => ({ Name, Value })),
  });
  return signSingleCall({
    service: 'email',
    signingName: 'ses',
    region: env.awsRegion(),
    path: '/v2/email/outbound-emails',
    contentType: 'application/json',
    body,
  });
}

function outcomeOf(response: AwsResponse): EmailOutcome | 'above rate' {
  const { statusCode: status } = response;
  const json = parseAnswer(response.body);
  if (status >= 200 && status < 300) {
    const { MessageId: messageId } = json;
    return typeof messageId === 'string' ? { kind: 'accepted', messageId } : { kind: 'unknown' };
  }
  if (status >= 500) return { kind: 'unknown' };
  const code = awsErrorCodeOf(response, json);
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
