import type { Browser, Page } from 'playwright-core';

/** Notes when an element is there first, from the beginning of the navigation. @param selector in CSS */
const noteFirst = (selector: string) => `{
  const look = () => {
    if (!document.querySelector(${JSON.stringify(selector)})) return false;
    // Behind the frame that shows it.
    requestAnimationFrame(() => setTimeout(() => { globalThis.firstMs ??= performance.now(); }));
    return true;
  };
  const observer = new MutationObserver(() => look() && observer.disconnect());
  observer.observe(document, { subtree: true, childList: true, attributes: true });
}`;

/** How long it takes from the navigation until the start page's button can be pressed: its set has been played by then. Unit: ms. */
export async function startPageMs(browser: Browser, href: string): Promise<number> {
  const page = await withNote(browser, '.deed:enabled');
  await page.goto(href);
  return noted(page);
}

/** The same of a page with nothing but a button: what the browser itself needs. Unit: ms. */
export async function emptyPageMs(browser: Browser): Promise<number> {
  const page = await withNote(browser, 'button');
  await page.goto('data:text/html,<button>press</button>');
  return noted(page);
}

async function withNote(browser: Browser, selector: string): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  await page.addInitScript(noteFirst(selector));
  return page;
}

async function noted(page: Page): Promise<number> {
  await page.waitForFunction('globalThis.firstMs !== undefined', undefined, { timeout: 120_000 });
  return (await page.evaluate('firstMs')) as number;
}
