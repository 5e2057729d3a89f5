/** Resolves host names by DNS. `target.ts` decides which of the addresses are allowed. */
import { Resolver } from 'node:dns/promises';

/**
 * Resolves all addresses of `name`, IPv4 first.
 *
 * Asks the name servers directly. `dns.lookup` would occupy one of the few threads of the process, so a few receivers
 * with unresponsive name servers would delay all others.
 * @throws Error with the code `ENOTFOUND` or `ENODATA` if the name has no address, and with another code if that is
 *   unknown at present
 */
export async function resolveAddresses(
  name: string,
  nameServers: Pick<Resolver, 'resolve4' | 'resolve6'> = systemServers,
): Promise<readonly string[]> {
  if (isLocalName(name)) return ['127.0.0.1', '::1'];
  const families = await Promise.allSettled([nameServers.resolve4(name), nameServers.resolve6(name)]);
  const addresses = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
  if (addresses.length > 0) return addresses;
  const reasons = families.flatMap((family) => (family.status === 'rejected' ? [family.reason] : []));
  throw reasons.find((reason) => !isNameNotFound(reason)) ?? reasons[0] ?? nameNotFoundError();
}

/** Whether `name` always means this machine, so that no name server is asked (RFC 6761). */
export function isLocalName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}

/** Whether an error proves that a name has no address. */
export function isNameNotFound(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return code === 'ENOTFOUND' || code === 'ENODATA';
}

/** Creates the error that a resolver throws for a name that does not exist. */
export function nameNotFoundError(): Error {
  return Object.assign(new Error('The name has no address.'), { code: 'ENODATA' });
}

const systemServers = new Resolver({ timeout: 2_000, tries: 2 });
