import { readFileSync, statSync } from 'node:fs';
import { CommandError } from '@replsim/protocol';
import type { FromConf } from '@replsim/scenario';
import { parseKeyFile, type ServeOptions } from '@replsim/server';
import { unreadable } from './files.ts';
import { InputError } from './io.ts';

/** What a command line says of access control. */
export interface AccessArguments {
  readonly auth?: boolean;
  readonly noauth?: boolean;
  readonly keyFile?: string;
  readonly transitionToAuth?: boolean;
  /** Passwords that any user may log in with, who need not. */
  readonly anyUser?: readonly string[];
}

/**
 * What the command line asks for, and a `mongod.conf` where it says nothing; undefined without access control.
 * @param warn tells what has no effect
 * @throws InputError for what a mongod would not start with
 */
export function accessOf(
  args: AccessArguments,
  conf: Pick<FromConf, 'authorization' | 'keyFile' | 'transitionToAuth'> = {},
  warn: (text: string) => void,
): ServeOptions['access'] {
  const { auth, noauth, anyUser } = args;
  if (auth && noauth) throw new InputError('--auth and --noauth: leave one of them out');
  const isAsked = auth || args.keyFile !== undefined || args.transitionToAuth;
  if (isAsked && anyUser !== undefined)
    throw new InputError('--any-user lets everybody in who knows a password; with --auth or --keyFile, leave it out');
  const isOn = !noauth && (auth || conf.authorization === 'enabled');
  const keyFile = args.keyFile ?? conf.keyFile;
  const transitionToAuth = args.transitionToAuth ?? conf.transitionToAuth ?? false;
  if (anyUser !== undefined) {
    if (isOn || keyFile !== undefined) warn('security: with --any-user logging in is possible, and never required');
    return undefined;
  }
  if (keyFile === undefined) {
    if (transitionToAuth) throw new InputError('--transitionToAuth needs a key file: add --keyFile FILE');
    if (!isOn) return undefined;
    throw new InputError(
      'security.keyFile is required when authorization is enabled with replica sets: add --keyFile FILE; ' +
        '"openssl rand -base64 756 > FILE && chmod 400 FILE" makes one',
    );
  }
  const keys = keysIn(keyFile);
  // A key file switches access control on by itself, unless it is only being introduced.
  const authorization = !noauth && (isOn || !transitionToAuth);
  return { authorization, keyFile, keys, ...(transitionToAuth && { transitionToAuth }) };
}

/** The bits that let others than the owner do anything. */
const OTHERS = 0o077;

/** @throws InputError */
function keysIn(path: string): readonly string[] {
  let text: string;
  try {
    const found = statSync(path);
    if (process.platform !== 'win32' && found.isFile() && (found.mode & OTHERS) !== 0)
      throw new InputError(`--keyFile: permissions on ${path} are too open; use chmod 400 ${path}`);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof InputError) throw error;
    const why = unreadable(error as NodeJS.ErrnoException);
    throw new InputError(`--keyFile: ${path}: ${why}; name a file with a key, made by: openssl rand -base64 48`);
  }
  try {
    return parseKeyFile(text, path);
  } catch (error) {
    if (error instanceof CommandError) throw new InputError(`--keyFile: ${error.message}`);
    throw error;
  }
}
