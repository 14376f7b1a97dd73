import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { promisify } from 'node:util';
import { ServedSet } from '@replsim/server';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Control } from '../../src/control/control.ts';
import { VERBS } from '../../src/control/verbs.ts';
import { InputError } from '../../src/io.ts';
import { main } from '../../src/main.ts';
import { testIo } from '../io.ts';

interface OpenApi {
  readonly openapi: string;
  readonly servers: readonly [{ readonly url: string }];
  readonly paths: Readonly<Record<string, object>>;
}

const TOKEN = 'a-token-of-some-length';
let served: ServedSet;
let control: Control;

beforeAll(async () => {
  served = await ServedSet.open({ members: 3, speed: 0, epochMs: Date.parse('2030-01-01'), causes: true });
  control = await Control.open(served, 0, TOKEN);
  await served.ready();
});

afterAll(async () => {
  await control.close();
  await served.stop();
});

const at = (path: string) => new URL(path, control.address);
const post = (path: string, body: string) => fetch(at(path), { method: 'POST', body });
const told = async (response: Response) => [response.status, ((await response.json()) as { errmsg?: string }).errmsg];

describe('over HTTP, as curl sends it', () => {
  test('a fault, a jump, and what has become of the set', async () => {
    const { primary } = (await (await fetch(at('status'))).json()) as { primary: string };
    const killed = await (await post('fault', '{"kill": "primary", "untilPrimary": true}')).json();
    expect(killed).toEqual({ ok: 1, primary: expect.not.stringMatching(primary) });
    expect(await (await post('fault', `{"start": "${primary}"}`)).json()).toEqual({ ok: 1 });
    const before = served.set.nowMicros;
    expect(await (await post('advance', '61s')).json()).toEqual({ ok: 1, nowMicros: before + 61_000_000 });
    expect(await (await post('advance', '{"by": "1s"}')).json()).toEqual({ ok: 1, nowMicros: before + 62_000_000 });
    expect(await (await post('until-ttl-pass', '')).json()).toMatchObject({ ok: 1 });
    expect(await (await post('step-down', '{}')).json()).toMatchObject({ ok: 1, primary: expect.any(String) });
    expect(await (await post('speed', '0')).json()).toEqual({ ok: 1, was: 0 });
    expect(await (await fetch(at('ledger'))).json()).toMatchObject({ ok: 1, acknowledged: 0 });
    expect(await (await fetch(at('/status'))).status).toBe(403);
    expect((await fetch(`${control.address}/status`)).status).toBe(200);
  });

  test('an untilPrimary waits for another primary only if the primary is meant', async () => {
    const { primary = '' } = served;
    const [other] = served.set.memberNames.filter((name) => name !== primary);
    expect(await (await post('fault', JSON.stringify({ pause: other, untilPrimary: true }))).json()).toEqual({
      ok: 1,
      primary,
    });
    const aside = { partition: [[primary, 'secondaries']], untilPrimary: true };
    expect(await (await post('fault', JSON.stringify(aside))).json()).toMatchObject({ ok: 1, primary });
    await post('fault', '{"heal": "all"}');
    await post('fault', JSON.stringify({ resume: other }));
    const alone = {
      partition: [[primary], served.set.memberNames.filter((name) => name !== primary)],
      untilPrimary: true,
    };
    const { primary: next } = (await (await post('fault', JSON.stringify(alone))).json()) as { primary: string };
    expect(next).not.toBe(primary);
    await post('fault', '{"heal": "all"}');
  });

  test('why, and a recording that makes the same run', async () => {
    const why = await (await fetch(at('why?question=primary'))).json();
    expect(why).toEqual({
      ok: 1,
      nowMicros: expect.any(Number),
      reasons: expect.arrayContaining([expect.stringMatching(/^n\d is primary, in term /)]),
    });
    const recorded = await (await fetch(at('record'))).text();
    expect(recorded).toMatch(/^# .*\n(.*\n)*steps:\n(.*\n)* {2}- \{ at: [\d.]+s, kill: n1 \}\n/);
    expect(recorded).toMatch(/ {2}- \{ at: [\d.]+s \}\n$/);
  });

  test('the transcript, line by line', async () => {
    const leave = new AbortController();
    const response = await fetch(at('events'), { signal: leave.signal });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    await post('fault', '{"kill": "n3"}');
    await post('fault', '{"start": "n3"}');
    let heard = '';
    for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
      heard += Buffer.from(part);
      if (heard.includes('n3 is killed')) break;
    }
    leave.abort();
    expect(heard).toMatch(/^: .*\n\n(data: .*\n\n)*data: +[\d.]+s n3 is killed\n\n/);
  });

  test.for<[path: string, body: string | undefined, status: number, errmsg: RegExp]>([
    ['fault', '{"kil": "n1"}', 400, /^fault has no field "kil"; did you mean "kill"\?$/],
    ['fault', '{"kill": "n9"}', 400, /no member is called "n9"/],
    ['fault', '{"kill": "n1", "within": "5s"}', 400, /^within limits how long untilPrimary waits/],
    ['fault', '{"kill": "n1", "untilPrimary": "yes"}', 400, /^untilPrimary must be true or false/],
    ['fault', '{}', 400, /has no fault: use one of kill/],
    ['fault', 'kill primary', 400, /^fault: the body must be JSON/],
    ['fault', '[1]', 400, /^fault: the body must be a JSON object, not \[1\]$/],
    ['advance', '', 400, /^advance needs "by": how far, such as 61s$/],
    ['advance', '-5s', 400, /^advance must be/],
    ['advance', '{"by": "5s", "to": "9s"}', 400, /^advance has no field "to"; /],
    ['speed', 'fast', 400, /^speed must be a number/],
    ['until-primary', '{"other": "n9"}', 400, /no member is called "n9"/],
    ['status?a=1', undefined, 400, /^status has no field "a"; it takes none$/],
    ['why', undefined, 400, /^why needs "question": primary, vote/],
    ['why?question=event', undefined, 400, /^why: question must be one of primary/],
    ['why?question=vote', undefined, 400, /needs a subject: why\?question=vote&subject=n1$/],
    ['why?question=state&subject=n9', undefined, 400, /there is no member n9/],
    ['why?question=data&subject=orders', undefined, 400, /needs a namespace/],
    ['advance', undefined, 405, /^advance is asked by POST, not by GET$/],
    ['nothing', undefined, 404, /nothing with that name/],
    ['constructor', undefined, 404, /nothing with that name/],
  ])('%s %s: %i', async ([path, body, status, errmsg]) => {
    const response = body === undefined ? await fetch(at(path)) : await post(path, body);
    expect(await told(response)).toEqual([status, expect.stringMatching(errmsg)]);
  });

  test('only this machine, by the whole address', async () => {
    const { port, origin } = new URL(control.address);
    expect((await fetch(`${origin}/another-token-of-it/status`)).status).toBe(403);
    expect((await fetch(at('status'), { headers: { Origin: 'http://elsewhere.example' } })).status).toBe(403);
    await expect(Control.open(served, Number(port))).rejects.toThrow(/is taken: choose another with --control/);
    await expect(Control.open(served, 0, 'short')).rejects.toThrow(InputError);
  });

  test('a name that was made to mean this machine is none of its own', async () => {
    const { hostname, port, pathname } = new URL(at('status'));
    const status = (host: string) =>
      new Promise((resolve, reject) => {
        const asked = request({ hostname, port, path: pathname, headers: { host } }, ({ statusCode }) =>
          resolve(statusCode),
        );
        asked.on('error', reject).end();
      });
    for (const host of [
      `elsewhere.example:${port}`,
      '127.0.0.1',
      `127.0.0.1:${Number(port) + 1}`,
      `127.0.0.1.elsewhere.example:${port}`,
    ])
      expect(await status(host), host).toBe(403);
    expect(await status(`localhost:${port}`)).toBe(200);
  });

  test.for<[what: string, path: string, body: string]>([
    ['brackets', 'advance', '['.repeat(200_000)],
    ['closed brackets', 'fault', `{"kill": ${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
    ['braces', 'fault', `{"disk": ${'{"on":'.repeat(20_000)}1${'}'.repeat(20_000)}}`],
    ['many keys', 'fault', `{${Array.from({ length: 50_000 }, (_, i) => `"k${i}":1`).join()}}`],
    ['a number beyond all', 'advance', '{"by": 1e400}'],
    ['a long number', 'advance', `{"by": "${'9'.repeat(100_000)}s"}`],
    ['inherited names', 'fault', '{"__proto__": {"kill": "n1"}, "constructor": 1}'],
  ])('a request that is a bomb is refused, and the next is answered: %s', async ([, path, body]) => {
    const [status, said] = await told(await post(path, body));
    const errmsg = String(said);
    expect(status).toBe(400);
    expect(errmsg).not.toMatch(/call stack|is not a function|\[object/);
    expect(errmsg.length).toBeLessThan(2000);
    expect((await fetch(at('status'))).status).toBe(200);
  });

  test('OpenAPI has each verb', async () => {
    for (const address of [control.address, at('openapi.json')]) {
      const { openapi, paths, servers } = (await (await fetch(address)).json()) as OpenApi;
      expect(openapi).toBe('3.1.0');
      expect(Object.keys(paths)).toEqual(Object.keys(VERBS).map((name) => `/${name}`));
      expect(new URL(servers[0].url).port).toBe(new URL(control.address).port);
      expect(paths['/fault']).toMatchObject({ post: { requestBody: { required: true } } });
      expect(JSON.stringify(paths['/fault'])).toContain('"partition"');
    }
  });
});

/** The words of a line of a shell, without what it puts around them, and without where the output goes. */
const wordsOf = (line: string) =>
  [...line.replace(/ > \S+$/, '').matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, ...words]) => words.find((word) => word !== undefined)!,
  );

describe('the guide', () => {
  const guide = readFileSync(new URL('../../../../docs/serve.md', import.meta.url), 'utf8');
  const section = guide.slice(guide.indexOf('## Over HTTP'), guide.indexOf('## On a page'));
  const lines = section.split('\n');

  const mend = async () => {
    await post('fault', '{"heal": "all", "resume": "all", "start": "all"}');
    await post('advance', '30s');
  };
  beforeEach(mend);
  afterAll(mend);

  const curls = lines.filter((line) => line.startsWith('curl '));
  test.for(curls.flatMap((line) => [0, 1].map((speed) => [speed, line] as const)))(
    'at speed %i: %s',
    async ([speed, line]) => {
      served.pacer.speed = speed;
      try {
        const env = { ...process.env, A: control.address.replace(/\/$/, '') };
        const { stdout } = await promisify(execFile)('sh', ['-c', line.replace('curl', 'curl --silent')], { env });
        expect(JSON.parse(stdout)).toMatchObject({ ok: 1 });
      } finally {
        served.pacer.speed = 0;
      }
    },
  );

  test.for(lines.filter((line) => line.startsWith('npx replsim control ')))('%s', async (line) => {
    const io = testIo();
    const code = await main([...wordsOf(line).slice(2), '--at', control.address], io);
    expect([code, io.stderr]).toEqual([0, '']);
    expect(io.stdout).not.toBe('');
  });

  test('has some of both', () => {
    expect(lines.filter((line) => line.startsWith('curl ')).length).toBeGreaterThan(3);
    expect(lines.filter((line) => line.startsWith('npx replsim control ')).length).toBeGreaterThan(4);
  });
});

describe('replsim control', () => {
  const told = async (args: readonly string[], at = ['--at', control.address]) => {
    const [out, err]: [string[], string[]] = [[], []];
    const [say, complain] = [(text: string) => void out.push(text), (text: string) => void err.push(text)];
    const code = await main(['control', ...args, ...at], { out: say, err: complain, colours: false, progress: false });
    return { code, out: out.join(''), err: err.join('') };
  };

  test('faults and verbs', async () => {
    expect(await told(['until-primary'])).toMatchObject({ code: 0 });
    const { out, err } = await told(['kill', 'primary', '--until-primary']);
    expect(err).toBe('');
    expect(JSON.parse(out)).toEqual({ ok: 1, primary: expect.any(String) });
    expect(await told(['start', 'all'])).toMatchObject({ code: 0 });
    expect(await told(['pause', 'n1', 'n2'])).toMatchObject({ code: 0 });
    expect(await told(['resume', 'all'])).toMatchObject({ code: 0 });
    expect(await told(['partition', '[[n1], [n2, n3]]'])).toMatchObject({ code: 0, out: '{"ok":1}\n' });
    expect(await told(['heal', 'all'])).toMatchObject({ code: 0 });
    expect(await told(['clock', '{ on: n2, jump: 5s }'])).toMatchObject({ code: 0 });
    expect(await told(['advance', '30s'])).toMatchObject({ code: 0 });
    expect(await told(['until-primary', 'within=60s'])).toMatchObject({ code: 0 });
    expect(await told(['why', 'primary'])).toMatchObject({ code: 0, out: expect.stringContaining('is primary') });
    expect(await told(['status'])).toMatchObject({ code: 0, out: expect.stringContaining('"members"') });
  });

  test.for<[args: string, code: number, err: RegExp]>([
    ['kil n1', 2, /there is no "kil" here; did you mean "kill"\?/],
    ['fault kill', 2, /there is no "fault" here/],
    ['kill n9', 2, /no member is called "n9"/],
    ['kill n1 n9', 2, /no member is called "n9"/],
    ['advance 5', 2, /^advance must be a duration .*; did you mean "5ms" or "5s"\?\n$/],
    ['advance -5s', 2, /^advance must be a duration .*, not "-5s"\n$/],
    ['kill n1 --until-primry', 2, /^unknown option "--until-primry"; did you mean "--until-primary"\?\n$/],
    ['kill {', 2, /is not YAML/],
    ['advance', 2, /advance needs "by"/],
    ['advance 1s 2s', 2, /advance takes by, not "2s"/],
    ['status now', 2, /status takes nothing, not "now"/],
    ['kill n1 --within 5s', 2, /add untilPrimary: true/],
  ])('%s: exit code %i', async ([args, code, err]) => {
    const result = await told(args.split(' '));
    expect(result.err).toMatch(err);
    expect(result.code).toBe(code);
  });

  test('without an address, or with one where nobody is', async () => {
    expect(await told(['status'], [])).toMatchObject({ code: 2, err: expect.stringContaining('--at ADDRESS') });
    expect(await told(['status'], ['--at', 'n1'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('is not an address'),
    });
    const nobody = ['--at', 'http://127.0.0.1:1/x/'];
    expect(await told(['status'], nobody)).toMatchObject({
      code: 2,
      err: expect.stringContaining('nobody answers at'),
    });
  });
});
