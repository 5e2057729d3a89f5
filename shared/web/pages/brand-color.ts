/**
 * Turns the color of a seller into the accent of the payment page: of links, buttons and marks. Pure.
 *
 * Text in the accent, and text on it, has a contrast of at least 4.5 to 1 in each color scheme (WCAG 2.2, success criterion 1.4.3). A color
 * with less is mixed with black on the light page, and with white on the dark one, until it has enough.
 */

type Rgb = readonly [red: number, green: number, blue: number];

interface Scheme {
  /** The media query of the scheme. Printed pages are black on white. */
  readonly media: string;
  /** What text in the accent is on: the card and the panel of `payment-page-style.ts`. */
  readonly backgrounds: readonly Rgb[];
  /** What the accent is mixed with for more contrast. */
  readonly toward: Rgb;
  /** The color of text on the accent. */
  readonly onAccent: Rgb;
}

const black: Rgb = [0, 0, 0];
const white: Rgb = [255, 255, 255];

const schemes: readonly Scheme[] = [
  { media: 'screen', backgrounds: [white, [250, 250, 248]], toward: black, onAccent: white },
  {
    media: 'screen and (prefers-color-scheme:dark)',
    backgrounds: [
      [23, 28, 26],
      [27, 33, 31],
    ],
    toward: white,
    onAccent: black,
  },
];

const minContrast = 4.5;
const tintShare = 0.12;
const pressShare = 0.2;

/**
 * Returns rules that replace the accent of the stylesheet of the payment page.
 * @param color `#` and six hexadecimal digits. Anything else, and null: the page keeps its own accent, and the result is empty
 */
export function brandRules(color: string | null | undefined): string {
  const [, digits] = /^#([0-9a-f]{6})$/i.exec(color ?? '') ?? [];
  if (digits === undefined) return '';
  const brand = [0, 2, 4].map((start) => Number.parseInt(digits.slice(start, start + 2), 16));
  const [red = 0, green = 0, blue = 0] = brand;
  return schemes.map((scheme) => rulesOf(scheme, [red, green, blue])).join('');
}

function rulesOf(scheme: Scheme, brand: Rgb): string {
  const accent = readable(scheme, brand);
  const colors = {
    accent,
    press: mix(accent, scheme.toward, pressShare),
    'on-accent': scheme.onAccent,
    tint: tintOf(scheme, accent),
  };
  const variables = Object.entries(colors).map(([name, color]) => `--${name}:${toHex(color)}`);
  return `@media ${scheme.media}{:root{${variables.join(';')}}}`;
}

/** Returns the color itself if it can be read, or else the nearest mixture that can. */
function readable(scheme: Scheme, brand: Rgb): Rgb {
  const shares = Array.from({ length: 20 }, (_, step) => step / 20);
  const mixtures = shares.map((share) => mix(brand, scheme.toward, share));
  return mixtures.find((color) => isReadable(scheme, color)) ?? scheme.toward;
}

const isReadable = (scheme: Scheme, color: Rgb): boolean =>
  [...scheme.backgrounds, tintOf(scheme, color), scheme.onAccent].every(
    (other) => contrastOf(color, other) >= minContrast,
  );

/** The light background of marks, on which they have the accent. */
const tintOf = ({ backgrounds: [background = white] }: Scheme, accent: Rgb): Rgb =>
  mix(background, accent, tintShare);

/** @param share that of `other`, from 0 to 1 */
function mix(color: Rgb, other: Rgb, share: number): Rgb {
  const part = (index: 0 | 1 | 2) => Math.round(color[index] * (1 - share) + other[index] * share);
  return [part(0), part(1), part(2)];
}

/** The contrast ratio of WCAG 2.2, from 1 to 21. */
function contrastOf(one: Rgb, other: Rgb): number {
  const [lighter = 0, darker = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

/** The relative luminance of WCAG 2.2. */
function luminanceOf([red, green, blue]: Rgb): number {
  const linear = (value: number) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

const toHex = (color: Rgb): string =>
  `#${color.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
