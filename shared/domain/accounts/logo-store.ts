/**
 * Stores and reads the bytes of logos. A logo stays while the account exists, because issued documents show it. Its key contains
 * the hash of its bytes, so storing it again changes nothing.
 */
import { bucket, bucketKeys } from '../../store/bucket.ts';
import type { Logo } from './logo.ts';

/** Stores the bytes of a logo. */
export async function storeLogo(account: string, { sha256, type }: Logo, bytes: Uint8Array): Promise<void> {
  await bucket.put(bucketKeys.logo(account, sha256), { contentType: type, bytes });
}

/** Returns the bytes of a logo. Undefined: the bucket does not have it. */
export async function readLogo(account: string, { sha256 }: Logo): Promise<Uint8Array | undefined> {
  return (await bucket.get(bucketKeys.logo(account, sha256)))?.bytes;
}

/** Deletes all logos of an account. */
export async function deleteLogos(account: string): Promise<void> {
  for (;;) {
    const keys = await bucket.list(bucketKeys.logo(account, ''));
    if (keys.length === 0) return;
    for (const key of keys) await bucket.delete(key);
  }
}
