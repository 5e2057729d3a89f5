/** Says which error of the API an error of a request is. */
import { ApiError } from '../../base/errors.ts';
import { idPrefixes } from '../../base/ids.ts';
import { MalformedItemError } from '../../store/stored-fields.ts';
import { ThrottledError } from '../../store/throttling.ts';

/**
 * Returns what the client sees of an error. Its text is only in the log, if it is no `ApiError`.
 * - A request that DynamoDB throttled until its deadline, and that had no effect, gets `rate_limit_exceeded`.
 * - A request that needs a malformed item gets `record_unreadable`. The message names a record by its ID, and no other item.
 */
export function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof ThrottledError) return new ApiError('rate_limit_exceeded');
  if (error instanceof MalformedItemError) return unreadable(error.item);
  return new ApiError('internal_error');
}

const id = new RegExp(`^(${Object.values(idPrefixes).join('|')})_[0-9a-z]+$`);

function unreadable(item: string): ApiError {
  if (!id.test(item)) return new ApiError('record_unreadable');
  const message = `${item} cannot be read, and no request changes it. Ask the operator of this deployment to repair it.`;
  return new ApiError('record_unreadable', { message });
}
