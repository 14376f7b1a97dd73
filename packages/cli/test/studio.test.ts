import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inflateSync } from 'node:zlib';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { ExitCodes } from '../src/io.ts';
import { main } from '../src/main.ts';
import { testIo } from './io.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'replsim-studio-'));
  const scripts = ['base', 'index'].map((name) => `<script defer src="./${name}.js?1a2b"></script>`);
  write('page/index.html', `<html><head>${scripts.join('')}</head><body>the page</body></html>`);
  write('page/base.js', 'begin();');
  write('page/index.js', 'show();');
  write('page/assets/page.css', 'p {}');
  write('page/shared.js', 'share();');
  write('page/desk.js', 'look();');
  write('page/editor.js', 'edit();');
  write('page/core.js', 'play();');
  write('scenarios/a.yaml', scenario('The first'));
  write('scenarios/deep/b.yaml', scenario('The second'));
  write('scenarios/broken.yaml', 'steps: nonsense\n');
  write('scenarios/a.transcript', 'no scenario\n');
  write('secret.yaml', scenario('None of the folder'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const scenario = (name: string) => `name: ${name}\nsteps:\n  - advance: 20s\n  - expect: { primary: any }\n`;

function write(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const textOf = (name: string) => readFileSync(join(folder, name), 'utf8');

/** `replsim studio` with these arguments. @returns its address, once it is open, and Ctrl-C */
async function opened(...args: readonly string[]): Promise<{ address: string; interrupt: () => Promise<number> }> {
  const io = testIo();
  let stop = () => {};
  let ended: Promise<number> | undefined;
  const address = await new Promise<string>((resolve, reject) => {
    ended = main(['studio', ...args], {
      ...io,
      err: io.err,
      studioPage: pathToFileURL(`${folder}/page/`),
      out: (text) => void (text.startsWith('http') && resolve(text.trim())),
      onInterrupt: (interrupt) => {
        stop = interrupt;
      },
    });
    ended.then((code) => reject(new Error(`studio ended with ${code}: ${io.stderr}`)), reject);
  });
  const interrupt = () => {
    stop();
    return ended!;
  };
  onTestFinished(async () => void (await interrupt()));
  return { address, interrupt };
}

/** As whoever is no browser may: with any header, and a path that nobody has straightened. */
async function raw(
  address: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode!, text }));
    })
      .on('error', reject)
      .end();
  });
}

test('the page is served, told that there are files, on the loopback and with a token in its address', async () => {
  const { address, interrupt } = await opened(join(folder, 'scenarios'));
  expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/$/);
  const page = await fetch(address);
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('access-control-allow-origin')).toBeNull();
  expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(page.headers.get('referrer-policy')).toBe('no-referrer');
  expect(await page.text()).toMatch(/<head>.*<meta name="replsim-door">.*<\/head><body>the page/);
  const script = await fetch(`${address}index.js?1a2b`);
  expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(await script.text()).toBe('show();');
  // Not those of the network.
  const others = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  for (const { address: ip, family } of others.filter((each) => each.address !== '127.0.0.1' && !each.scopeid)) {
    const elsewhere = Object.assign(new URL(address), { hostname: family === 'IPv6' ? `[${ip}]` : ip });
    await expect(fetch(elsewhere), ip).rejects.toThrow();
  }
  // Without the slash at the end the page would not find its files.
  expect((await fetch(address.slice(0, -1))).url).toBe(address);
  const other = await opened(join(folder, 'scenarios'));
  expect(new URL(other.address).pathname).not.toBe(new URL(address).pathname);
  expect(await interrupt()).toBe(ExitCodes.ok);
  await expect(fetch(address)).rejects.toThrow();
});

test('without the token there is nothing, not even what is not there', async () => {
  const { address } = await opened(join(folder, 'scenarios'));
  const { origin, pathname } = new URL(address);
  for (const path of ['/', '/scenarios.json', '/nothing', `/${'0'.repeat(32)}/scenarios.json`, pathname.slice(0, -2)]) {
    const refused = await fetch(origin + path);
    expect(refused.status, path).toBe(403);
    expect(await refused.text()).toContain('use the whole address that replsim studio printed');
  }
});

