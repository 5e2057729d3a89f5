/**
 * The part of the process's environment that the local stack reads and sets, so that the SDK and the functions
 * find the local endpoints. Nothing here reaches a function that was imported before it was set.
 */
import { StartError } from './start-error.ts';

/** The region of everything that the local stack starts itself. */
export const localRegion = 'us-east-1';

/** The endpoint that the user set for a service, or undefined: then the stack starts its own. */
export function configuredEndpoint(service: 'DYNAMODB' | 'SQS'): string | undefined {
  const name = `AWS_ENDPOINT_URL_${service}`;
  const value = process.env[name];
  if (!value) return undefined;
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
    throw new StartError(`${name} is not an address: set it to one like http://127.0.0.1:8000, or unset it.`);
  }
  return value.replace(/\/+$/, '');
}

/** The TCP port of `PORT`, else `fallback`. Throws a `StartError` if it is no port. */
export function configuredPort(fallback: number): number {
  const text = process.env.PORT;
  if (!text) return fallback;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new StartError(`PORT is "${text}", which is no port: set it to a number from 0 to 65535.`);
}

/** True if the endpoint is on this machine. */
export function isLoopback(endpoint: string): boolean {
  const { hostname } = new URL(endpoint);
  return /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/**
 * Gives the SDK a region and credentials that are worth nothing, if all `endpoints` are on this machine; then no
 * key of the user's is used by accident. Otherwise the environment stays as it is.
 */
export function setLocalCredentials(endpoints: readonly string[]): void {
  if (!endpoints.every(isLoopback)) return;
  setEnvironment({ AWS_REGION: localRegion, AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' });
  for (const name of ['AWS_PROFILE', 'AWS_SESSION_TOKEN', 'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS']) {
    delete process.env[name];
  }
}

/** Sets environment variables for the functions; it is the only place that does. */
export function setEnvironment(values: Readonly<Record<string, string>>): void {
  Object.assign(process.env, values);
}

/** The region in use: of the environment, else the local one. */
export function region(): string {
  return process.env.AWS_REGION ?? localRegion;
}
