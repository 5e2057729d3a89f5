/**
 * Reads a request's body up to a limit.
 */
import type { IncomingMessage } from 'node:http';

/** The body; or that it has more bytes than the limit, or that the client went away before its end. */
export type BodyOutcome = Buffer | 'too large' | 'aborted';

const discardWithinMs = 5_000;

/** True if the request says beforehand that its body is larger than `limitBytes`. */
export function declaresMoreThan(request: IncomingMessage, limitBytes: number): boolean {
  return Number(request.headers['content-length'] ?? 0) > limitBytes;
}

/** Never rejects. What comes after the limit is not kept. */
export function readBody(request: IncomingMessage, limitBytes: number): Promise<BodyOutcome> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (outcome: BodyOutcome) => {
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      resolve(outcome);
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limitBytes) finish('too large');
      else chunks.push(chunk);
    };
    const onEnd = () => finish(Buffer.concat(chunks));
    const onClose = () => finish('aborted');
    if (declaresMoreThan(request, limitBytes)) return finish('too large');
    if (request.destroyed && !request.readableEnded) return finish('aborted');
    request.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}

/**
 * Lets the rest of a refused body pass unread, so that its sender gets to see the answer; closing at once could
 * reset the connection before that. Whoever goes on sending for 5 s is cut off.
 */
export function discardRest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  const { socket } = request;
  const timer = setTimeout(() => socket.destroy(), discardWithinMs);
  const finish = () => {
    clearTimeout(timer);
    socket.off('close', finish);
  };
  socket.once('close', finish);
  request.once('end', finish).resume();
}
