/** What is read of an answer's body: little, for a short time, and as text for people to look at. */
import type { IncomingMessage } from 'node:http';

export interface AnswerBody {
  readonly text: string;
  /** Whether it came to its end within the bounds. */
  readonly isWhole: boolean;
}

const excerptBytes = 1_024;

/** Reads until the end or a bound, and keeps the beginning. Never rejects: what breaks off is not whole. */
export function readAnswerBody(
  response: IncomingMessage,
  { withinMs, maxBytes }: { withinMs: number; maxBytes: number },
): Promise<AnswerBody> {
  return new Promise((resolve) => {
    const kept: Buffer[] = [];
    let keptBytes = 0;
    let bytes = 0;
    let isOver = false;
    const end = (isWhole: boolean) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      response.pause();
      resolve({ text: excerptOf(Buffer.concat(kept), isWhole), isWhole });
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

/** Enough for the excerpt, and more, so that a character that is cut here lies beyond it. */
const decodedBytes = excerptBytes + 8;

/** The first 1 KiB in UTF-8 with whole characters; of a text that goes on, a last character without its end is left out. */
function excerptOf(bytes: Buffer, isWhole: boolean): string {
  const text = new TextDecoder().decode(bytes, { stream: !isWhole });
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(excerptBytes));
  return text.slice(0, read);
}
