/** Builds the responses of calls that meet a fault: conflicts, throttling, and cancelled transactions. */
import { batchKeys, type ThrottledAction } from './capacity-model.ts';
import {
  actionsOf,
  cancelledTransactionResponse,
  errorResponseOf,
  isTransaction,
  readWireBody,
  type WireCall,
  type WireResponse,
  withBody,
} from './wire-call.ts';

type Json = Record<string, unknown>;

/** @param conflicting the indexes of the actions that conflict */
export function conflictResponse(call: WireCall, conflicting: readonly number[]): WireResponse {
  if (!isTransaction(call)) return errorResponseOf('TransactionConflictException');
  return cancelledTransactionResponse(
    actionsOf(call).map((_, index) => (conflicting.includes(index) ? 'TransactionConflict' : 'None')),
  );
}

/** @param number from 0 to 1; chooses one of the ways in which DynamoDB reports throttling */
export function throttledResponse(call: WireCall, number: number, isQueue: boolean): WireResponse {
  if (isQueue) return errorResponseOf('RequestThrottled');
  if (!isTransaction(call) || number < 0.3) return errorResponseOf('ProvisionedThroughputExceededException');
  const code = number < 0.6 ? 'ThrottlingError' : 'ProvisionedThroughputExceeded';
  const [, ...others] = actionsOf(call).map(() => 'None');
  return cancelledTransactionResponse([code, ...others]);
}

/** DynamoDB reports a reason for each action, so one action may conflict while the condition of another one fails. */
export async function mixReasons(
  call: WireCall,
  response: WireResponse,
  chance: number,
  number: number,
  count: (fault: string) => void,
): Promise<WireResponse> {
  if (number >= chance || response.response.statusCode === 200 || !isTransaction(call)) return response;
  const text = await readWireBody(response);
  const error = JSON.parse(text) as { CancellationReasons?: { Code: string }[] };
  const reasons = error.CancellationReasons ?? [];
  const successful = reasons.flatMap(({ Code }, index) => (Code === 'None' ? [index] : []));
  const chosen = successful[Math.floor((number / chance) * successful.length)];
  if (chosen === undefined) return withBody(response, text);
  count('mixed reasons');
  reasons[chosen] = { Code: 'TransactionConflict' };
  return withBody(response, JSON.stringify(error));
}

/**
 * Returns the response to a call that exceeds a modelled limit, as DynamoDB reports it. Of a batch, the throttled keys
 * are left unprocessed.
 * @param send sends the call with another input
 */
export async function limitedResponse(
  call: WireCall,
  throttled: readonly ThrottledAction[],
  send: (input: Json) => Promise<WireResponse>,
): Promise<WireResponse> {
  const indexes = new Set(throttled.map(({ index }) => index));
  if (isTransaction(call)) {
    const codes = actionsOf(call).map((_, index) => (indexes.has(index) ? 'ThrottlingError' : 'None'));
    return cancelledTransactionResponse(codes);
  }
  const isPartial = call.operation === 'BatchGetItem' && indexes.size < batchKeys(call).length;
  if (isPartial) return sendPartialBatch(call, indexes, send);
  const isOfTable = throttled.some(({ scope }) => scope === 'table');
  return errorResponseOf(isOfTable ? 'ThrottlingException' : 'ProvisionedThroughputExceededException');
}

async function sendPartialBatch(
  call: WireCall,
  throttled: ReadonlySet<number>,
  send: (input: Json) => Promise<WireResponse>,
): Promise<WireResponse> {
  const keys = batchKeys(call).map((key, index) => ({ ...key, isThrottled: throttled.has(index) }));
  const requestsOf = (isThrottled: boolean) => {
    const chosen = keys.filter((key) => key.isThrottled === isThrottled);
    const tables = [...Map.groupBy(chosen, ({ table }) => table)];
    return Object.fromEntries(
      tables.map(([table, [...entries]]) => [
        table,
        { ...entries[0]?.request, Keys: entries.map(({ Key }) => Key) },
      ]),
    );
  };
  const response = await send({ ...call.input, RequestItems: requestsOf(false) });
  const text = await readWireBody(response);
  if (response.response.statusCode !== 200) return withBody(response, text);
  return withBody(response, JSON.stringify({ ...JSON.parse(text), UnprocessedKeys: requestsOf(true) }));
}
