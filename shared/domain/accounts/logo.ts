/** Defines the logo of a seller: the picture on its documents and on the payment page. */
import * as v from 'valibot';

export const logoTypes = ['image/png', 'image/jpeg'] as const;
export type LogoType = (typeof logoTypes)[number];

/** The maximum width and height in pixels. */
export const maxLogoPixels = 2_000;

/** A logo as documents name it. The bucket has its bytes under its hash, so an issued document keeps its logo. */
export interface Logo {
  /** The SHA-256 of the bytes, in hexadecimal digits. */
  readonly sha256: string;
  readonly type: LogoType;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** The maximum size of the file, in bytes. */
export const maxLogoBytes = 200 * 1024;
const maxBase64 = 4 * Math.ceil(maxLogoBytes / 3);

const logoMessage =
  'seller.logo must be an object with data: a PNG or JPEG file of at most 200 KB, in base64. Null removes the logo.';

const pixels = /* @__PURE__ */ v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(maxLogoPixels));

const hashPattern = /^[0-9a-f]{64}$/;

/** A logo in responses. */
export const logoSchema = /* @__PURE__ */ v.strictObject({
  sha256: v.pipe(v.string(), v.regex(hashPattern)),
  type: v.picklist(logoTypes),
  width: pixels,
  height: pixels,
});

/** A logo in a request: the file, or the logo as a response shows it, which changes nothing. */
export const newLogoSchema = /* @__PURE__ */ v.strictObject(
  {
    data: v.optional(
      v.pipe(
        v.string(logoMessage),
        v.maxLength(maxBase64, 'The logo is larger than 200 KB. Send a smaller file.'),
        v.regex(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/, logoMessage),
      ),
    ),
    sha256: v.optional(v.pipe(v.string(logoMessage), v.regex(hashPattern, logoMessage))),
    type: v.optional(v.picklist(logoTypes, logoMessage)),
    width: v.optional(v.number(logoMessage)),
    height: v.optional(v.number(logoMessage)),
  },
  logoMessage,
);

export type NewLogo = v.InferOutput<typeof newLogoSchema>;
