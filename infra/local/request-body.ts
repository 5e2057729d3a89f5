/**
 * Reads the body of a request up to a size limit.
 */
import type { IncomingMessage } from 'node:http';

/** The body, or the reason why it is incomplete: it exceeds the limit, or the client closed the connection. */
export type BodyOutcome = Buffer | 'too large' | 'aborted';

const discardWithinMs = 30_000;

/** Returns true if the `Content-Length` of the request is larger than `limitBytes`. */
export function declaresMoreThan(request: IncomingMessage, limitBytes: number): boolean {
  return Number(request.headers['content-length'] ?? 0) > limitBytes;
}

/** Whether the head says that a body follows (RFC 9112, section 6.3). */
const announcesBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/** Reads the body. Never rejects, and never keeps more than `limitBytes` bytes. */
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
    if (!announcesBody(request)) return finish(Buffer.alloc(0));
    request.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}

/**
 * Discards the rest of a rejected body, so the client can read the response. Closing the connection immediately could
 * reset it before that. A client that still sends after 30 seconds is disconnected: a busy machine needs some for 10 MB.
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
