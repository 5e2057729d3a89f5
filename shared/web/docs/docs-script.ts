/**
 * Holds the script of the reference pages: search, copy buttons and the memory of the chosen language of samples.
 * - The pages are complete without it. It shows what only works with it.
 * - The search finds what is on all pages of the menu. It reads the others once, when the reader begins.
 * - An address with the fragment of another page leads to that page.
 */
import { indexSections } from '../../base/search-sections.ts';

/** The exact content of the page's `<script>` element: the Content-Security-Policy allows it by its hash. */
export const docsScript = `
const indexSections = ${indexSections};
const find = (selector, root = document) => [...root.querySelectorAll(selector)];
const pageOf = (link) => link.href.split('#')[0];

const followFragment = () => {
  const id = location.hash.slice(1).replaceAll('%20', ' ');
  if (!id || document.getElementById(id)) return;
  const link = find('#contents a').find((each) => each.hash === '#' + id.split(/[.-]/)[0] || each.textContent === id);
  if (link) location.replace(pageOf(link) + (link.hash && location.hash));
};
followFragment();
addEventListener('hashchange', followFragment);

const make = (tag, fields) => Object.assign(document.createElement(tag), fields);

const stored = 'remit-samples';
try {
  const chosen = localStorage.getItem(stored);
  for (const radio of find('[name=samples]')) {
    if (radio.id === chosen) radio.checked = true;
    radio.addEventListener('change', () => localStorage.setItem(stored, radio.id));
  }
} catch {}

const status = document.querySelector('#status');
for (const block of navigator.clipboard ? find('pre') : []) {
  const button = make('button', { type: 'button', className: 'copy', textContent: 'Copy' });
  button.setAttribute('aria-label', 'Copy: ' + block.getAttribute('aria-label'));
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.textContent);
    button.textContent = status.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
      // The search may have written there meanwhile.
      if (status.textContent === 'Copied') status.textContent = '';
    }, 2000);
  });
  const box = make('div', { className: 'block' });
  block.before(box);
  box.append(block, button);
}

const input = document.querySelector('#searched');
const results = document.querySelector('#results');
const contents = document.querySelector('#contents');
const titleOf = (node) => node.closest('section[id]')?.querySelector('h1,h2,h3')?.textContent ?? '';
const textAfter = (heading) => {
  const texts = [];
  for (let node = heading.nextElementSibling; node && !/^H[1-6]$/.test(node.tagName); node = node.nextElementSibling)
    texts.push(node.querySelector('h3[id],h4[id]') ? node.firstElementChild?.textContent : node.querySelector('tr[id]') ? '' : node.textContent);
  return texts.join(' ');
};
const introduction = (section) => {
  const [first] = section.querySelectorAll('.prose>:is(p,h3)');
  if (first?.tagName !== 'P') return '';
  return first.textContent + ' ' + textAfter(first);
};
const entriesOf = (root, page) => [
  ...find('section[id]', root).map((section) => {
    const title = section.querySelector('h1,h2,h3').textContent;
    return { title, place: '', href: page + '#' + section.id, weight: section.matches('.guide') ? 1.75 : section.matches('.operation') ? 1.4 : 1, text: introduction(section) + ' ' + (section.querySelector('.endpoint')?.textContent ?? '') };
  }),
  ...find('.guide :is(h3,h4)[id]', root).map((heading) =>
    ({ title: heading.textContent, place: titleOf(heading), href: page + '#' + heading.id, weight: 1.75, text: textAfter(heading) })),
  ...find('.fields>div[id]', root).map((row) =>
    ({ title: row.querySelector('code').textContent, place: titleOf(row), href: page + '#' + row.id, text: row.querySelector('dd').textContent })),
  ...find('tr[id]', root).map((row) =>
    ({ title: row.querySelector('code').textContent, place: 'Error', href: row.querySelector('a').href, text: row.textContent })),
];
const menuEntries = (page) => find('#contents a').filter((link) => !page || pageOf(link) === page)
  .map((link) => ({ title: link.textContent, place: '', href: link.href, text: '' }));
const readEntries = async (page) => {
  if (page === pageOf(location)) return entriesOf(document, '');
  try {
    const response = await fetch(page);
    if (!response.ok) return menuEntries(page);
    return entriesOf(new DOMParser().parseFromString(await response.text(), 'text/html'), page);
  } catch {
    return menuEntries(page);
  }
};
const makeIndex = async () => {
  const pages = [...new Set(find('#contents .page').map(pageOf))];
  if (pages.length > 0) return indexSections((await Promise.all(pages.map(readEntries))).flat());
  const own = entriesOf(document, '');
  return indexSections(own.length > 0 ? own : menuEntries());
};
let index;
const search = async () => {
  contents.hidden = input.value.trim() !== '';
  const findSections = contents.hidden ? await (index ??= makeIndex()) : () => [];
  // The reader may have written more while the pages arrived.
  const isAsked = input.value.trim() !== '';
  const found = isAsked ? findSections(input.value) : [];
  results.replaceChildren(...found.slice(0, 30).map(({ title, place, href }) => {
    const item = make('li', {});
    const link = make('a', { href, textContent: title });
    if (place) link.append(make('span', { className: 'kind', textContent: place }));
    item.append(link);
    return item;
  }));
  const hint = found.length > 0 ? '' : '. Use other words, such as the name of a field or an error code.';
  status.textContent = isAsked ? found.length + (found.length === 1 ? ' result' : ' results') + hint : '';
};
const clear = () => { input.value = ''; search(); };
input.addEventListener('input', search);
input.addEventListener('focus', () => { index ??= makeIndex(); });
input.addEventListener('keydown', async (event) => {
  if (event.key === 'Escape') return clear();
  if (event.key !== 'Enter' && event.key !== 'ArrowDown') return;
  event.preventDefault();
  await search();
  const first = results.querySelector('a');
  if (event.key === 'Enter') first?.click();
  else first?.focus();
});
results.addEventListener('keydown', (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === 'Escape') { clear(); input.focus(); }
  if (!step) return;
  event.preventDefault();
  const links = find('#results a');
  (links[links.indexOf(document.activeElement) + step] ?? input).focus();
});
const menu = document.querySelector('#menu');
const closeMenu = (event) => { if (event.target.closest('a[href*="#"]')) menu.checked = false; };
results.addEventListener('click', (event) => { closeMenu(event); if (event.target.closest('a')) clear(); });
contents.addEventListener('click', closeMenu);
document.addEventListener('keydown', (event) => {
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) && event.target.type !== 'radio';
  if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  menu.checked = true;
  input.focus();
});
document.querySelector('#find').hidden = false;
`;
