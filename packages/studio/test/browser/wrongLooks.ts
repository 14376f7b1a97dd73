import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** At a desk and on a telephone; axe takes its time, and finds in each what the width or the colours do. */
const LOOKS = [
  { width: 1280, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
] as const;
const SERIOUS: readonly unknown[] = ['serious', 'critical'];

const TRANSITIONS_ARE_OVER = `Promise.allSettled(document.getAnimations()
  .filter((each) => each instanceof CSSTransition)
  .map(({ finished }) => finished))`;

/**
 * What is wrong with a page as it stands, wide in light colours and narrow in dark ones: where it goes over the edge, and what axe finds.
 * @param slight whether what axe does not call serious is wrong as well
 */
export async function wrongLooks(page: Page, { slight = false } = {}): Promise<string[]> {
  const wrong: string[] = [];
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe.source);
  for (const { width, colorScheme } of LOOKS) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    // Colours that are on their way to others are none that anybody reads by.
    await page.evaluate(TRANSITIONS_ARE_OVER);
    const over = (await page.evaluate('document.documentElement.scrollWidth - innerWidth')) as number;
    if (over > 0) wrong.push(`at ${width} pixels it goes over the edge by ${over}`);
    const { violations } = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as AxeResults;
    for (const { id, impact, nodes } of violations)
      if (slight || SERIOUS.includes(impact))
        wrong.push(`at ${width} pixels, ${colorScheme}: ${id}: ${nodes.map(({ html }) => html.slice(0, 160))}`);
  }
  return wrong;
}
