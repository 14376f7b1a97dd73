import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { ExitCodes } from '../src/io.ts';
import { main } from '../src/main.ts';
import { testIo } from './io.ts';
import { type Serving, serveWith } from './serving.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'replsim-live-'));
  mkdirSync(join(folder, 'page'));
  writeFileSync(join(folder, 'page/index.html'), '<html><head></head><body>the page</body></html>');
});
afterAll(() => rmSync(folder, { recursive: true }));

const page = () => pathToFileURL(`${folder}/page/`);

async function served(...args: readonly string[]): Promise<Serving & { readonly address: string }> {
  const serving = await serveWith({ studioPage: page() }, ['--port', '0', '--studio', '0', ...args]);
  onTestFinished(async () => void (await serving.interrupt()));
  return { ...serving, address: /http:\/\/[^\s,"]+/.exec(serving.out())![0] };
}

/** As whoever is no browser may. */
function raw(address: string, method: string, path: string, headers: Record<string, string>): Promise<number> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, method, path, headers }, (response) => {
      resolve(response.statusCode!);
      response.destroy();
    });
    asked.on('error', reject).end(method === 'POST' ? '{"command":{"replsimFault":{"kill":"n1"}}}' : undefined);
  });
}

interface Message {
  readonly event: string;
  readonly data: Record<string, unknown>;
}

/** What the stream says, one message after the other; undefined at its end. */
async function listening(address: string): Promise<() => Promise<Message | undefined>> {
  const { body, headers } = await fetch(`${address}live`);
  expect(headers.get('content-type')).toBe('text/event-stream');
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  let unread = '';
  return async () => {
    for (;;) {
      const found = /^event: (.*)\ndata: (.*)\n\n/.exec(unread);
      if (found) {
        unread = unread.slice(found[0].length);
        return { event: found[1]!, data: JSON.parse(found[2]!) };
      }
      const { value, done } = await reader.read();
      if (done) return undefined;
      unread += value;
    }
  };
}

async function heard(
  next: () => Promise<Message | undefined>,
  wanted: (message: Message) => boolean,
): Promise<Message> {
  for (;;) {
    const message = await next();
    if (message === undefined) throw new Error('the stream has ended');
    if (wanted(message)) return message;
  }
}

const post = (address: string, body: unknown) =>
  fetch(`${address}command`, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) });

