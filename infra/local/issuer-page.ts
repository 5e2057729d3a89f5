/** Renders the pages of the local issuer. */
import type { ServerResponse } from 'node:http';
import { html } from 'hono/html';

type Markup = ReturnType<typeof html>;

/** Renders a page with a heading and content as a complete HTML document. */
export function renderIssuerPage(title: string, content: Markup): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:26rem;margin:10vh auto;padding:0 1rem}button{font:inherit;width:100%;padding:.625rem;cursor:pointer}</style></head>
<body><main><h1>${title}</h1>${content}</main></body></html>
`.toString();
}

/** Sends a page. */
export function sendIssuerPage(
  response: ServerResponse,
  status: number,
  title: string,
  content: Markup,
): void {
  if (response.headersSent) return void response.end();
  response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' });
  response.end(renderIssuerPage(title, content));
}
