/** Searches the documentation of the service for `remit mcp`: the guides of `/llms.txt` and the pages of error codes. */
import { indexSections, type SearchedSection } from '../shared/base/search-sections.ts';

/** Returns the text of a page of the service. Throws if it does not exist. */
export type ReadPage = (path: string) => Promise<string>;

interface Section extends SearchedSection {
  readonly address: string;
}

const maxSections = 5;
const maxCharacters = 3_000;

/**
 * Returns the sections that answer the query best, with their addresses. If the query names an error code, its
 * page comes first.
 * @param baseUrl the URL of the service
 */
export async function searchDocs(query: string, baseUrl: string, readPage: ReadPage): Promise<string> {
  const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}_-]{2,}/gu))];
  const codes = words.filter((word) => /^[a-z]+(_[a-z]+)+$/.test(word)).slice(0, 3);
  const [sections, ...pages] = await Promise.all([
    readSections(baseUrl, readPage),
    ...codes.map((code) => readErrorPage(code, baseUrl, readPage)),
  ]);
  const found = [...pages.flat(), ...indexSections(sections)(query)].slice(0, maxSections);
  if (found.length === 0)
    return 'Nothing was found. Use other words, such as the name of a field or an error code.';
  return found
    .map(({ address, text }) => `${address}\n\n${text.slice(0, maxCharacters)}`)
    .join('\n\n---\n\n');
}

async function readErrorPage(code: string, baseUrl: string, readPage: ReadPage): Promise<Section[]> {
  const path = `/docs/errors/${code}.md`;
  const text = await readPage(path).catch(() => undefined);
  return text === undefined ? [] : [{ address: baseUrl + path, title: code, place: '', text }];
}

async function readSections(baseUrl: string, readPage: ReadPage): Promise<Section[]> {
  const index = await readPage('/llms.txt');
  const paths = [...index.matchAll(/\]\(\S*?(\/docs\/[\w-]+\.md)\)/g)].map(([, path = '']) => path);
  const guides = await Promise.all(
    paths.map(async (path) => {
      const parts = (await readPage(path)).split(/^(?=#{1,2} )/m);
      const titles = parts.map((text) => /^#+ (.*)/.exec(text)?.[1] ?? '');
      return parts.map((text, index) => ({
        address: baseUrl + path,
        title: titles[index] ?? '',
        place: titles[0] ?? '',
        text: text.trim(),
      }));
    }),
  );
  return guides.flat();
}
