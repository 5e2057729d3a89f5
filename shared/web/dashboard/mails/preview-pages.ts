/** Shows each kind of mail as its readers get it. Sends nothing. */
import { html } from 'hono/html';
import { isMailOn, mailKinds } from '../../../domain/accounts/mail-settings.ts';
import { isNoticeKind, noticeKinds, noticesOf } from '../../../domain/accounts/notice-settings.ts';
import type { Markup } from '../../pages/markup.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage } from '../definitions.ts';
import { renderBadge, renderDefinitions } from '../elements.ts';
import { mailKindTexts } from '../invoices/mail-texts.ts';
import { renderButtonLink, renderCode } from '../records/record-elements.ts';
import {
  kindIn,
  type PreviewKind,
  type PreviewSources,
  readPreviewSources,
  renderPreview,
} from './preview-mail.ts';
import { previewTexts } from './preview-texts.ts';

const path = '/mails/preview';
const framePath = `${path}/frame`;

const previewPage: DashboardPage = {
  path,
  ability: 'account:read',
  handle: async ({ context, query }) => {
    const kind = kindIn(query);
    const sources = await readPreviewSources(requestOwnerOf({ context }), context.now);
    const { subject, text } = await renderPreview(kind, sources, context);
    const rows: [string, Markup][] = [
      [previewTexts.state, renderState(kind, sources)],
      [previewTexts.subject, html`<bdi>${subject}</bdi>`],
    ];
    return {
      title: previewTexts.title,
      section: 'settings',
      aside: renderButtonLink(context.url('/mails'), previewTexts.list),
      content: html`<p class="soft">${previewTexts.explanation}</p>
${renderKinds(context, previewTexts.customers, mailKinds, kind)}
${renderKinds(context, previewTexts.merchant, noticeKinds, kind)}
<section class="card"><h2>${mailKindTexts[kind]}</h2>${renderDefinitions(rows)}</section>
<div class="mail"><section class="card"><h2>${previewTexts.html}</h2><iframe title="${previewTexts.frame}" src="${context.url(framePath)}?kind=${kind}" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe></section>
<section class="card"><h2>${previewTexts.text}</h2>${renderCode(previewTexts.text, text)}</section></div>`,
    };
  },
};

const previewFrame: DashboardPage = {
  path: framePath,
  ability: 'account:read',
  handle: async ({ context, query }) => {
    const sources = await readPreviewSources(requestOwnerOf({ context }), context.now);
    return { frame: (await renderPreview(kindIn(query), sources, context)).html };
  },
};

export const mailPreviewPages: readonly DashboardPage[] = [previewPage, previewFrame];

function renderKinds(
  { url }: DashboardContext,
  label: string,
  kinds: readonly PreviewKind[],
  chosen: PreviewKind,
): Markup {
  const links = kinds.map(
    (kind) =>
      html`<li><a href="${url(path)}?kind=${kind}"${kind === chosen && html` aria-current="page"`}>${mailKindTexts[kind]}</a></li>`,
  );
  return html`<nav class="kinds" aria-label="${label}"><h2>${label}</h2><ul>${links}</ul></nav>`;
}

function renderState(kind: PreviewKind, { account }: PreviewSources): Markup {
  const isOn = account && (isNoticeKind(kind) ? noticesOf(account).includes(kind) : isMailOn(account, kind));
  return isOn ? renderBadge(previewTexts.on, 'good') : renderBadge(previewTexts.off);
}
