/**
 * Reads and sets the environment variables of the local stack, which lead the SDK and the functions to the local
 * endpoints. A function that was imported earlier does not see a later change.
 */
import { isLoopback } from '../loopback.ts';
import { StartError } from './start-error.ts';

/** The region of the services that the local stack starts. */
export const localRegion = 'us-east-1';

/**
 * Returns the endpoint that the user set for a service. If it is undefined, the stack starts the service itself.
 * @throws StartError if the value is not an HTTP URL
 */
export function configuredEndpoint(service: 'DYNAMODB' | 'SQS' | 'S3'): string | undefined {
  const name = `AWS_ENDPOINT_URL_${service}`;
  const value = process.env[name];
  if (!value) return undefined;
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
    throw new StartError(`${name} is not a URL. Set it to a URL like http://127.0.0.1:8000, or unset it.`);
  }
  return value.replace(/\/+$/, '');
}

/** Returns the port in the variable `PORT`, or `fallback`. @throws StartError if the value is not a port number */
export function configuredPort(fallback: number): number {
  const text = process.env.PORT;
  if (!text) return fallback;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new StartError(`PORT is "${text}", which is not a valid port. Set it to a number from 0 to 65535.`);
}

/**
 * Sets a region and dummy credentials for the SDK if all `endpoints` are on this machine. So the SDK cannot use the
 * user's real credentials by accident. If an endpoint is elsewhere, the environment stays unchanged.
 */
export function setLocalCredentials(endpoints: readonly string[]): void {
  if (!endpoints.every(isLoopback)) return;
  setEnvironment({ AWS_REGION: localRegion, AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' });
  for (const name of ['AWS_PROFILE', 'AWS_SESSION_TOKEN', 'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS']) {
    delete process.env[name];
  }
}

/** Sets environment variables for the functions. No other code sets them. */
export function setEnvironment(values: Readonly<Record<string, string>>): void {
  Object.assign(process.env, values);
}

/** Returns the region of the environment, or the local region. */
export function currentRegion(): string {
  return process.env.AWS_REGION ?? localRegion;
}
