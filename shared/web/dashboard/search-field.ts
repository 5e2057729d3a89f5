/** Renders the field of the search, which every page has at its top. */
import { html } from 'hono/html';
import type { Markup } from '../pages/markup.ts';
import type { DashboardContext } from './context.ts';
import { searchBoxTexts as fieldTexts } from './texts.ts';

/** Renders the field, which works without scripts. @param searched the text of the page */
export function renderSearch({ url }: Pick<DashboardContext, 'url'>, searched = ''): Markup {
  return html`<form class="find" role="search" action="${url('/search')}"><input type="search" name="q" dir="auto" value="${searched}" aria-label="${fieldTexts.label}" placeholder="${fieldTexts.label}" title="${fieldTexts.hint}" minlength="2" maxlength="200" required accesskey="/"><button class="plain">${fieldTexts.label}</button></form>`;
}
