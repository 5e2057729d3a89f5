/** Lists the files that the renderer of documents reads: its compiler, its template and its fonts. They are not part of a bundle. */

const fontPackages = '@expo-google-fonts';

/** The fonts in the order in which they are tried. All have the SIL Open Font License. */
const families = [
  ['noto-sans', 'NotoSans'],
  ['noto-sans-devanagari', 'NotoSansDevanagari'],
  ['noto-serif-tibetan', 'NotoSerifTibetan'],
] as const;

const fontsOf = (weight: '400Regular' | '700Bold') =>
  families.map(
    ([folder, name]) => `node_modules/${fontPackages}/${folder}/${weight}/${name}_${weight}.ttf` as const,
  );

/** Paths relative to the root of the repository. In a bundle, each file is beside the code, with the same name. */
export const documentAssets = {
  compiler: 'node_modules/@myriaddreamin/typst-ts-web-compiler/pkg/typst_ts_web_compiler_bg.wasm',
  template: 'shared/web/documents/document.typ',
  regularFonts: fontsOf('400Regular'),
  boldFonts: fontsOf('700Bold'),
} as const;

/** The thread of the compiler: its file in the repository, and its name beside a bundle. */
export const documentWorker = {
  source: 'shared/web/documents/document-worker.ts',
  bundled: 'document-worker',
} as const;
