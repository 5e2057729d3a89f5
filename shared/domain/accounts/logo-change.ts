/** Says which logo a seller profile has after a change. Pure. */
import { createHash } from 'node:crypto';
import { type Logo, maxLogoBytes, type NewLogo } from './logo.ts';
import { readLogoPicture } from './logo-format.ts';

const unknownLogo =
  'seller.logo is not the present logo. Send its file as data, in base64, or null to remove it.';

/** The logo after a change, with the bytes to store if it is new, or what is wrong. */
export type LogoChange =
  | { readonly logo: Logo | null }
  | { readonly logo: Logo; readonly bytes: Uint8Array }
  | { readonly problem: string };

/**
 * Returns the logo of a profile after a change.
 * @param current undefined: the account has no profile
 * @param asked undefined: it does not change. Null: it is removed.
 */
export function changedLogo(current: Logo | null | undefined, asked: NewLogo | null | undefined): LogoChange {
  if (asked === undefined) return { logo: current ?? null };
  if (asked === null) return { logo: null };
  if (asked.data === undefined)
    return current && asked.sha256 === current.sha256 ? { logo: current } : { problem: unknownLogo };
  const file = Buffer.from(asked.data, 'base64');
  if (file.length > maxLogoBytes)
    return { problem: `The logo has ${file.length} bytes. Send a file of at most ${maxLogoBytes} bytes.` };
  const picture = readLogoPicture(file);
  if ('problem' in picture) return picture;
  const { type, width, height, bytes } = picture;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { logo: { sha256, type, width, height }, bytes };
}
