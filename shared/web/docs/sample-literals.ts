/** Writes values as literals of the languages of the samples. */

/** An expression among the values of a literal. */
export class Expression {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Returns a value as a TypeScript literal. */
export function typescriptLiteral(value: unknown, indent = ''): string {
  if (value instanceof Expression) return value.text;
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  if (Array.isArray(value)) return `[${value.map((each) => typescriptLiteral(each, indent)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).map(
    ([name, each]) => `${indent}  ${name}: ${typescriptLiteral(each, `${indent}  `)},`,
  );
  return `{\n${fields.join('\n')}\n${indent}}`;
}

/** Returns a value as a Python literal, whose lines after the first begin with `indent`. */
export function pythonLiteral(value: unknown, indent = ''): string {
  if (value instanceof Expression) return value.text;
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map((each) => pythonLiteral(each, indent)).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([name, each]) => `${indent}    "${name}": ${pythonLiteral(each, `${indent}    `)},`,
  );
  return `{\n${fields.join('\n')}\n${indent}}`;
}

/** Returns a value as a Go literal, whose lines after the first begin with `indent`. An object is a map. */
export function goLiteral(value: unknown, indent = ''): string {
  if (value instanceof Expression) return value.text;
  if (value === null) return 'nil';
  if (Array.isArray(value)) {
    const type = value.every((each) => typeof each === 'string') ? 'string' : 'any';
    return `[]${type}{${value.map((each) => goLiteral(each, indent)).join(', ')}}`;
  }
  if (typeof value !== 'object') return JSON.stringify(value);
  const names = Object.keys(value);
  const width = Math.max(...names.map((name) => name.length));
  const fields = Object.entries(value).map(([name, each]) => {
    const padding = ' '.repeat(width - name.length + 1);
    return `${indent}\t"${name}":${padding}${goLiteral(each, `${indent}\t`)},`;
  });
  return `map[string]any{\n${fields.join('\n')}\n${indent}}`;
}
