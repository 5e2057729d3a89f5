/** Writes the type declarations of the package. They come from `infra/remit.ts` and the table of settings, with its comments. */
import { join } from 'node:path';
import ts from 'typescript';

/**
 * Returns the declaration files by name.
 * @param root the folder of the repository
 * @throws Error if the construct or the table of settings is not where it was
 */
export function declareTypes(root: string): ReadonlyMap<string, string> {
  const [construct, settings] = ['remit.ts', 'settings.ts'].map((file) => join(root, 'infra', file)) as [
    string,
    string,
  ];
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config,
    ts.sys,
    root,
  );
  const { outputText } = ts.transpileDeclaration(ts.sys.readFile(construct) ?? '', {
    fileName: construct,
    compilerOptions: options,
  });
  return new Map([
    ['remit.d.ts', outputText.replace("'./settings.ts'", "'./settings.js'")],
    ['settings.d.ts', settingTypes(settings, options)],
  ]);
}

/** Returns the declarations of the types that the construct takes from the table of settings. */
function settingTypes(file: string, options: ts.CompilerOptions): string {
  const program = ts.createProgram([file], options);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const scope =
    source && checker.getSymbolsInScope(source, ts.SymbolFlags.TypeAlias | ts.SymbolFlags.Variable);
  const symbolOf = (name: string) => {
    const symbol = scope?.find((each) => each.name === name);
    if (!symbol) throw new Error(`${file} has no ${name}.`);
    return checker.getExportSymbolOfSymbol(symbol);
  };
  const textOf = (type: ts.Type) => checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation);
  const table = checker.getTypeOfSymbol(symbolOf('entries'));
  const members = checker
    .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbolOf('SettingsInput')))
    .map((member) => {
      const text = ts.displayPartsToString(table.getProperty(member.name)?.getDocumentationComment(checker));
      const comment = text === '' ? '' : `  /** ${text.replaceAll('\n', '\n   * ')} */\n`;
      return `${comment}  readonly ${member.name}?: ${textOf(checker.getTypeOfSymbol(member))};\n`;
    });
  const stacks = checker.getDeclaredTypeOfSymbol(symbolOf('StackKind'));
  const kinds = (stacks.isUnion() ? stacks.types : [stacks]).map(textOf).join(' | ');
  return `/** The settings of a deployment. */
export interface SettingsInput {
${members.join('')}}

/** The stacks of a deployment. */
export type StackKind = ${kinds};
`;
}
