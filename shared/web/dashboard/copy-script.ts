/** The only script of the dashboard: it makes the copy buttons work. Without it, the texts can be selected. */

export const copyScriptPath = '/copy.js';

/** Shows the buttons. A click copies the button's text and says so for two seconds. */
export const copyScript = `for (const button of document.querySelectorAll('button[data-copy][hidden]')) {
  const name = button.textContent;
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = button.dataset.done;
    setTimeout(() => {
      button.textContent = name;
    }, 2000);
  });
}
`;
