import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { allPages } from './pages.ts';
import { assets } from './places.ts';
import { root } from './repository.ts';
import { sidebar } from './sidebar.ts';

// Writes the pages that VitePress makes the site of: `npm run docs:build` at the root.
const out = join(root, 'site/dist');
const pages = await allPages();

rmSync(join(out, 'pages'), { recursive: true, force: true });
for (const { path, text } of pages) write(`pages/${path}`, text);
write('sidebar.json', JSON.stringify(sidebar(pages), undefined, 2));
for (const [from, to] of assets) {
  mkdirSync(join(out, 'pages/public'), { recursive: true });
  copyFileSync(join(root, from), join(out, 'pages/public', to));
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(out, path)), { recursive: true });
  writeFileSync(join(out, path), `${text.trimEnd()}\n`);
}
