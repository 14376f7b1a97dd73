import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';

/** What tests that held have left, by what it was made with. */
const left = new WeakMap<Browser, Map<string, Page[]>>();

/**
 * A page for the test that runs, as it is in a fresh profile: nothing is kept from before. If a test has left one, it is that: its scripts are
 * compiled, its process runs, and its worker has played. What that test looked at is still shown: `goTo` puts a fresh one in its place.
 */
export async function lentPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const pages = left.get(browser) ?? new Map<string, Page[]>();
  left.set(browser, pages);
  // The others can be changed later.
  const { viewport: _viewport, colorScheme: _colorScheme, reducedMotion: _reducedMotion, ...made } = options;
  const key = JSON.stringify(made);
  const page = await lent(browser, pages.get(key) ?? [], options);
  onTestFinished(async ({ task }) => {
    // Nobody knows in what state a test leaves a page that fails half way.
    if (task.result?.state === 'pass' && !page.isClosed()) pages.set(key, [...(pages.get(key) ?? []), page]);
    else await page.context().close();
  });
  return page;
}

/** One of those that are left, as new, or a new one. */
async function lent(browser: Browser, pages: Page[], options: BrowserContextOptions): Promise<Page> {
  for (;;) {
    const page = pages.pop();
    if (!page) return (await browser.newContext(options)).newPage();
    if (await isAsNew(page, options)) return page;
    await page.context().close();
  }
}

/** Takes away all that a test may have done to a page. @returns false if that cannot be */
async function isAsNew(page: Page, { viewport, colorScheme, reducedMotion }: BrowserContextOptions): Promise<boolean> {
  try {
    for (const event of ['console', 'dialog', 'pageerror', 'request', 'response']) page.removeAllListeners(event);
    await page.unrouteAll();
    // An empty page has no storage.
    await page.evaluate('try { localStorage.clear(); sessionStorage.clear(); scrollTo(0, 0) } catch {}');
    await page.mouse.move(0, 0);
    await page.emulateMedia({ colorScheme: colorScheme ?? 'light', reducedMotion: reducedMotion ?? 'no-preference' });
    await page.setViewportSize(viewport ?? { width: 1280, height: 720 });
    return true;
  } catch {
    return false;
  }
}

/**
 * Opens an address. A link in a page that is there already opens as for somebody who goes back or forth: another page in the place of the one that
 * is shown, of which nothing stays, but nothing loads. That takes a third of the time.
 */
export async function goTo(page: Page, address: string): Promise<void> {
  const [file, fragment] = address.split('#');
  if (fragment === undefined || page.url().split('#')[0] !== file) {
    // The same address would be a reload, which scrolls to where the page was.
    await page.goto('about:blank');
    await page.goto(address);
    return;
  }
  await page.evaluate(`new Promise((gone) => {
    const before = document.querySelector('main');
    history.pushState(undefined, '', '#${fragment}');
    dispatchEvent(new PopStateEvent('popstate'));
    const look = () => (before?.isConnected ? requestAnimationFrame(look) : gone());
    look();
  })`);
}
