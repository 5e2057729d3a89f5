/** What is wrong with a file, and what to do: one sentence or two for each problem, with its line. */
export class StatementFileError extends Error {
  override readonly name: string = 'StatementFileError';
  readonly problems: readonly string[];

  constructor(...problems: readonly string[]) {
    super(problems[0]);
    this.problems = problems;
  }
}
