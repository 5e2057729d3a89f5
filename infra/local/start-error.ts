/**
 * The error of a stack that cannot start for a reason its user can remove. Its message is one sentence that says
 * what is wrong and what to do; `npm start` shows it without a stack trace.
 */
export class StartError extends Error {
  override readonly name = 'StartError';
}
