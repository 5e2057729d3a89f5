/** Defines what the check of a logo returns, and the sizes that a logo can have. */
import { type LogoType, maxLogoPixels } from './logo.ts';

/** A picture as it is stored, or what is wrong with it and what to do. */
export type LogoPicture =
  | { readonly type: LogoType; readonly width: number; readonly height: number; readonly bytes: Uint8Array }
  | { readonly problem: string };

export const damagedProblem = {
  problem: 'The logo is damaged or not complete. Save it again as PNG or JPEG.',
};

/** Returns what is wrong with the size of a picture, in pixels. Undefined: nothing is. */
export function sizeProblemOf(width: number, height: number): { readonly problem: string } | undefined {
  if (width === 0 || height === 0) return damagedProblem;
  if (Math.max(width, height) <= maxLogoPixels) return undefined;
  return {
    problem: `The logo has ${width} × ${height} pixels. Make it at most ${maxLogoPixels} pixels wide and high.`,
  };
}
