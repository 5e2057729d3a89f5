/** Collects what each call observed of each record: in its resource, in the rows of its list, or in its error. */
import { describeCall, errorCodeOf, type RecordedCall, readSnapshots, wasSuccessful } from './history.ts';
import { findVersion, type Observation } from './linearization.ts';
import type { Timeline } from './timelines.ts';

/** Returns all observations by record id, and a violation for each snapshot that matches no version. */
export function collectObservations(
  calls: readonly RecordedCall[],
  timelines: ReadonlyMap<string, Timeline>,
): { observations: Map<string, Observation[]>; violations: string[] } {
  const observations = new Map<string, Observation[]>();
  const violations: string[] = [];
  const add = (id: string, version: number, call: RecordedCall) => {
    const own = observations.get(id) ?? [];
    own.push({ version, start: call.start, end: call.end, description: describeCall(call) });
    observations.set(id, own);
  };
  for (const call of calls) {
    for (const snapshot of readSnapshots(call)) {
      const timeline = timelines.get(snapshot.id);
      const version = timeline ? findVersion(timeline, snapshot) : -1;
      if (version === -1)
        violations.push(
          `${describeCall(call)} shows a version that never existed: ${JSON.stringify(snapshot)}`,
        );
      // A replay shows the version that its original request made, which may have been replaced since.
      else add(snapshot.id, version, call.response?.replayed ? { ...call, start: 0 } : call);
    }
    const timeline = timelines.get(targetIdOf(call) ?? '');
    const version = timeline && impliedVersion(timeline, call);
    // Such an error proves that the record had reached this version, not that it was still the current one.
    if (timeline && version !== undefined)
      add(timeline.id, version, isAboutReachedState(call) && version > 0 ? { ...call, start: 0 } : call);
  }
  return { observations, violations };
}

/** Returns the id of the record whose state decides whether the call is refused. */
export const targetIdOf = ({ invoice, payment, refund }: RecordedCall): string | undefined =>
  refund ?? payment ?? invoice;

/** A replacement cancels the invoice, too. */
const isCancellation = ({ kind }: RecordedCall) => kind === 'cancel' || kind === 'replace';

const isAboutReachedState = (call: RecordedCall) => errorCodeOf(call) !== 'payment_not_refundable';

/**
 * Returns the version that a cancellation, a replacement or an error response implies. Returns 0 if the record did not exist, and
 * undefined if the response implies no single version.
 */
export function impliedVersion({ versions }: Timeline, call: RecordedCall): number | undefined {
  const firstVersion = (matches: (status: string) => boolean) =>
    versions.findIndex(({ snapshot }) => matches(snapshot.status)) + 1;
  if (isCancellation(call) && wasSuccessful(call)) return firstVersion((status) => status === 'cancelled');
  switch (errorCodeOf(call)) {
    case 'invoice_already_cancelled':
      return firstVersion((status) => status === 'cancelled');
    case 'invoice_already_paid':
      return firstVersion((status) => status === 'paid');
    case 'invoice_not_pending':
      return firstVersion((status) => status !== 'pending');
    case 'payment_not_refundable':
      // The payment was pending or failed. If it failed at some time, the error does not say which.
      return versions.some(({ snapshot }) => snapshot.status === 'failed')
        ? undefined
        : firstVersion((status) => status === 'pending');
    case 'invoice_not_found':
    case 'payment_not_found':
    case 'refund_not_found':
    case 'invalid_invoice':
    case 'invalid_payment':
      return 0;
    default:
      return undefined;
  }
}
