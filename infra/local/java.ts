/**
 * Finds a Java that can run DynamoDB Local.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { StartError } from './start-error.ts';

const oldestMajor = 17;

/** The command of a Java of version 17 or later: of `JAVA_HOME`, else of the path. Throws a `StartError` if there is none. */
export async function findJava(): Promise<string> {
  const home = process.env.JAVA_HOME;
  const candidates = [...(home ? [join(home, 'bin', 'java')] : []), 'java'];
  let found = 0;
  for (const command of candidates) {
    const major = await majorVersion(command);
    if (major >= oldestMajor) return command;
    found = Math.max(found, major);
  }
  throw new StartError(
    `${found ? `Java ${found} is too old` : 'Java was not found'}: install Java ${oldestMajor} or later ` +
      `(Debian: apt install openjdk-17-jre-headless, macOS: brew install openjdk) and have it on the PATH or in ` +
      `JAVA_HOME, or set AWS_ENDPOINT_URL_DYNAMODB to a DynamoDB that already runs.`,
  );
}

/** 17 for 17.0.15, 8 for 1.8.0; 0 if the command does not work. */
async function majorVersion(command: string): Promise<number> {
  try {
    const { stdout, stderr } = await promisify(execFile)(command, ['-version'], { timeout: 10_000 });
    const [, first, second] = /version "(\d+)(?:\.(\d+))?/.exec(stderr + stdout) ?? [];
    return Number(first === '1' ? second : first) || 0;
  } catch {
    return 0;
  }
}
