/** What is wrong with a file, and what to do: one sentence or two for each problem, with its line. */
export class StatementFileError extends Error {
  override readonly name: string = 'StatementFileError';
  readonly problems: readonly string[];

  constructor(...problems: readonly string[]) {
    super(problems[0]);
    this.problems = problems;
  }
}

const maxProblems = 20;

/** Returns the first 20 problems of a file, and how many more it has. */
export function summarizeProblems(problems: readonly string[]): string[] {
  const more = problems.length - maxProblems;
  return [...problems.slice(0, maxProblems), ...(more > 0 ? [`${more} more lines have problems.`] : [])];
}

/** A column is missing. The caller can name one of those that the file has. */
export class MissingColumnError extends StatementFileError {
  override readonly name = 'MissingColumnError';
  /** The names of the columns, in their order. */
  readonly names: readonly string[];

  constructor(problem: string, names: readonly string[]) {
    super(problem);
    this.names = names;
  }
}
