/**
 * Defines the pages that the dashboard's gateway sends without a function: for malformed, oversize, throttled and filtered
 * requests, and for functions that fail. They need no style of another file, and contain nothing of the request but its id.
 */
import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { securityHeaders } from '../shared/api/http/security-headers.ts';
import { gatewayPageTexts } from '../shared/web/dashboard/gateway-page-texts.ts';
import { quoteHeaders } from './gateway-responses.ts';

const responses = {
  Default5xx: { type: ResponseType.DEFAULT_5XX, text: gatewayPageTexts.failed },
  Throttled: { type: ResponseType.THROTTLED, text: gatewayPageTexts.throttled },
  TooLarge: { type: ResponseType.REQUEST_TOO_LARGE, text: gatewayPageTexts.tooLarge },
  Filtered: { type: ResponseType.WAF_FILTERED, text: gatewayPageTexts.filtered },
  // The gateway's status for a method without a route is 403.
  NoMethod: {
    type: ResponseType.MISSING_AUTHENTICATION_TOKEN,
    statusCode: '404',
    text: gatewayPageTexts.notFound,
  },
  Default4xx: { type: ResponseType.DEFAULT_4XX, text: gatewayPageTexts.malformed },
} as const;

/** Adds the pages to the gateway. */
export function addDashboardResponses(api: RestApi): void {
  for (const [id, { text, ...options }] of Object.entries(responses)) {
    const page = renderPage(text);
    api.addGatewayResponse(id, {
      ...options,
      responseHeaders: {
        'Content-Type': "'text/html; charset=utf-8'",
        'Cache-Control': "'no-store'",
        'X-Request-Id': 'context.requestId',
        'X-Frame-Options': "'DENY'",
        'Referrer-Policy': "'no-referrer'",
        ...quoteHeaders(securityHeaders),
      },
      // The gateway chooses by the header `Accept`. A client that accepts no page gets one too.
      templates: { 'text/html': page, 'application/json': page },
    });
  }
}

/** The gateway replaces `$context.requestId`. A policy in the page forbids scripts, because headers cannot have quotes. */
function renderPage({
  title,
  explanation,
}: {
  readonly title: string;
  readonly explanation: string;
}): string {
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'">`,
    '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">',
    `<title>${title}</title></head><body><main><h1>${title}</h1><p>${explanation}</p>`,
    `<p>${gatewayPageTexts.requestId}: $context.requestId</p></main></body></html>`,
  ].join('');
}
