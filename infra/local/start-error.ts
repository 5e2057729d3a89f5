/**
 * The local stack cannot start for a reason that the user can fix. The message says what is wrong and what to do.
 * `npm start` prints it without a stack trace.
 */
export class StartError extends Error {
  override readonly name = 'StartError';
}
