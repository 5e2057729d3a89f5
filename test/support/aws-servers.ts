/** Directs the AWS clients of a test to servers of this machine, and collects what the command line prints as a warning. */
import { setEnvironment, setLocalCredentials } from '../../infra/local/environment.ts';

/**
 * Sets the endpoints, a region and dummy credentials.
 * @param endpoints the URLs by the name of their service, as in `AWS_ENDPOINT_URL_DYNAMODB`
 * @returns a function that restores the environment
 */
export function useAwsServers(endpoints: Readonly<Record<string, string>>): () => void {
  const before = { ...process.env };
  setLocalCredentials(Object.values(endpoints));
  for (const [service, url] of Object.entries(endpoints))
    setEnvironment({ [`AWS_ENDPOINT_URL_${service}`]: url });
  return () => {
    process.env = before;
  };
}

/** Runs a function, and returns what it wrote to standard error. */
export async function errorOutputOf(run: () => Promise<unknown>): Promise<string> {
  const { write } = process.stderr;
  let output = '';
  process.stderr.write = ((text: string) => {
    output += text;
    return true;
  }) as typeof write;
  try {
    await run();
  } finally {
    process.stderr.write = write;
  }
  return output;
}
