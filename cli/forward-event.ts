/** Signs events with the kept secret, and posts them to the developer's own endpoint. */
import { Webhook } from 'standardwebhooks';

/** The longest time that a receiver may take. A delivery of the service has the same limit. */
const forwardTimeoutMs = 15_000;

export interface ForwardResult {
  /** The status of the response. 502 if there was none. */
  readonly status: number;
  /** The status, or the reason why there is no response, such as `ECONNREFUSED`. */
  readonly text: string;
  /** Whether nothing accepts connections at the URL. */
  readonly isUnreachable: boolean;
}

/** Returns the headers of a message with a signature of `secret`. Times are in milliseconds since 1970. */
export function signMessage(
  secret: string,
  { id, at, body }: { readonly id: string; readonly at: number; readonly body: string },
): Record<string, string> {
  const seconds = Math.floor(at / 1000);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': new Webhook(secret).sign(id, new Date(seconds * 1000), body),
  };
}

/** Posts a message. Does not follow redirects, as the service does not. Throws only if `signal` aborts. */
export async function forwardMessage(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer<ArrayBuffer>,
  signal?: AbortSignal,
): Promise<ForwardResult> {
  const timeout = AbortSignal.timeout(forwardTimeoutMs);
  const either = signal ? AbortSignal.any([timeout, signal]) : timeout;
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: either,
    });
    await response.body?.cancel();
    return { status: response.status, text: String(response.status), isUnreachable: false };
  } catch (error) {
    signal?.throwIfAborted();
    const { cause, message, name } = error as Error & { cause?: { code?: string } };
    const code = cause?.code;
    return {
      status: 502,
      text: name === 'TimeoutError' ? `no response in ${forwardTimeoutMs / 1000} s` : (code ?? message),
      isUnreachable: code !== undefined && unreachableCodes.includes(code),
    };
  }
}

const unreachableCodes = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];
