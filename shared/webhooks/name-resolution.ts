/** The addresses of a name by DNS. Which of them may be called is not judged here. */
import { Resolver } from 'node:dns/promises';

/**
 * All addresses of `name`, IPv4 first. Rejects with a `code`: `ENOTFOUND` or `ENODATA` if there is none, another one
 * if that cannot be told now.
 *
 * Asks the name servers itself. `dns.lookup` waits in one of the process's few threads: a handful of receivers whose
 * name servers do not answer would hold up all others.
 */
export async function addressesOf(
  name: string,
  nameServers: Pick<Resolver, 'resolve4' | 'resolve6'> = systemServers,
): Promise<readonly string[]> {
  if (isLocalName(name)) return ['127.0.0.1', '::1'];
  const families = await Promise.allSettled([nameServers.resolve4(name), nameServers.resolve6(name)]);
  const addresses = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
  if (addresses.length > 0) return addresses;
  const reasons = families.flatMap((family) => (family.status === 'rejected' ? [family.reason] : []));
  throw reasons.find((reason) => !isAbsence(reason)) ?? reasons[0] ?? absence();
}

/** Names that are never asked of a name server (RFC 6761). */
export function isLocalName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}

/** Whether an error says for certain that a name has no address. */
export function isAbsence(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return code === 'ENOTFOUND' || code === 'ENODATA';
}

/** What a resolver throws for a name that does not exist. */
export function absence(): Error {
  return Object.assign(new Error('The name has no address.'), { code: 'ENODATA' });
}

const systemServers = new Resolver({ timeout: 2_000, tries: 2 });
