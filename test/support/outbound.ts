/** Replaces how the service calls receivers: the resolver of names, and the limits of POSTs. */
import type { PostLimits } from '../../shared/platform/outbound/exchange.ts';
import { resolveAddresses } from '../../shared/platform/outbound/name-resolution.ts';
import { defaultPostLimits, postLimits } from '../../shared/platform/outbound/post.ts';
import { nameResolution, type Resolver } from '../../shared/platform/outbound/target.ts';

/** Replaces the resolver. Without an argument, restores that of the system. */
export function setResolver(resolve: Resolver = resolveAddresses): void {
  nameResolution.resolve = resolve;
}

/** Replaces the limits of all later POSTs. Without an argument, restores the default. */
export function setPostLimits(limits: PostLimits = defaultPostLimits): void {
  postLimits.current = limits;
}