test('only who has the token, names the host, and is no page from elsewhere, sees the set or does something to it', async () => {
  const { address, out } = await served('--quiet');
  expect(out()).toContain(`seen at ${address}, anyone who has the whole address can control the set\n`);
  expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/$/);
  const html = await (await fetch(address)).text();
  expect(html).toContain('<meta name="replsim-live">');
  const { host, port, pathname } = new URL(address);
  for (const [method, name] of [
    ['GET', 'live'],
    ['POST', 'command'],
  ] as const) {
    const status = (path: string, headers: Record<string, string> = {}) => raw(address, method, path, headers);
    expect(await status(`/${name}`)).toBe(403);
    expect(await status(`/${'0'.repeat(32)}/${name}`)).toBe(403);
    const path = `${pathname}${name}`;
    expect(await status(path, { Host: `evil.example:${port}` })).toBe(403);
    expect(await status(path, { Origin: 'https://evil.example' })).toBe(403);
    expect(await status(path, { Origin: 'null' })).toBe(403);
    expect(await status(path, { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' })).toBe(403);
  }
  const status = async (method: string, name: string) => {
    const { status, headers } = await fetch(`${address}${name}`, { method });
    return [status, headers.get('allow')];
  };
  expect(await status('POST', 'live')).toEqual([405, 'GET, HEAD']);
  expect(await status('GET', 'command')).toEqual([405, 'POST']);
  expect(await status('DELETE', 'command')).toEqual([405, 'GET, HEAD, POST']);
  expect(await status('GET', 'scenarios.json')).toEqual([404, null]);
  expect((await fetch(`${address}live`, { method: 'HEAD' })).status).toBe(200);
  const refused = await fetch(`http://${host}/`);
  expect(await refused.text()).toContain('use the whole address that replsim serve --studio printed');
  // Nothing of all that was done.
  const next = await listening(address);
  await heard(next, ({ event }) => event === 'begin');
  expect((await post(address, { on: 'n1', command: { ping: 1 } })).status).toBe(200);
});

test('the stream has the trace from the start, what was done, and the reason of its end', async () => {
  const file = join(folder, 'recording.yaml');
  const { address, interrupt } = await served('--quiet', '--record', file);
  const next = await listening(address);
  expect(await next()).toEqual({ event: 'begin', data: { forgotten: 0 } });
  expect(await next()).toMatchObject({ event: 'trace', data: { events: [] } });
  const first = await heard(next, ({ event }) => event === 'trace');
  expect((first.data.events as unknown[])[0]).toMatchObject({ type: 'runStarted' });
  const begun = await heard(next, ({ event }) => event === 'recording');
  expect(begun.data).toMatchObject({ begun: { isWhole: true } });
  await post(address, { command: { replsimFault: { kill: 'n2' } } });
  const done = await heard(next, ({ event, data }) => event === 'recording' && String(data.text).includes('kill'));
  expect(done.data.text).toMatch(/^ {2}- \{ at: [\d.]+s, kill: n2 \}\n$/);
  expect(readFileSync(file, 'utf8')).toContain(done.data.text);
  const ended = interrupt();
  expect(await heard(next, ({ event }) => event === 'ended')).toMatchObject({
    data: { text: 'the set was shut down' },
  });
  expect(await next()).toBeUndefined();
  expect(await ended).toBe(ExitCodes.ok);
});

test('what is wrong with a command is told, and what the set answers to it', async () => {
  const { address } = await served('--quiet');
  const told = async (body: unknown) => {
    const reply = await post(address, body);
    return [reply.status, (await reply.text()).trim()];
  };
  expect(await told('{')).toEqual([400, expect.stringContaining('this is not Extended JSON')]);
  expect(await told({ kill: 'n1' })).toEqual([400, expect.stringContaining('a command is { "on": "n1"')]);
  expect(await told({ on: 'n9', command: { ping: 1 } })).toEqual([400, 'no member is called n9: there are n1, n2, n3']);
  expect(await told({ command: { replsimFault: { kil: 'n1' } } })).toEqual([409, expect.stringContaining('kill')]);
  expect(await told({ on: 'n2', command: { replSetStepDown: 60 } })).toEqual([
    409,
    expect.stringMatching(/^NotWritablePrimary: /),
  ]);
  const insert = { command: { insert: 'c', documents: [{ _id: { $numberLong: '7' } }], $db: 'app' } };
  expect(await told(insert)).toEqual([200, '{}']);
  expect(await told(insert)).toEqual([409, expect.stringContaining('E11000')]);
  expect((await post(address, 'x'.repeat(1024 * 1024 + 1)).catch(() => ({ status: 413 }))).status).toBe(413);
  await post(address, { command: { replsimFault: { kill: 'n1' } } });
  expect(await told({ command: { ping: 1 } })).toEqual([409, 'there is no primary at the moment']);
});

test.for<[what: string, body: string]>([
  ['brackets', '['.repeat(200_000)],
  ['nested arrays', `{"command": {"insert": "c", "documents": ${'['.repeat(20_000)}${']'.repeat(20_000)}}}`],
  ['nested documents', `{"command": {"find": "c", "filter": ${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}}`],
  ['inherited names', '{"command": {"__proto__": 1, "constructor": 1}}'],
])('a command that is a bomb is refused, and the next is answered: %s', async ([, body]) => {
  const { address } = await served('--quiet');
  const reply = await post(address, body);
  expect([400, 409]).toContain(reply.status);
  const text = await reply.text();
  expect(text).not.toMatch(/call stack|is not a function|\[object/);
  expect(text.length).toBeLessThan(2000);
  expect((await post(address, { on: 'n1', command: { ping: 1 } })).status).toBe(200);
});

test('where there is no page or no port, no set is begun', async () => {
  const said = async (studioPage: URL, ...args: string[]) => {
    const io = testIo();
    const code = await main(['serve', '--port', '0', ...args], { ...io, studioPage });
    return [code, io.stdout, io.stderr];
  };
  expect(await said(pathToFileURL(`${folder}/`), '--studio', '0')).toEqual([
    ExitCodes.badInput,
    '',
    `the page is not built: there is no index.html in ${folder}/; run "npm run build" first\n`,
  ]);
  const { port } = new URL((await served('--json', '--quiet')).address);
  expect(await said(page(), '--studio', port)).toEqual([
    ExitCodes.badInput,
    '',
    `port ${port} of 127.0.0.1 is taken: choose another with --studio, or 0 for one that is free\n`,
  ]);
});
