/** Finds the endpoints of AWS services. */
import { env } from '../../base/env.ts';

/**
 * Returns the public endpoint of a service.
 * @param known the endpoint, if the caller knows it
 * @param region the default is that of the environment
 * @throws Error if the region or the settings ask for an endpoint with another host name
 */
export function publicEndpoint(service: string, known?: string, region = env.awsRegion()): string {
  if (env.usesSpecialEndpoints() || !/^[a-z]{2}(-gov)?-[a-z]+-\d$/.test(region))
    throw new Error(`Only the SDK knows the endpoint of ${service} in ${region}. Set AWS_CALLS to sdk.`);
  return known ?? `https://${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

/** Where connections to an endpoint go. */
interface Address {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: number;
  /** The header `host`. */
  readonly host: string;
}

/** The address of each endpoint. There are few. */
const addresses = new Map<string, Address>();

/** Parses the URL of an endpoint, whose path is ignored. @throws TypeError if it is not a URL */
export function addressOf(endpoint: string): Address {
  const known = addresses.get(endpoint);
  if (known) return known;
  const { protocol, hostname, host, port } = new URL(endpoint);
  const address = { protocol, hostname, host, port: Number(port) || (protocol === 'https:' ? 443 : 80) };
  addresses.set(endpoint, address);
  return address;
}
