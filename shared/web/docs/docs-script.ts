/**
 * Holds the script of the reference pages: search, copy buttons and the memory of the chosen language of samples.
 * - The pages are complete without it. It shows what only works with it.
 * - The search finds what is on the page, and asks no server.
 */
import { indexSections } from '../../base/search-sections.ts';

/** The exact content of the page's `<script>` element: the Content-Security-Policy allows it by its hash. */
export const docsScript = `
const indexSections = ${indexSections};
const find = (selector) => [...document.querySelectorAll(selector)];
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

const input = document.querySelector('#search');
const results = document.querySelector('#results');
const contents = document.querySelector('#contents');
const titleOf = (node) => node.closest('section[id]')?.querySelector('h2,h3')?.textContent ?? '';
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
const allEntries = () => [
  ...find('section[id]').map((section) => {
    const title = section.querySelector('h2,h3').textContent;
    return { title, place: '', href: '#' + section.id, weight: section.matches('.guide') ? 1.75 : section.matches('.operation') ? 1.4 : 1, text: introduction(section) + ' ' + (section.querySelector('.endpoint')?.textContent ?? '') };
  }),
  ...find('.guide :is(h3,h4)[id]').map((heading) =>
    ({ title: heading.textContent, place: titleOf(heading), href: '#' + heading.id, weight: 1.75, text: textAfter(heading) })),
  ...find('.fields>div[id]').map((row) =>
    ({ title: row.querySelector('code').textContent, place: titleOf(row), href: '#' + row.id, text: row.querySelector('dd').textContent })),
  ...find('tr[id]').map((row) =>
    ({ title: row.querySelector('code').textContent, place: 'Error', href: row.querySelector('a').href, text: row.textContent })),
  ...(find('section[id]').length > 0 ? [] : find('#contents a').map((link) => ({ title: link.textContent, place: '', href: link.href, text: '' }))),
];
let findSections;
const search = () => {
  findSections ??= indexSections(allEntries());
  const isAsked = input.value.trim() !== '';
  const found = isAsked ? findSections(input.value) : [];
  contents.hidden = isAsked;
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
input.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') clear();
  if (event.key === 'Enter') results.querySelector('a')?.click();
  if (event.key === 'ArrowDown') { event.preventDefault(); results.querySelector('a')?.focus(); }
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
