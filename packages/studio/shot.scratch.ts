import { readFileSync } from 'node:fs';
import { toFragment } from './src/core/edit/fragment.ts';
import { launchChromium } from './test/browser/chromium.ts';
const S = (f: string) => readFileSync(`/work/wt/shell/scenarios/${f}.yaml`, 'utf8');
const fifty = `name: Fifty\nreplicaSet: { members: [${Array.from({ length: 50 }, (_, i) => `{ name: n${i + 1}, votes: ${i < 7 ? 1 : 0}, priority: ${i < 7 ? 1 : 0} }`).join(', ')}] }\nsteps:\n  - advance: 5s\n`;
const W = { width: 1280, height: 800 }, P = { width: 390, height: 844 }, L = { width: 1600, height: 1000 };
const all: Record<string, [any, any, string, ((p: any) => Promise<void>)?]> = {
  failover: [{ text: S('election/failover-on-kill'), atMicros: 21_150_000, member: 'n2' }, W, 'light', async (p) => { await p.getByRole('button', { name: 'why not primary?' }).click(); await p.locator('.why li').first().waitFor(); }],
  opens: [{ text: S('election/failover-on-kill'), atMicros: 0 }, W, 'dark'],
  rollback: [{ text: S('lessons/05-what-a-rollback-takes-away'), atMicros: 36_000_000 }, L, 'light'],
  lesson: [{ text: S('lessons/02-how-an-election-goes'), atMicros: 0, reading: 'lesson' }, W, 'light', async (p) => { const n = p.getByRole('button', { name: 'next ▸' }); const a = p.locator('.lesson').getByRole('button', { name: 'show me' }); await n.waitFor(); for (let i = 0; i < 20 && !(await a.isVisible()); i++) await n.click(); }],
  compare: [{ text: S('election/failover-on-kill'), atMicros: 15_000_000 }, W, 'light', async (p) => { await p.getByRole('button', { name: 'compare' }).click(); await p.getByRole('table', { name: /figures/i }).waitFor(); }],
  mistake: [{ text: S('election/failover-on-kill').replace('kill: primary', 'kil: primary'), atMicros: 0 }, W, 'light', async (p) => { await p.getByRole('button', { name: 'text', exact: true }).click(); await p.locator('.cm-content').waitFor(); }],
  fifty: [{ text: fifty, atMicros: 5_000_000, member: 'n9' }, W, 'light'],
  phone: [{ text: S('election/failover-on-kill'), atMicros: 21_150_000, member: 'n2' }, P, 'light', async (p) => { await p.getByRole('button', { name: 'kill', exact: true }).click(); await p.waitForTimeout(1500); }],
  phonelesson: [{ text: S('lessons/02-how-an-election-goes'), atMicros: 0, reading: 'lesson' }, P, 'dark', async (p) => { const n = p.getByRole("button", { name: "next ▸" }); await n.waitFor(); for (let i = 0; i < 4 && await n.isEnabled(); i++) await n.click(); }],
  data: [{ text: S('ttl/lagging-member-shows-documents-longer'), atMicros: 100_000_000, member: 'n3' }, W, 'dark', async (p) => { await p.getByRole('tab', { name: 'data' }).click(); await p.locator('.mark.late').first().waitFor(); }],
  kill: [{ text: S('election/failover-on-kill'), atMicros: 15_000_000, member: 'n3' }, W, 'light', async (p) => { await p.getByRole('button', { name: 'kill', exact: true }).click(); await p.waitForTimeout(2500); }],
};
const names = process.argv.slice(2);
const browser = await launchChromium();
for (const name of names.length ? names : Object.keys(all)) {
  const [link, viewport, colorScheme, reach] = all[name]!;
  const page = await (await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' })).newPage();
  page.setDefaultTimeout(50000);
  page.on('pageerror', (e) => console.log(name, 'ERR', String(e).slice(0, 400)));
  page.on('console', (m) => m.type() === 'error' && console.log(name, 'console', m.text().slice(0, 300)));
  try {
    await page.goto(`file:///work/wt/shell/.scratch/site/index.html#${toFragment(link)}`);
    await page.locator('.verdict.held, .verdict.failed, .lesson').first().waitFor();
    await page.waitForTimeout(300);
    await reach?.(page);
    await page.waitForTimeout(300);
  } catch (e) { console.log(name, String(e).slice(0, 300)); }
  await page.screenshot({ path: `/work/wt/shell/.scratch/${name}.png` });
  await page.context().close();
}
await browser.close();
