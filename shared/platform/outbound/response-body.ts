/** Reads the beginning of a response's body as text for people, within a limit of time and of bytes. */
import type { IncomingMessage } from 'node:http';

export interface ResponseBody {
  readonly text: string;
  /** Whether the whole body arrived within the limits. */
  readonly isComplete: boolean;
}

const excerptBytes = 1_024;

/**
 * Reads the body until its end or a limit, and keeps the first 1 KiB. Never rejects: a body that breaks off is
 * incomplete.
 * @param withinMs in milliseconds
 */
export function readResponseBody(
  response: IncomingMessage,
  { withinMs, maxBytes }: { withinMs: number; maxBytes: number },
): Promise<ResponseBody> {
  return new Promise((resolve) => {
    const kept: Buffer[] = [];
    let keptBytes = 0;
    let bytes = 0;
    let hasEnded = false;
    const end = (isComplete: boolean) => {
      if (hasEnded) return;
      hasEnded = true;
      clearTimeout(timer);
      response.pause();
      resolve({ text: excerptOf(Buffer.concat(kept), isComplete), isComplete });
    };
    const timer = setTimeout(() => end(false), withinMs);
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (keptBytes < decodedBytes) {
        kept.push(chunk.subarray(0, decodedBytes - keptBytes));
        keptBytes += chunk.length;
      }
      if (bytes > maxBytes) end(false);
    });
    response.on('end', () => end(true));
    response.on('error', () => end(false));
    response.on('close', () => end(false));
  });
}

/** The excerpt and 8 bytes more, so that a character cut here is outside the excerpt. */
const decodedBytes = excerptBytes + 8;

/** Returns the first 1 KiB in UTF-8, without a character that is cut at the end. */
function excerptOf(bytes: Buffer, isComplete: boolean): string {
  const text = new TextDecoder().decode(bytes, { stream: !isComplete });
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(excerptBytes));
  return text.slice(0, read);
}
