/**
 * Records a history: the calls of the clients, their responses, and the order in which calls start and end.
 *
 * A position is a number in that order. Positions are consecutive integers, not times, because two calls can have the
 * same time.
 */
import type { Resource } from '../../shared/base/ids.ts';

/** The resource that each kind of call is about, and its action: change one, read one, or list several. */
export const callKinds = {
  create: { resource: 'invoice', action: 'write' },
  update: { resource: 'invoice', action: 'write' },
  cancel: { resource: 'invoice', action: 'write' },
  replace: { resource: 'invoice', action: 'write' },
  get: { resource: 'invoice', action: 'read' },
  list: { resource: 'invoice', action: 'list' },
  pay: { resource: 'payment', action: 'write' },
  'get payment': { resource: 'payment', action: 'read' },
  'list payments': { resource: 'payment', action: 'list' },
  refund: { resource: 'refund', action: 'write' },
  'get refund': { resource: 'refund', action: 'read' },
  'list refunds': { resource: 'refund', action: 'list' },
} as const satisfies Record<string, { resource: Resource; action: 'write' | 'read' | 'list' }>;

export type CallKind = keyof typeof callKinds;

/** A resource as the API showed it at one moment: the fields that invoices, payments and refunds share. */
export interface Snapshot {
  readonly id: string;
  readonly amount: number;
  readonly status: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface RecordedResponse {
  readonly status: number;
  readonly text: string;
  /** Whether the response has the header `Idempotent-Replayed: true`. */
  readonly replayed: boolean;
}

/** One call of a client. A repeated call with the same idempotency key is a call of its own. */
export interface RecordedCall {
  /** Identifies the call in the fault layer and in violation messages. */
  readonly label: string;
  /** `account#mode`. */
  readonly owner: string;
  readonly kind: CallKind;
  /** The idempotency key. */
  readonly key?: string | undefined;
  /** The id of the invoice that the call reads, changes, replaces or pays. */
  readonly invoice?: string | undefined;
  /** The id of the payment that the call reads or refunds. */
  readonly payment?: string | undefined;
  /** The id of the refund that the call reads. */
  readonly refund?: string | undefined;
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: RecordedQuery | undefined;
  /** The position at which the call started. */
  readonly start: number;
  /** The position at which its response arrived. Infinity if none arrived. */
  readonly end: number;
  readonly response: RecordedResponse | undefined;
}

export interface RecordedQuery {
  readonly limit: number;
  readonly offset: number;
  readonly status?: string | undefined;
  readonly customerId?: string | undefined;
  readonly invoiceId?: string | undefined;
  readonly paymentId?: string | undefined;
}

export interface ListResponse {
  readonly data: readonly Snapshot[];
  readonly pagination: {
    readonly total: number;
    readonly limit: number;
    readonly offset: number;
    readonly hasMore: boolean;
  };
}

export interface History {
  readonly calls: readonly RecordedCall[];
  /** The service's clock showed `now` from `position` until the position of the next item. */
  readonly clock: readonly { readonly position: number; readonly now: number }[];
  /** Positions at which the system was quiescent: no request ran and no background work was left. */
  readonly quiescentAt: readonly number[];
}

/** Names the call in violation messages. */
export const describeCall = ({ kind, label }: Pick<RecordedCall, 'kind' | 'label'>) => `${kind} ${label}`;

export const wasSuccessful = ({ response }: RecordedCall) => response !== undefined && response.status < 300;

/** Returns the error code of the response, or '' if the response is no error. */
export function errorCodeOf({ response }: RecordedCall): string {
  if (!response || response.status < 300) return '';
  return String((JSON.parse(response.text) as { error?: { code?: string } }).error?.code);
}

/**
 * Returns the resources that a successful response shows in full: one resource, or the rows of a list. The response to
 * a cancellation shows none.
 */
export function readSnapshots(call: RecordedCall): readonly Snapshot[] {
  if (!wasSuccessful(call) || call.kind === 'cancel') return [];
  const json = JSON.parse(call.response?.text ?? '');
  return callKinds[call.kind].action === 'list' ? (json as ListResponse).data : [json as Snapshot];
}

/** Whether the client cannot know if the call took effect: no response, or a server error. */
export const hasUnknownOutcome = ({ response }: RecordedCall) =>
  response === undefined || response.status >= 500;

export class Recorder {
  readonly #calls: RecordedCall[] = [];
  readonly #clock: { position: number; now: number }[] = [];
  readonly #quiescentAt: number[] = [];
  #lastPosition = 0;

  constructor(now: number) {
    this.setClock(now);
  }

  /** Records a call that starts now and ends when `send` settles. A call whose `send` rejects has no response. */
  async call(
    call: Omit<RecordedCall, 'start' | 'end' | 'response'>,
    send: () => Promise<RecordedResponse>,
  ): Promise<RecordedCall> {
    const start = this.#nextPosition();
    const response = await send().catch(() => undefined);
    const end = response ? this.#nextPosition() : Number.POSITIVE_INFINITY;
    const recorded = { ...call, start, end, response };
    this.#calls.push(recorded);
    return recorded;
  }

  /** Records that the service's clock shows `now`, in milliseconds, from now on. */
  setClock(now: number): void {
    this.#clock.push({ position: this.#nextPosition(), now });
  }

  /** Records that the system is quiescent now. */
  markQuiescent(): void {
    this.#quiescentAt.push(this.#nextPosition());
  }

  get history(): History {
    return { calls: this.#calls, clock: this.#clock, quiescentAt: this.#quiescentAt };
  }

  #nextPosition(): number {
    return ++this.#lastPosition;
  }
}
