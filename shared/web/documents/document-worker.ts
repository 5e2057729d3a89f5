/**
 * Compiles documents with Typst, which runs as WebAssembly, in a thread. The compiler has no access to files and to the network: it sees
 * its template and the data of one document, both in memory. Texts of other people are data, so they are never read as Typst code.
 *
 * `document-compiler.ts` starts the thread. The first message says which characters the fonts have, and each later one answers a
 * request.
 */
import { readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { parentPort } from 'node:worker_threads';
import initialize, {
  type TypstCompiler,
  TypstCompilerBuilder,
  TypstFontResolverBuilder,
} from '@myriaddreamin/typst-ts-web-compiler';
import { env } from '../../base/env.ts';
import { documentAssets } from './document-assets.ts';

/** The characters of a font: the first code point of a range, and the one after its last. */
export type CodePointRange = readonly [start: number, end: number];

/** The first message of the thread. */
export interface WorkerStart {
  readonly ranges: readonly CodePointRange[];
}

/** A request: what the compiler gets for a document. */
export interface DocumentInput {
  /** What the template reads as JSON. */
  readonly data: unknown;
  /** The bytes of the logo, if the data name one. */
  readonly logo: Uint8Array | undefined;
}

/** The answer to a request: the document as PDF, or the reason why it was not made. */
export interface WorkerAnswer {
  readonly pdf?: Uint8Array;
  readonly error?: string;
  /** The size of the memory of the compiler. It never becomes smaller. */
  readonly memoryBytes: number;
}

const templatePath = '/document.typ';
const dataPath = '/data.json';
const logoPath = '/logo';
/** The codes of the bindings: pages, PDF, and diagnostics as objects. */
const codes = { paged: 0, pdf: 1, diagnostics: 3 } as const;

// If it fails, the thread ends with its error.
void start();

async function start(): Promise<void> {
  const { compiler: wasm, template, regularFonts, boldFonts } = documentAssets;
  const [{ memory }, source, regular, bold] = await Promise.all([
    initialize({ module_or_path: readAsset(wasm) }),
    readAsset(template),
    Promise.all(regularFonts.map(readAsset)),
    Promise.all(boldFonts.map(readAsset)),
  ]);
  const builder = new TypstCompilerBuilder();
  builder.set_dummy_access_model();
  for (const font of [...regular, ...bold]) await builder.add_raw_font(font);
  const compiler = await builder.build();
  compiler.add_source(templatePath, source.toString());
  parentPort?.on('message', (input: DocumentInput) => {
    const answer: WorkerAnswer = {
      ...compile(compiler, input),
      memoryBytes: memory.buffer.byteLength,
    };
    parentPort?.postMessage(answer);
  });
  parentPort?.postMessage({ ranges: rangesOf(regular) } satisfies WorkerStart);
}

/** Reads a file beside the bundle of the function, or of the repository. */
function readAsset(file: string): Promise<Buffer> {
  const bundle = env.lambdaTaskRoot();
  return readFile(
    bundle === undefined ? resolve(import.meta.dirname, '../../..', file) : join(bundle, basename(file)),
  );
}

function compile(
  compiler: TypstCompiler,
  { data, logo }: DocumentInput,
): Pick<WorkerAnswer, 'pdf' | 'error'> {
  try {
    compiler.map_shadow(dataPath, Buffer.from(JSON.stringify(data)));
    if (logo) compiler.map_shadow(logoPath, logo);
    const world = compiler.snapshot('/', templatePath);
    const error = errorOf(world.compile(codes.paged, codes.diagnostics));
    if (error !== undefined) return { error };
    const exported: Compilation = world.get_artifact(codes.pdf, codes.diagnostics);
    world.free();
    return exported.result ? { pdf: exported.result } : { error: errorOf(exported) ?? 'No PDF was made.' };
  } catch (error) {
    return { error: String(error) };
  }
}

interface Compilation {
  readonly hasError?: boolean;
  readonly diagnostics?: readonly { readonly message: string; readonly range: string }[];
  readonly result?: Uint8Array;
}

function errorOf({ hasError, diagnostics = [] }: Compilation): string | undefined {
  if (!hasError) return undefined;
  return diagnostics.map(({ message, range }) => `${range}: ${message}`).join('; ');
}

/** What the bindings say of a font: the lengths of runs of characters that the font lacks and has, in turn, from U+0000 on. */
interface FontInfo {
  readonly info: readonly { readonly coverage: readonly number[] }[];
}

function rangesOf(fonts: readonly Uint8Array[]): CodePointRange[] {
  const resolver = new TypstFontResolverBuilder();
  const runs = fonts.flatMap((font) =>
    (resolver.get_font_info(font) as FontInfo).info.map(({ coverage }) => coverage),
  );
  resolver.free();
  return runs.flatMap((lengths) => {
    let position = 0;
    return lengths.flatMap((length, index): CodePointRange[] => {
      const start = position;
      position += length;
      return index % 2 === 1 ? [[start, position]] : [];
    });
  });
}
