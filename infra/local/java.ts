/**
 * Finds a Java version that can run DynamoDB Local.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { StartError } from './start-error.ts';

const oldestMajor = 17;

/**
 * Returns the command of Java 17 or later from `JAVA_HOME`, or else from the PATH.
 * @throws StartError if neither has one
 */
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
    `${found ? `Java ${found} is too old` : 'Java was not found'}. Install Java ${oldestMajor} or later ` +
      `(Debian: apt install openjdk-17-jre-headless, macOS: brew install openjdk) and add it to the PATH or to ` +
      `JAVA_HOME. Or set AWS_ENDPOINT_URL_DYNAMODB to a DynamoDB that is already running.`,
  );
}

/** Returns the major version: 17 for 17.0.15, 8 for 1.8.0. Returns 0 if the command fails. */
async function majorVersion(command: string): Promise<number> {
  try {
    const { stdout, stderr } = await promisify(execFile)(command, ['-version'], { timeout: 10_000 });
    const [, first, second] = /version "(\d+)(?:\.(\d+))?/.exec(stderr + stdout) ?? [];
    return Number(first === '1' ? second : first) || 0;
  } catch {
    return 0;
  }
}
