/**
 * A history: what clients asked of the service and what they were answered, with the order in which calls began
 * and ended. The places in that order are consecutive numbers, not times.
 */

export type Resource = 'invoice' | 'payment' | 'refund';

/** What each kind of call is about, and whether it asks for a change, for one resource or for a list. */
export const callKinds = {
  create: { resource: 'invoice', does: 'write' },
  update: { resource: 'invoice', does: 'write' },
  cancel: { resource: 'invoice', does: 'write' },
  get: { resource: 'invoice', does: 'read' },
  list: { resource: 'invoice', does: 'list' },
  pay: { resource: 'payment', does: 'write' },
  'get payment': { resource: 'payment', does: 'read' },
  'list payments': { resource: 'payment', does: 'list' },
  refund: { resource: 'refund', does: 'write' },
  'get refund': { resource: 'refund', does: 'read' },
  'list refunds': { resource: 'refund', does: 'list' },
} as const satisfies Record<string, { resource: Resource; does: 'write' | 'read' | 'list' }>;

export type CallKind = keyof typeof callKinds;

/** What all resources show. */
export interface Shown {
  readonly id: string;
  readonly amount: number;
  readonly status: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly replayed: boolean;
}

/** One call; a repetition under the same key is a call of its own. */
export interface Call {
  /** By which the fault layer knows it. */
  readonly label: string;
  /** `account#mode`. */
  readonly owner: string;
  readonly kind: CallKind;
  readonly key?: string | undefined;
  /** The id of the invoice that is asked for, changed or paid. */
  readonly invoice?: string | undefined;
  /** The id of the payment that is asked for or refunded. */
  readonly payment?: string | undefined;
  /** The id of the refund that is asked for. */
  readonly refund?: string | undefined;
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: ListQuery | undefined;
  readonly begin: number;
  /** Infinity if no answer came. */
  readonly end: number;
  readonly answer: Answer | undefined;
}

export interface ListQuery {
  readonly limit: number;
  readonly offset: number;
  readonly status?: string | undefined;
  readonly customerId?: string | undefined;
  readonly invoiceId?: string | undefined;
  readonly paymentId?: string | undefined;
}

export interface ListAnswer {
  readonly data: readonly Shown[];
  readonly pagination: {
    readonly total: number;
    readonly limit: number;
    readonly offset: number;
    readonly hasMore: boolean;
  };
}

export interface History {
  readonly calls: readonly Call[];
  /** From place `at` on the clock showed `now`. */
  readonly clock: readonly { readonly at: number; readonly now: number }[];
  /** Places at which no request ran and nothing waited in the background. */
  readonly settled: readonly number[];
}

/** How the label of a call and its kind stand in reports. */
export const callName = ({ kind, label }: Pick<Call, 'kind' | 'label'>) => `${kind} ${label}`;

export const isDone = ({ answer }: Call) => answer !== undefined && answer.status < 300;

/** The code of an error answer. */
export function codeOf({ answer }: Call): string {
  if (!answer || answer.status < 300) return '';
  return String((JSON.parse(answer.text) as { error?: { code?: string } }).error?.code);
}

/** What a successful answer shows in full: one resource or the rows of a list. A cancellation shows none. */
export function shownBy(call: Call): readonly Shown[] {
  if (!isDone(call) || call.kind === 'cancel') return [];
  const json = JSON.parse(call.answer?.text ?? '');
  return callKinds[call.kind].does === 'list' ? (json as ListAnswer).data : [json as Shown];
}

/** Whether nobody knows if it took effect: no answer, or one that does not say so. */
export const isOpen = ({ answer }: Call) => answer === undefined || answer.status >= 500;

export class Recorder {
  readonly #calls: Call[] = [];
  readonly #clock: { at: number; now: number }[] = [];
  readonly #settled: number[] = [];
  #place = 0;

  constructor(now: number) {
    this.setClock(now);
  }

  /** Records a call from now on until `send` has ended; one that rejects has no answer. */
  async call(call: Omit<Call, 'begin' | 'end' | 'answer'>, send: () => Promise<Answer>): Promise<Call> {
    const begin = this.#next();
    const answer = await send().catch(() => undefined);
    const recorded = { ...call, begin, end: answer ? this.#next() : Number.POSITIVE_INFINITY, answer };
    this.#calls.push(recorded);
    return recorded;
  }

  setClock(now: number): void {
    this.#clock.push({ at: this.#next(), now });
  }

  settle(): void {
    this.#settled.push(this.#next());
  }

  get history(): History {
    return { calls: this.#calls, clock: this.#clock, settled: this.#settled };
  }

  #next(): number {
    return ++this.#place;
  }
}
