import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type AccessArguments, accessOf } from '../src/accessOptions.ts';
import { InputError } from '../src/io.ts';

const folder = mkdtempSync(join(tmpdir(), 'replsim-key-'));
const keyFile = fileWith('key', 'c2Vj\ncmV0\n');

function fileWith(name: string, text: string, mode = 0o400): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

const warned: string[] = [];
const access = (args: AccessArguments, conf?: Parameters<typeof accessOf>[1]) =>
  accessOf(args, conf, (text) => warned.push(text));
const keys = ['c2VjcmV0'];

test.for<[string, AccessArguments, Parameters<typeof accessOf>[1], unknown]>([
  ['nothing', {}, undefined, undefined],
  ['a key file turns it on', { keyFile }, {}, { authorization: true, keyFile, keys }],
  ['with --auth as well', { auth: true, keyFile }, {}, { authorization: true, keyFile, keys }],
  ['a file that says so', {}, { authorization: 'enabled', keyFile }, { authorization: true, keyFile, keys }],
  ['a file that says no', {}, { authorization: 'disabled' }, undefined],
  ['--noauth', { noauth: true }, { authorization: 'enabled' }, undefined],
  [
    'a transition',
    { keyFile, transitionToAuth: true },
    {},
    { authorization: false, keyFile, keys, transitionToAuth: true },
  ],
  [
    '--any-user, whatever the file says',
    { anyUser: ['x'] },
    { authorization: 'enabled', keyFile: '/nowhere' },
    undefined,
  ],
])('%s', ([, args, conf, expected]) => {
  expect(access(args, conf)).toEqual(expected);
});

test.for<[AccessArguments, RegExp]>([
  [{ auth: true }, /^security.keyFile is required when authorization is enabled with replica sets: add --keyFile FILE/],
  [{ auth: true, noauth: true }, /^--auth and --noauth/],
  [{ transitionToAuth: true }, /^--transitionToAuth needs a key file/],
  [{ auth: true, anyUser: ['x'] }, /^--any-user/],
  [{ keyFile: join(folder, 'nowhere') }, /nowhere: /],
  [{ keyFile: fileWith('open', 'c2VjcmV0', 0o444) }, /permissions on .*open are too open; use chmod 400/],
  [{ keyFile: fileWith('short', 'abc') }, /has 3 characters; it must have 6 to 1024/],
  [{ keyFile: fileWith('wrong', 'no-dash-please') }, /invalid char in key file/],
])('%j is refused', ([args, message]) => {
  expect(() => access(args)).toThrow(InputError);
  expect(() => access(args)).toThrow(message);
});
