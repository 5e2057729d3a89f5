/** Makes the picture of a logo in mails: a part of the mail, so that nothing is loaded when it is read. */
import type { Logo } from '../../domain/accounts/logo.ts';
import { readLogo } from '../../domain/accounts/logo-store.ts';
import type { MailPicture } from './mail-layout.ts';

/** In CSS pixels. */
const maxWidth = 180;
const maxHeight = 56;

/** A logo with its bytes. */
export interface LogoPart {
  readonly picture: MailPicture;
  readonly type: Logo['type'];
  readonly bytes: Uint8Array;
}

/** The id of the part, without angle brackets. */
export const logoPartId = 'logo@remit';

/** Returns the size at which mails show a logo, with its proportions. Small logos stay as they are. */
export function sizeOfLogo({ width, height }: Pick<Logo, 'width' | 'height'>): {
  readonly width: number;
  readonly height: number;
} {
  const scale = Math.min(1, maxWidth / width, maxHeight / height);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** Reads the logo of a seller. Undefined: there is none, or the bucket has lost it. */
export async function readLogoPart(
  account: string,
  { logo, name }: { readonly logo: Logo | null; readonly name: string },
): Promise<LogoPart | undefined> {
  const bytes = logo ? await readLogo(account, logo) : undefined;
  if (!logo || !bytes) return undefined;
  return {
    picture: { src: `cid:${logoPartId}`, alt: name, ...sizeOfLogo(logo) },
    type: logo.type,
    bytes,
  };
}
