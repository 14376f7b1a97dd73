import type { Locator, Page } from 'playwright-core';

/** Chooses one of several: the control opens a list. @param label of the control */
export async function choose(page: Page, label: string | RegExp, option: string): Promise<void> {
  await chosenOf(page, label).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

/** The control, whose text is what is chosen. */
export function chosenOf(page: Page, label: string | RegExp): Locator {
  return page.getByRole('combobox', typeof label === 'string' ? { name: label, exact: true } : { name: label });
}

/** Opens the drawer with the text, unless it is open. */
export async function openText(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'text', exact: true });
  if ((await button.getAttribute('aria-pressed')) === 'false') await button.click();
}
