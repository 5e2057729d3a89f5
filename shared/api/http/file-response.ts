/** Makes responses that are files. */
import type { APIGatewayProxyResult } from 'aws-lambda';

/** A file in an answer of the API. */
export interface FileAnswer {
  /** The name under which a browser saves the file. Only letters, digits, points and hyphens stay. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The value of the header `Remit-Warning`. */
  readonly warning?: string | undefined;
}

/** Returns the parts of a response with a file. The gateway decodes the body, which is in base64. */
export function fileResponse(
  mediaType: string,
  { name, bytes, warning }: FileAnswer,
): Required<Pick<APIGatewayProxyResult, 'headers' | 'body' | 'isBase64Encoded'>> {
  return {
    headers: {
      'Content-Type': mediaType,
      'Content-Disposition': `attachment; filename="${name.replace(/[^A-Za-z0-9.-]+/g, '-')}"`,
      ...(warning !== undefined && { 'Remit-Warning': warning }),
    },
    body: Buffer.from(bytes).toString('base64'),
    isBase64Encoded: true,
  };
}
