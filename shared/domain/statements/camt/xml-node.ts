/** Reads elements of a parsed XML file, in which each element is in a list. Pure. */

/** An element: its children by name, its attributes with `@`, and its text as `#text`. An element that has only text is that text. */
export interface XmlNode {
  readonly [name: string]: readonly (XmlNode | string)[] | string | undefined;
}

/** Returns the elements at a path, in the order of the file. Elements that have only text, or nothing, have no children. */
export function nodesAt(node: XmlNode, ...path: readonly string[]): XmlNode[] {
  return path.reduce<XmlNode[]>(
    (nodes, name) => nodes.flatMap((each) => childrenOf(each, name).flatMap(asNode)),
    [node],
  );
}

/** Returns the texts of all elements at a path, without empty ones. White space is one space. */
export function xmlTextsAt(node: XmlNode, ...path: readonly string[]): string[] {
  const parents = nodesAt(node, ...path.slice(0, -1));
  const found = parents.flatMap((parent) => childrenOf(parent, path.at(-1) ?? ''));
  return found.map((each) => plainText(each)).filter((text) => text !== '');
}

/** Returns the first text at a path. */
export const xmlTextAt = (node: XmlNode, ...path: readonly string[]): string | undefined =>
  xmlTextsAt(node, ...path)[0];

const childrenOf = (node: XmlNode, name: string): readonly (XmlNode | string)[] => {
  const found = Object.hasOwn(node, name) ? node[name] : undefined;
  return found === undefined ? [] : typeof found === 'string' ? [found] : found;
};

const asNode = (each: XmlNode | string): XmlNode[] => (typeof each === 'string' ? [] : [each]);

function plainText(each: XmlNode | string): string {
  const text = typeof each === 'string' ? each : each['#text'];
  return typeof text === 'string' ? resolve(text).replace(/\s+/g, ' ').trim() : '';
}

/** The entities that XML itself defines (w3.org/TR/xml, section 4.6). */
const entities: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['apos', "'"],
  ['quot', '"'],
]);

/** Resolves the entities of XML and references to characters. Others stay as they are. */
function resolve(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities.get(name) ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
