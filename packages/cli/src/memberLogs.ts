import { accessSync, closeSync, constants, writeSync } from 'node:fs';
import { join } from 'node:path';
import { formatLogLine, type LogLine, type TraceEvent } from '@replsim/protocol';
import { makeFolder, noFolderAt, openToWrite, plain } from './files.ts';
import { diskFailure, InputError } from './io.ts';

/**
 * Makes the folder for logs. Throws InputError when that is impossible or nothing can be written there, so that a run does
 * not find out when it is over.
 */
export function prepareLogFolder(folder: string): void {
  prepareFolder(folder, '--logs');
}

/** A folder that can be written to. @throws InputError that names the option */
export function prepareFolder(folder: string, option: string): void {
  try {
    makeFolder(folder);
    accessSync(folder, constants.W_OK);
  } catch (error) {
    if (diskFailure(error) !== undefined) throw error;
    const { path = folder } = error as NodeJS.ErrnoException;
    throw new InputError(
      `${option}: cannot write there: ${noFolderAt(folder) ?? plain(path, error as NodeJS.ErrnoException)}`,
    );
  }
}

/**
 * One log file a member, `n1.log`, as its mongod would write it with `--logappend`: in mongod's own format, at the times of
 * the member's clock, one life of the process after the other. A run begins its files anew.
 */
export class MemberLogs {
  readonly #folder: string;
  readonly #files = new Map<string, number>();
  /** Members whose process has ended; the next line comes from its next life. */
  readonly #ended = new Set<string>();

  /** @param folder is made if it is not there */
  constructor(folder: string) {
    prepareLogFolder(folder);
    this.#folder = folder;
  }

  observe(event: TraceEvent): void {
    if (event.type === 'processStopped') this.#ended.add(event.member);
    if (event.type !== 'log') return;
    const { member, line, wallMs } = event;
    if (this.#ended.delete(member)) this.#write(member, restarted(line), wallMs);
    this.#write(member, line, wallMs);
  }

  close(): void {
    for (const file of this.#files.values()) closeSync(file);
    this.#files.clear();
  }

  #write(member: string, line: LogLine, wallMs: number): void {
    writeSync(this.#fileOf(member), `${formatLogLine(line, wallMs)}\n`);
  }

  #fileOf(member: string): number {
    const open = this.#files.get(member);
    if (open !== undefined) return open;
    const file = openToWrite(join(this.#folder, `${member}.log`), 'log', true);
    this.#files.set(member, file);
    return file;
  }
}

/** What a mongod says first when it appends to a log that is there. Upstream: initialize_server_global_state.cpp. */
function restarted({ svc }: LogLine): LogLine {
  const service = svc === undefined ? {} : ({ svc: '-' } as const);
  const msg = '***** SERVER RESTARTED *****';
  return { severity: 'I', component: 'CONTROL', id: 20698, ...service, ctx: 'main', msg, attr: {} };
}
