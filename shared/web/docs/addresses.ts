/** Says which page of the reference has which part, so that links between the pages lead to the right one. */
import type { OpenApiDocument } from '../../api/openapi/document-types.ts';
import { operationTags } from '../../api/openapi/tags.ts';
import { newestApiVersion } from '../../domain/versions/versions.ts';
import { objectsByTag } from './fields.ts';

/** Returns what follows `/docs/` in the address of the page of a tag. */
export const slugOf = (tag: string): string => tag.toLowerCase().replaceAll(' ', '-');

/** Returns the address of a page in the version of the document. @param page what follows `/docs/`; empty for the guides */
export function pageAddress(document: OpenApiDocument, baseUrl: string, page: string): string {
  const version = document.info['x-api-version'];
  const query = version === newestApiVersion ? '' : `?version=${version}`;
  return `${baseUrl}/docs${page && `/${page}`}${query}`;
}

/** Returns the address of the part of the reference with the fragment `id`. */
export const addressOfPart = (document: OpenApiDocument, baseUrl: string, id: string): string =>
  `${pageAddress(document, baseUrl, pageOf(document, id))}#${id}`;

/** Gives the links of a page to parts of other pages their addresses. All links within the reference are fragments before. */
export const withAddresses = (
  text: string,
  document: OpenApiDocument,
  baseUrl: string,
  page: string,
): string =>
  text.replace(/ href="#([^"]+)"/g, (link, id) =>
    id === 'main' || pageOf(document, id) === page ? link : ` href="${addressOfPart(document, baseUrl, id)}"`,
  );

/** Returns the page with a fragment. Those of guides and error codes are on the page of the guides. */
function pageOf(document: OpenApiDocument, id: string): string {
  const [part = ''] = id.split(/[.-]/);
  return pagesOf(document).get(part) ?? '';
}

const pagesByDocument = new WeakMap<OpenApiDocument, ReadonlyMap<string, string>>();

/** Returns the pages of all operations and objects that do not belong to a guide. */
function pagesOf(document: OpenApiDocument): ReadonlyMap<string, string> {
  const known = pagesByDocument.get(document);
  if (known) return known;
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const pages = new Map([
    ...operations.map(({ operationId, tags: [tag = ''] }) => [operationId, slugOf(tag)] as const),
    ...operationTags.flatMap(({ name }) =>
      (objectsByTag[name] ?? []).map((object) => [object, slugOf(name)] as const),
    ),
  ]);
  pagesByDocument.set(document, pages);
  return pages;
}
