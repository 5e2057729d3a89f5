/**
 * Compiles documents, in a thread that is kept for the next ones. The compiler remembers parts of each document, and has no call to
 * forget them. So the thread is replaced when its memory has grown.
 */
import { join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { env } from '../../base/env.ts';
import { documentWorker } from './document-assets.ts';
import type { DocumentInput, WorkerAnswer, WorkerStart } from './document-worker.ts';

/** Enough for some 100 documents. Loading the compiler takes as long as some 20 documents. */
const maxMemoryBytes = 400 * 1024 * 1024;

interface Compiler {
  readonly worker: Worker;
  readonly start: WorkerStart;
}

let compiler: Promise<Compiler> | undefined;
/** The end of the last request. The compiler takes them one after the other. */
let last: Promise<unknown> = Promise.resolve();

/** Returns a function that says whether a font has a character, given as its code point. Controls count as missing. */
export async function fontCoverage(): Promise<(codePoint: number) => boolean> {
  const { ranges } = (await current()).start;
  const isControl = (codePoint: number) => codePoint < 0x20 || (codePoint >= 0x7f && codePoint < 0xa0);
  return (codePoint) =>
    !isControl(codePoint) && ranges.some(([start, end]) => codePoint >= start && codePoint < end);
}

/**
 * Returns a document as PDF. The same input gives the same bytes.
 * @throws Error if the template does not compile with the data, or if the thread ends
 */
export function compileDocument(input: DocumentInput): Promise<Uint8Array> {
  const compiled = last.then(() => compileNow(input));
  last = compiled.catch(() => {});
  return compiled;
}

async function compileNow(input: DocumentInput): Promise<Uint8Array> {
  const { worker } = await current();
  const { pdf, error, memoryBytes } = await ask<WorkerAnswer>(worker, input).catch((reason: unknown) => {
    discard(worker);
    throw reason;
  });
  // After an error, the state of the compiler is not known.
  if (!pdf || memoryBytes > maxMemoryBytes) discard(worker);
  if (!pdf) throw new Error(`The document was not made: ${error}`);
  return pdf;
}

function current(): Promise<Compiler> {
  compiler ??= startCompiler().catch((error: unknown) => {
    compiler = undefined;
    throw error;
  });
  return compiler;
}

async function startCompiler(): Promise<Compiler> {
  const bundle = env.lambdaTaskRoot();
  const worker = new Worker(
    bundle === undefined
      ? resolve(import.meta.dirname, '../../..', documentWorker.source)
      : join(bundle, `${documentWorker.bundled}.js`),
  );
  return { worker, start: await ask<WorkerStart>(worker) };
}

function discard(worker: Worker): void {
  compiler = undefined;
  void worker.terminate();
}

/**
 * Sends a message, and returns the next one from the thread. The process stays alive only meanwhile.
 * @throws Error if the thread ends
 */
async function ask<Answer>(worker: Worker, message?: unknown): Promise<Answer> {
  const { promise, resolve: answer, reject } = Promise.withResolvers<Answer>();
  const end = (code: number) => reject(new Error(`The thread of documents ended with code ${code}.`));
  worker.on('message', answer).on('error', reject).on('exit', end).ref();
  try {
    if (message !== undefined) worker.postMessage(message);
    return await promise;
  } finally {
    worker.off('message', answer).off('error', reject).off('exit', end).unref();
  }
}
