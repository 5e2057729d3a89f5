/** Keeps the notifications of a provider double, signs them and sends them. */
import type { Mode } from '../../../../shared/base/ids.ts';
import type { Instant } from '../../../../shared/base/time.ts';

/** A notification before it is signed. */
export interface DoubleNotification {
  readonly id: string;
  readonly mode: Mode;
  readonly type: string;
  readonly body: string;
}

export interface SigningOptions {
  /** When the notification is signed. The default is the time of the double. */
  readonly at?: Instant;
  /** The secrets that sign. The default is the secret of the mode. */
  readonly secrets?: readonly string[];
}

export interface SignedNotification {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Sign = (notification: DoubleNotification, options: SigningOptions) => Readonly<Record<string, string>>;

/** The delays before the attempts of one automatic notification, in milliseconds. */
const attemptDelaysMs = [0, 1_000, 5_000, 30_000];
const attemptWithinMs = 10_000;

export class NotificationSender {
  readonly #all: DoubleNotification[] = [];
  readonly #receivers = new Map<Mode, string>();
  readonly #sign: Sign;

  constructor(sign: Sign) {
    this.#sign = sign;
  }

  /** All notifications, oldest first, also those that nobody received. */
  get all(): readonly DoubleNotification[] {
    return this.#all;
  }

  /** From now on, sends each new notification of a mode to a URL. Without a URL, sends none. */
  sendTo(mode: Mode, url: string | undefined): void {
    if (url === undefined) this.#receivers.delete(mode);
    else this.#receivers.set(mode, url);
  }

  /** Stores a notification, and sends it if the mode has a receiver. */
  add(notification: DoubleNotification): void {
    this.#all.push(notification);
    const url = this.#receivers.get(notification.mode);
    if (url !== undefined) void this.#sendWithRetries(url, notification);
  }

  signed(notification: DoubleNotification, options: SigningOptions = {}): SignedNotification {
    const headers = { 'content-type': 'application/json', ...this.#sign(notification, options) };
    return { headers, body: notification.body };
  }

  /** Sends a notification once. @returns the status of the answer */
  async send(url: string, notification: DoubleNotification, options: SigningOptions = {}): Promise<number> {
    const { headers, body } = this.signed(notification, options);
    const signal = AbortSignal.timeout(attemptWithinMs);
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await response.body?.cancel();
    return response.status;
  }

  async #sendWithRetries(url: string, notification: DoubleNotification): Promise<void> {
    for (const delayMs of attemptDelaysMs) {
      await new Promise((resolve) => setTimeout(resolve, delayMs).unref());
      const status = await this.send(url, notification).catch(() => 0);
      if (status >= 200 && status < 300) return;
    }
  }
}
