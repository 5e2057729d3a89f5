/** Recognizes tables on this machine. */
import { isLoopback } from '../infra/loopback.ts';

/** Whether commands use a table on this machine: that of the local stack or of an emulator. */
export function usesLocalTable({ AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL }: NodeJS.ProcessEnv): boolean {
  const endpoint = AWS_ENDPOINT_URL_DYNAMODB || AWS_ENDPOINT_URL;
  return Boolean(endpoint && isLoopback(endpoint));
}
