/** Makes the same calls through the SDK and on the short path, and describes what the caller gets in comparable form. */
import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** How AWS is called. */
export type Path = 'sdk' | 'direct';
export const paths: readonly Path[] = ['sdk', 'direct'];

/** The part of a client that both paths have. */
export type TableClient = Pick<DynamoDBDocumentClient, 'send' | 'config'>;

/** The result of a call, or its error. */
export type CallResult = { readonly output: unknown } | { readonly error: Record<string, unknown> };

/** Waits for the call, and leaves out what differs between two calls: the id of the request and the waits. */
export async function resultOf(call: () => Promise<object>): Promise<CallResult> {
  try {
    const { $metadata, ...output } = (await call()) as { $metadata?: Record<string, unknown> };
    return { output: { ...output, $metadata: comparable($metadata) } };
  } catch (thrown) {
    const error = thrown as Error & Record<string, unknown>;
    const { name, message, $fault, $retryable, Item, CancellationReasons, Code, code, Type } = error;
    const isModeled = [ConditionalCheckFailedException, TransactionCanceledException].map(
      (Class) => error instanceof Class,
    );
    const described = { name, $fault, $retryable, Item, CancellationReasons, Code, code, Type, isModeled };
    const $metadata = comparable(error.$metadata as Record<string, unknown> | undefined);
    // The SDK adds a hint to the messages of unreadable answers.
    return { error: { ...described, message: message.split('\n')[0], $metadata } };
  }
}

function comparable($metadata: Record<string, unknown> = {}): Record<string, unknown> {
  const { httpStatusCode, requestId, attempts, clockSkewCorrected } = $metadata;
  return { httpStatusCode, hasRequestId: requestId !== undefined, attempts, clockSkewCorrected };
}
