/** Decides whether an endpoint is on this machine. */

/** Returns true if the host of the URL `endpoint` is `localhost` or a loopback address. */
export function isLoopback(endpoint: string): boolean {
  const { hostname } = new URL(endpoint);
  return /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
