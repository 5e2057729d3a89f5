/**
 * Holds the script of the reference pages: search, copy buttons and the memory of the chosen language of samples.
 * - The pages are complete without it. It shows what only works with it.
 * - The search finds what is on the page, and asks no server.
 */

/** The exact content of the page's `<script>` element: the Content-Security-Policy allows it by its hash. */
export const docsScript = `
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
    setTimeout(() => { button.textContent = 'Copy'; status.textContent = ''; }, 2000);
  });
  const box = make('div', { className: 'block' });
  block.before(box);
  box.append(block, button);
}

const input = document.querySelector('#search');
const results = document.querySelector('#results');
const contents = document.querySelector('#contents');
const titleOf = (node) => node.closest('section[id]')?.querySelector('h2,h3')?.textContent ?? '';
let entries;
const allEntries = () => [
  ...find('#contents a').map((link) => [link.textContent, '', link.href]),
  ...find('.fields>div[id]').map((row) => [row.querySelector('code').textContent, titleOf(row), '#' + row.id]),
  ...find('tr[id]').map((row) => [row.querySelector('code').textContent, 'Error', row.querySelector('a').href]),
];
const search = () => {
  entries ??= allEntries();
  const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const rank = ([name]) => (name.toLowerCase().startsWith(words[0]) ? 0 : name.toLowerCase().includes(words[0]) ? 1 : 2);
  const found = entries
    .filter(([name, place]) => words.every((word) => (name + ' ' + place).toLowerCase().includes(word)))
    .sort((one, other) => rank(one) - rank(other));
  contents.hidden = words.length > 0;
  const shown = words.length > 0 ? found.slice(0, 30) : [];
  results.replaceChildren(...shown.map(([name, place, href]) => {
    const item = make('li', {});
    const link = make('a', { href, textContent: name });
    if (place) link.append(make('span', { className: 'kind', textContent: place }));
    item.append(link);
    return item;
  }));
  status.textContent = words.length > 0 ? found.length + (found.length === 1 ? ' result' : ' results') : '';
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