test('other hosts and pages from elsewhere are refused', async () => {
  const { address } = await opened(join(folder, 'scenarios'));
  const { host, port, pathname } = new URL(address);
  const list = `${pathname}scenarios.json`;
  const status = async (headers: Record<string, string>) => (await raw(address, list, headers)).status;
  // A name that somebody has made to mean this machine.
  expect(await raw(address, list, { Host: `evil.example:${port}` })).toEqual({
    status: 403,
    text: `replsim studio answers as ${host} or localhost:${port}, and not as "evil.example:${port}"\n`,
  });
  for (const Host of ['127.0.0.1', `127.0.0.1:${Number(port) + 1}`, `${host}.evil.example`])
    expect(await status({ Host }), Host).toBe(403);
  expect(await raw(address, list, { Origin: 'https://evil.example' })).toEqual({
    status: 403,
    text: 'replsim studio answers only its own page, not one of https://evil.example\n',
  });
  for (const Origin of ['null', `https://${host}`, `http://localhost:${port}`, 'http://127.0.0.1'])
    expect(await status({ Origin }), Origin).toBe(403);
  for (const site of ['cross-site', 'same-site'])
    expect(await status({ 'Sec-Fetch-Site': site, 'Sec-Fetch-Mode': 'no-cors' }), site).toBe(403);
  expect(await status({ Origin: `http://${host}`, 'Sec-Fetch-Site': 'same-origin' })).toBe(200);
  expect(await status({ Host: `localhost:${port}`, Origin: `http://localhost:${port}` })).toBe(200);
  expect(await status({ 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' })).toBe(200);
  expect(await fetch(address, { method: 'OPTIONS' }).then((reply) => reply.status)).toBe(405);
});

test('the scenarios are listed, with their names where they have no mistakes, and read', async () => {
  const { address } = await opened(join(folder, 'scenarios'));
  const listed = async () => (await (await fetch(`${address}scenarios.json`)).json()) as unknown[];
  expect(await listed()).toEqual([
    { path: 'a.yaml', name: 'The first' },
    { path: 'broken.yaml', name: 'broken.yaml' },
    { path: 'deep/b.yaml', name: 'The second' },
  ]);
  expect(await (await fetch(`${address}scenario?path=deep/b.yaml`)).text()).toBe(scenario('The second'));
  write('scenarios/a.yaml', scenario('Renamed'));
  expect((await listed())[0]).toEqual({ path: 'a.yaml', name: 'Renamed' });
});

test('one file is a list of one', async () => {
  const { address } = await opened(join(folder, 'secret.yaml'));
  const list = await (await fetch(`${address}scenarios.json`)).json();
  expect(list).toEqual([{ path: 'secret.yaml', name: 'None of the folder' }]);
  expect((await fetch(`${address}scenario?path=secret.yaml`)).status).toBe(200);
  expect((await fetch(`${address}scenario?path=scenarios/a.yaml`)).status).toBe(404);
});

test('without a path it is the folder scenarios, and where there is none the page alone', async () => {
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(folder);
  const list = async () => (await fetch(`${(await opened()).address}scenarios.json`)).json();
  expect(await list()).toHaveLength(3);
  process.chdir(join(folder, 'page'));
  expect(await list()).toEqual([]);
});

test('nothing outside the list is read or written, by whatever name', async () => {
  symlinkSync(join(folder, 'secret.yaml'), join(folder, 'scenarios/link.yaml'));
  mkdirSync(join(folder, 'scenarios/folder.yaml'));
  const { address } = await opened(join(folder, 'scenarios'));
  const { pathname } = new URL(address);
  const secret = join(folder, 'secret.yaml');
  const names = [
    '../secret.yaml',
    'deep/../../secret.yaml',
    secret,
    'link.yaml',
    'folder.yaml',
    'a.transcript',
    '',
    'a',
  ];
  for (const name of [...names, './a.yaml', 'deep\\b.yaml', '../page/index.html', 'a.yaml\0']) {
    const url = `${address}scenario?path=${encodeURIComponent(name)}`;
    const reading = await fetch(url);
    expect(reading.status, name).toBe(404);
    expect(await reading.text()).toBe(`no scenario "${name}" is in the list\n`);
    const writing = await fetch(url, { method: 'PUT', body: 'gone', headers: { 'If-Match': '"0"' } });
    expect(writing.status, name).toBe(404);
  }
  for (const path of ['../secret.yaml', '..%2fsecret.yaml', 'assets/../../secret.yaml', '%2e%2e/%2e%2e/secret.yaml']) {
    const { status, text } = await raw(address, pathname + path);
    expect([403, 404], path).toContain(status);
    expect(text).not.toContain('None of the folder');
  }
  expect(await raw(address, `${pathname}nothing`)).toEqual({
    status: 404,
    text: 'there is nothing with that name here\n',
  });
  expect(textOf('secret.yaml')).toBe(scenario('None of the folder'));
});

test('a scenario is saved over the text that was read, and over no other', async () => {
  const { address } = await opened(join(folder, 'scenarios'));
  const url = `${address}scenario?path=a.yaml`;
  const put = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) =>
    fetch(url, { method: 'PUT', body, headers });
  const version = (await fetch(url)).headers.get('etag')!;
  const saved = await put(scenario('Größer'), { 'If-Match': version });
  expect(saved.status).toBe(204);
  expect(textOf('scenarios/a.yaml')).toBe(scenario('Größer'));
  expect((await fetch(url)).headers.get('etag')).toBe(saved.headers.get('etag'));
  const late = await put(scenario('Late'), { 'If-Match': version });
  expect(late.status).toBe(412);
  expect(await late.text()).toBe('a.yaml has changed on disk, so it was not overwritten\n');
  expect((await put(scenario('Blind'), {})).status).toBe(428);
  const now = { 'If-Match': saved.headers.get('etag')! };
  expect((await put(new Uint8Array([0xff, 0xfe]), now)).status).toBe(400);
  expect((await put(scenario('Foreign'), { ...now, Origin: 'https://evil.example' })).status).toBe(403);
  expect((await put('x'.repeat(33 * 1024 * 1024), now).catch(() => ({ status: 413 }))).status).toBe(413);
  expect(textOf('scenarios/a.yaml')).toBe(scenario('Größer'));
  const page = await fetch(address, { method: 'PUT', body: 'gone' });
  expect([page.status, page.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

/** What the door announces, one after the other. */
async function announcements(address: string): Promise<() => Promise<unknown>> {
  const { body, headers } = await fetch(`${address}events`);
  expect(headers.get('content-type')).toBe('text/event-stream');
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  let unread = '';
  return async () => {
    for (;;) {
      const found = /event: changed\ndata: (.*)\n\n/.exec(unread);
      if (found) {
        unread = unread.slice(found.index + found[0].length);
        return JSON.parse(found[1]!);
      }
      const { value, done } = await reader.read();
      if (done) throw new Error('the door is closed');
      unread += value;
    }
  };
}

test('whoever asks only for the head of the announcements has it all, and may ask on', async () => {
  const { address } = await opened(join(folder, 'scenarios'));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const status = (method: string, name: string) =>
    new Promise((resolve, reject) => {
      const asked = request(`${address}${name}`, { method, agent }, (response) =>
        response.resume().on('end', () => resolve(response.statusCode)),
      );
      asked.on('error', reject).end();
    });
  expect(await status('HEAD', 'events')).toBe(200);
  // On the same connection, where answers come one after the other.
  expect(await status('GET', 'scenarios.json')).toBe(200);
});

test('what is saved on disk, by whatever way, is announced', async () => {
  const { address, interrupt } = await opened(join(folder, 'scenarios'));
  const next = await announcements(address);
  write('scenarios/deep/b.yaml', scenario('Changed'));
  expect(await next()).toEqual({ path: 'deep/b.yaml' });
  // As editors do it that lose nothing.
  renameSync(write('scenarios/new', scenario('Replaced')), join(folder, 'scenarios/a.yaml'));
  expect(await next()).toEqual({ path: 'a.yaml' });
  rmSync(join(folder, 'scenarios/broken.yaml'));
  expect(await next()).toEqual({ path: 'broken.yaml' });
  // Who listens does not hold it.
  expect(await interrupt()).toBe(ExitCodes.ok);
  await expect(next()).rejects.toThrow();
});

test('of a single file too', async () => {
  const { address } = await opened(join(folder, 'scenarios/a.yaml'));
  const next = await announcements(address);
  write('scenarios/a.yaml', scenario('Changed'));
  expect(await next()).toEqual({ path: 'a.yaml' });
});

test('what is wrong is told before anything is open', async () => {
  const studioPage = pathToFileURL(`${folder}/page/`);
  const said = async (io: object, ...args: string[]) => {
    const kept = testIo();
    const code = await main(['studio', ...args], { ...kept, ...io });
    expect(kept.stdout).toBe('');
    return [code, kept.stderr];
  };
  const [missing, empty] = [join(folder, 'missing'), join(folder, 'page/assets')];
  expect(await said({ studioPage }, missing)).toEqual([
    ExitCodes.badInput,
    `${missing}: no such file or folder; replsim list FOLDER shows which scenarios there are\n`,
  ]);
  expect(await said({ studioPage }, empty)).toEqual([
    ExitCodes.badInput,
    expect.stringContaining(`${empty}: no scenarios here; they are files that end in .yaml or .yml`),
  ]);
  expect(await said({ studioPage: pathToFileURL(`${folder}/scenarios/`) }, join(folder, 'scenarios'))).toEqual([
    ExitCodes.badInput,
    `the page is not built: there is no index.html in ${folder}/scenarios/; run "npm run build" first\n`,
  ]);
  const { port } = new URL((await opened(join(folder, 'scenarios'))).address);
  expect(await said({ studioPage }, join(folder, 'scenarios'), '--port', port)).toEqual([
    ExitCodes.badInput,
    `port ${port} of 127.0.0.1 is taken: choose another with --port, or leave it out for one that is free\n`,
  ]);
});

test('run --html writes one file, and only for one run', async () => {
  const studioPage = pathToFileURL(`${folder}/page/`);
  write('page/assets/page.css', 'p { color: red; src: url(./face-1a.woff2) format("woff2") }');
  write('page/assets/face-1a.woff2', 'face');
  write('page/index.js', 'const end = "</script><!-- $& -->";');
  const file = join(folder, 'shown.yaml');
  write('shown.yaml', 'name: Shown\nsteps:\n  - advance: 20s\n  - expect: { primary: any }\n');
  const out = join(folder, 'shown.html');
  const told = async (...args: string[]) => {
    const kept = testIo();
    const code = await main(['run', ...args], { ...kept, studioPage });
    return [code, kept.stderr] as const;
  };
  expect(await told(file, '--html', out)).toEqual([0, '']);
  const page = readFileSync(out, 'utf8');
  expect(page).toContain('<style>p { color: red; src: url(data:font/woff2;base64,ZmFjZQ==) format("woff2") }</style>');
  expect(page).toContain('const end = "\\x3C/script>\\x3C!-- $& -->";');
  expect(page.indexOf('<script>begin();</script>')).toBeLessThan(page.indexOf('<script>const end'));
  // The simulator and the rest of the page are inside before the page asks for them, packed.
  const beside = { 'shared.js': 'share();', 'desk.js': 'look();', 'editor.js': 'edit();' };
  expect(insideOf(page)).toEqual({ 'core.js': 'play();', ...beside });
  expect(page.match(/<\/script>/g)).toHaveLength(7);
  expect(page).not.toContain('src="');
  expect(page).not.toContain('assets/');
  // What knows of places instead, where the run asks for them.
  write('page/whole.js', 'whole();');
  write('placed.yaml', `${readFileSync(file, 'utf8')}  - createIndex: { in: app.p, keys: { at: 2dsphere } }\n`);
  const placed = join(folder, 'placed.html');
  expect(await told(join(folder, 'placed.yaml'), '--html', placed)).toEqual([0, '']);
  expect(insideOf(readFileSync(placed, 'utf8'))).toEqual({ 'whole.js': 'whole();', ...beside });
  // Also where the text says so in other letters.
  write('hidden.yaml', `${readFileSync(file, 'utf8')}  - createIndex: { in: app.p, keys: { at: "2\\x64sphere" } }\n`);
  const hidden = join(folder, 'hidden.html');
  expect(await told(join(folder, 'hidden.yaml'), '--html', hidden)).toEqual([0, '']);
  expect(insideOf(readFileSync(hidden, 'utf8'))).toEqual({ 'whole.js': 'whole();', ...beside });
  expect(await told(file, '--html', out)).toEqual([2, expect.stringContaining('choose another name for the page')]);
  expect(await told(file, '--html', file)).toEqual([2, expect.stringContaining('is the scenario itself')]);
  expect(await told(file, join(folder, 'secret.yaml'), '--html', out)).toEqual([
    2,
    expect.stringContaining('--html takes one scenario'),
  ]);
});

/** The scripts that a page in one file has packed, by their names. */
function insideOf(page: string): Record<string, string> {
  const packed = page.matchAll(/<script type="text\/plain" id="([^"]*\.js)">([^<]*)<\/script>/g);
  return Object.fromEntries(
    [...packed].map(([, name = '', text = '']) => [name, inflateSync(Buffer.from(text, 'base64')).toString()]),
  );
}
