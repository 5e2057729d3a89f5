/** Renders a document as PDF, from its frozen content and the logo that it names. The same content and options always give the same bytes. */

import type { Locale } from '../../base/locales.ts';
import type { Logo } from '../../domain/accounts/logo.ts';
import type { DocumentContent } from '../../domain/documents/document.ts';
import type { DocumentPaper } from '../../domain/documents/document-pdf.ts';
import { qrPath } from '../qr-path.ts';
import { compileDocument, fontCoverage } from './document-compiler.ts';
import { type DocumentData, toDocumentData } from './document-data.ts';
import { englishCopy, languages } from './languages.ts';
import { nameOf, toPrintable } from './printable-text.ts';

export interface DocumentOptions {
  readonly paper: DocumentPaper;
  readonly locale: Locale;
  /** A word across each page. */
  readonly watermark: 'cancelled' | 'test' | undefined;
  /** The text of a QR code to pay with. A code of more than 400 bytes is left out. */
  readonly qr: string | undefined;
  /** The bytes of the logo of the seller. Undefined: it has none, or they are lost. */
  readonly logo?: Uint8Array | undefined;
}

export interface RenderedDocument {
  readonly pdf: Uint8Array;
  /** The characters that no font has, such as `U+2603`. The document shows these names instead. */
  readonly missing: readonly string[];
  /** Whether the document lacks the logo of its seller. */
  readonly lacksLogo: boolean;
}

/** The color of headings for a seller without one. */
const defaultColor = '#1f2937';

/**
 * Renders a document.
 * @throws Error if the template does not compile
 */
export async function renderDocument(
  content: DocumentContent,
  { paper, locale, watermark, qr, logo }: DocumentOptions,
): Promise<RenderedDocument> {
  const { document: texts, tag } = languages[locale];
  const code = qr === undefined ? undefined : qrSvg(qr);
  const data = toDocumentData(content, {
    texts,
    englishCopy,
    locale: tag,
    mark: watermark,
    hasQr: code !== undefined,
  });
  return renderData(data, {
    paper,
    locale,
    color: content.seller.color,
    day: content.issuedOn,
    paymentUrl: content.paymentUrl,
    qr: code,
    logo: content.seller.logo,
    logoBytes: logo,
  });
}

/** How data is shown. */
export interface DataSettings extends Pick<DocumentOptions, 'paper' | 'locale'> {
  /** The color of headings. Undefined: the standard one. */
  readonly color: string | null | undefined;
  /** The day of the document, as `YYYY-MM-DD`. */
  readonly day: string;
  readonly paymentUrl: string | null;
  /** A QR code as an SVG file. */
  readonly qr: string | undefined;
  readonly logo: Logo | null;
  /** The bytes of the logo. Undefined: there is none, or they are lost. */
  readonly logoBytes: Uint8Array | undefined;
}

/**
 * Renders what the template shows. The same data and settings always give the same bytes.
 * @throws Error if the template does not compile
 */
export async function renderData(data: DocumentData, options: DataSettings): Promise<RenderedDocument> {
  const { paper, locale, color, day, paymentUrl, qr, logo, logoBytes } = options;
  const isCovered = await fontCoverage();
  const missing = new Set<string>();
  const print = (text: string) => {
    const printable = toPrintable(text, isCovered);
    for (const character of printable.missing) missing.add(nameOf(character));
    return printable.text;
  };
  const printed = mapTexts(data, print);
  const settings = {
    paper,
    lang: locale,
    color: color ?? defaultColor,
    day: day.split('-').map(Number),
    paymentUrl,
    qr: qr ?? null,
  };
  const compile = (shown: Logo | null, bytes?: Uint8Array) =>
    compileDocument({ data: { ...printed, settings: { ...settings, logo: shown } }, logo: bytes });
  // The document counts more than its logo. A logo that the compiler cannot read is left out like one that is lost.
  const withLogo = logo && logoBytes ? await compile(logo, logoBytes).catch(() => undefined) : undefined;
  return {
    pdf: withLogo ?? (await compile(null)),
    missing: [...missing],
    lacksLogo: logo !== null && withLogo === undefined,
  };
}

type Json = string | null | readonly Json[] | { readonly [name: string]: Json };

/** Changes each text of the data. */
function mapTexts(data: DocumentData, change: (text: string) => string): { readonly [name: string]: Json } {
  const map = (value: Json): Json => {
    if (value === null) return null;
    if (typeof value === 'string') return change(value);
    if (Array.isArray(value)) return value.map(map);
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, map(part)]));
  };
  return Object.fromEntries(Object.entries(data).map(([name, part]) => [name, map(part)]));
}

/** Returns a QR code as an SVG file. Undefined if the text is empty or too long. */
function qrSvg(text: string): string | undefined {
  const code = qrPath(text);
  if (!code) return undefined;
  const { size, path } = code;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path stroke="#000" d="${path}"/></svg>`;
}
