/** Makes responses that are files. */
import type { APIGatewayProxyResult } from 'aws-lambda';

/** A file in an answer of the API: its bytes, or a link to a file that is too large for a response. */
export type FileAnswer = FileBytes | FileLink;

interface FileBytes extends Warned {
  /** The name under which a browser saves the file. Only letters, digits, points and hyphens stay. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The media type, if the route has files of several ones. */
  readonly mediaType?: string;
  /** The value of the header `Cache-Control`, if it is not that of the route. */
  readonly cacheControl?: string;
}

interface FileLink extends Warned {
  readonly link: string;
}

interface Warned {
  /** The value of the header `Remit-Warning`. */
  readonly warning?: string | undefined;
}

/** Returns the value of `Content-Disposition` with which a browser saves a file under a name. */
export const savedAs = (name: string): string =>
  `attachment; filename="${name.replace(/[^A-Za-z0-9.-]+/g, '-')}"`;

/** Returns the parts of a response with a file, or of a redirect to it. The gateway decodes the body, which is in base64. */
export function fileResponse(
  mediaType: string,
  answer: FileAnswer,
): Required<Pick<APIGatewayProxyResult, 'headers' | 'body'>> & Partial<APIGatewayProxyResult> {
  const warning = answer.warning === undefined ? {} : { 'Remit-Warning': answer.warning };
  if ('link' in answer) return { statusCode: 303, headers: { Location: answer.link, ...warning }, body: '' };
  const { name, bytes, cacheControl } = answer;
  return {
    headers: {
      'Content-Type': answer.mediaType ?? mediaType,
      'Content-Disposition': savedAs(name),
      ...(cacheControl !== undefined && { 'Cache-Control': cacheControl }),
      ...warning,
    },
    body: Buffer.from(bytes).toString('base64'),
    isBase64Encoded: true,
  };
}
