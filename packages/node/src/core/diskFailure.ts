import { CommandError, type LogLine } from '@replsim/protocol';
import type { Core } from './core.ts';
import type { DiskFailure } from './events.ts';

/** What the storage engine says. Upstream: wiredtiger_util.cpp, mdb_handle_error_with_startup_suppression. */
const ENGINE_ERRORS: Readonly<Record<DiskFailure, { readonly error: number; readonly message: string }>> = {
  full: { error: 28, message: 'No space left on device' },
  corrupt: { error: -31802, message: 'checksum error: the block read is not the block that was written' },
};

/** The storage engine panics, and with it the process. Upstream: wiredtiger_util.cpp, fassert 50853. */
const PANIC_ASSERTION = 50853;
/** The storage engine cannot be opened. Upstream: wiredtiger_kv_engine.cpp. */
const OPEN_ASSERTION = 28595;

/** A running process whose disk failed: the lines that a mongod leaves, and its end. */
export function dieOfDisk(core: Core, reason: DiskFailure): void {
  const { error, message } = ENGINE_ERRORS[reason];
  core.log('E', 'WT', 22435, 'WiredTiger error message', { error, message }, 'WTJourn.Flusher');
  core.log('F', 'ASSERT', 23089, 'Fatal assertion', { msgid: PANIC_ASSERTION, error: message }, 'WTJourn.Flusher');
  core.log('F', 'ASSERT', 23090, '***aborting after fassert() failure', {}, 'WTJourn.Flusher');
  core.push({ type: 'exit', how: 'fatal', detail: `fatal assertion ${PANIC_ASSERTION}: ${message}` });
}

/** What a process says that cannot open its data, and the error with which it refuses to start. */
export function startupRefusal(reason: DiskFailure, detail = ''): { lines: readonly LogLine[]; error: CommandError } {
  const { error, message } = ENGINE_ERRORS[reason];
  const said = detail === '' ? message : detail;
  const line = { ctx: 'initandlisten' };
  return {
    lines: [
      {
        ...line,
        severity: 'E',
        component: 'WT',
        id: 22435,
        msg: 'WiredTiger error message',
        attr: { error, message: said },
      },
      { ...line, severity: 'F', component: 'STORAGE', id: OPEN_ASSERTION, msg: 'Terminating.', attr: { reason: said } },
    ],
    error: new CommandError(OPEN_ASSERTION, `fatal assertion ${OPEN_ASSERTION}: ${said}`),
  };
}
