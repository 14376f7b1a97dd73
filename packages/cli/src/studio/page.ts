import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';
import { asksForRare } from '@replsim/scenario';
import { parseDocument } from 'yaml';
import { InputError, type Io } from '../io.ts';

/** The folder of the built page. @throws InputError if there is none */
export function pageOf({ studioPage }: Pick<Io, 'studioPage'>): string {
  if (studioPage === undefined) throw new InputError('the caller of this command line has not set Io.studioPage');
  const folder = fileURLToPath(studioPage);
  if (!existsSync(new URL('index.html', studioPage)))
    throw new InputError(`the page is not built: there is no index.html in ${folder}; run "npm run build" first`);
  return folder;
}

/** What somebody looks at, as a link of the page says it. */
export interface Looked {
  /** The scenario. */
  readonly text: string;
  readonly seed: number;
  readonly atMicros: number;
}

/** The page in one file, which needs no other and begins with this run. @param folder of the built page */
export function pageWith(folder: string, looked: Looked): string {
  const style = onlyStyle(folder);
  const index = readFileSync(join(folder, 'index.html'), 'utf8');
  const begun = [...index.matchAll(SCRIPT)].map(([, name = '']) => name);
  if (begun.length === 0) throw notOurs(folder);
  const bare = index.replaceAll(SCRIPT, '').replace(/\s*<link rel="stylesheet"[^>]*>/, '');
  // The same as a link that the page makes itself, which no character of HTML stands in.
  const link = deflateSync(JSON.stringify(looked), { level: 9 }).toString('base64url');
  // The page asks for these by name when it needs them: it takes them from here, as this one has nobody to ask.
  const later = [needsWhole(looked.text) ? 'whole.js' : 'core.js', ...BESIDE].filter((name) => !begun.includes(name));
  const packed = later.map((name) => ({ name, script: fileOf(folder, name) }));
  const first = begun.map((name) => inline(fileOf(folder, name)));
  const policy = policyOf([...first, ...packed.map(({ script }) => script)]);
  const head = `<style>${withFonts(style, folder)}</style>\n  </head>`;
  const body = [
    textElement('link', link),
    ...packed.map(({ name, script }) => textElement(name, deflateSync(script, { level: 9 }).toString('base64'))),
    ...first.map((script) => `<script>${script}</script>`),
  ].join('\n    ');
  return bare
    .replace('<head>', () => `<head>\n    <meta http-equiv="Content-Security-Policy" content="${policy}">`)
    .replace('</head>', () => head)
    .replace('</body>', () => `${body}\n  </body>`);
}

/**
 * No script runs but these, whatever names and values of a run say, and nothing is loaded or sent. The simulator works in a worker that is made
 * of a blob; the editor writes style sheets. In a `meta`, `frame-ancestors` would have no effect.
 */
function policyOf(scripts: readonly string[]): string {
  const hashes = scripts.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
  return (
    `default-src 'none'; script-src ${hashes.join(' ')}; worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; ` +
    "base-uri 'none'; form-action 'none'"
  );
}

/** Whether a scenario asks for what `core.js` lacks, perhaps in letters that its text escapes: a page of one file cannot load more. */
function needsWhole(text: string): boolean {
  return asksForRare(text) || asksForRare(JSON.stringify(parseDocument(text)) ?? '');
}

/** What the page begins with, in the order in which it runs. */
const SCRIPT = /\s*<script defer src="(?:\.\/)?([^"?]+)[^>]*><\/script>/g;
/** What it needs of the scripts that lie beside it, but for what plays; scenarios are for whoever chooses one. */
const BESIDE = ['shared.js', 'desk.js', 'editor.js'];

const textElement = (id: string, text: string) => `<script type="text/plain" id="${id}">${text}</script>`;

/** A face of the text lies beside its style sheet, which nobody can ask for here. */
function withFonts(style: string, folder: string): string {
  return style.replace(/url\(["']?\.\/([\w.-]+\.woff2)["']?\)/g, (_, name: string) => {
    const font = readFileSync(join(folder, 'assets', name));
    return `url(data:font/woff2;base64,${font.toString('base64')})`;
  });
}

function onlyStyle(folder: string): string {
  const [name, other] = readdirSync(join(folder, 'assets')).filter((each) => each.endsWith('.css'));
  if (name === undefined || other !== undefined) throw notOurs(folder);
  return fileOf(folder, join('assets', name));
}

function fileOf(folder: string, name: string): string {
  const file = join(folder, name);
  if (!existsSync(file)) throw notOurs(folder);
  return readFileSync(file, 'utf8');
}

const notOurs = (folder: string) =>
  new InputError(`the page in ${folder} is not one that this replsim has built; run "npm run build"`);

/**
 * Nothing in it may end the element in which it stands: in strings and patterns these mean the same. Ends of lines are as the browser reads them,
 * which hashes what it has read.
 */
function inline(script: string): string {
  return script.replace(/<(\/script|!--)/gi, '\\x3C$1').replace(/\r\n?/g, '\n');
}
