/** Finds the endpoints of AWS services. */
import { env } from '../env.ts';

/**
 * Returns the public endpoint of a service in the region of the environment.
 * @param known the endpoint, if the caller knows it
 * @throws Error if the region or the settings ask for an endpoint with another host name
 */
export function publicEndpoint(service: string, known?: string): string {
  const region = env.awsRegion();
  if (env.usesSpecialEndpoints() || !/^[a-z]{2}(-gov)?-[a-z]+-\d$/.test(region))
    throw new Error(`Only the SDK knows the endpoint of ${service} in ${region}. Set AWS_CALLS to sdk.`);
  return known ?? `https://${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}
