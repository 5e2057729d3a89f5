/** The only script of the payment page, on the page with payment instructions. Nothing needs it: without it, there are no copy buttons. */

/**
 * A click on a copy button copies the value beside it, or the form of it that a bank takes, and says so for two seconds, also to screen
 * readers. If the browser refuses, the value is selected.
 */
const script = `
const status = document.querySelector('[role=status]');
for (const button of document.querySelectorAll('.copy')) {
  const name = button.textContent;
  const value = button.previousElementSibling;
  const { copy } = button.dataset;
  button.hidden = false;
  button.onclick = async () => {
    let said = status.dataset.copied;
    try {
      await navigator.clipboard.writeText(copy ?? value.textContent);
    } catch {
      said = status.dataset.selected;
      if (copy) value.textContent = copy;
      getSelection().selectAllChildren(value);
    }
    button.textContent = status.textContent = said;
    setTimeout(() => {
      button.textContent = name;
      status.textContent = '';
    }, 2000);
  };
}
`;

/** The exact text of the page's only `<script>` element. The page's policy allows it by its hash. */
export const copyScript = script.replace(/\n\s*/g, '\n');
