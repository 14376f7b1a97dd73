import { buildInfoReply, excessRecords } from '@replsim/database';
import { encodeDocument, IdSource } from '@replsim/protocol';
import { StoredDocument } from '@replsim/storage';
import { commandLineOf } from './core/commandLine.ts';
import type { Core } from './core/core.ts';
import type { Writes } from './data/writes.ts';

const STARTUP_LOG = 'local.startup_log';
/** Unit: bytes. Upstream: mongod_main.cpp, logStartup. */
const SIZE_BYTES = 10_485_760;
/** The same on every member, as nobody ever compares them, and not drawn: it would shift all that a run draws after it. */
const UUID = new IdSource([0, 0]).uuid();

/** Enters this start in `local.startup_log`, which no other member gets to see. Upstream: mongod_main.cpp, logStartup. */
export function recordStart(core: Core, writes: Writes): void {
  const { engine, now, options, traits } = core;
  const hostname = options.host.split(':')[0];
  const start = encodeDocument({
    _id: `${hostname}-${now.wallMs}`,
    hostname,
    startTime: new Date(Math.floor(now.wallMs / 1000) * 1000),
    startTimeLocal: ctime(now.wallMs),
    cmdLine: commandLineOf(options).parsed,
    pid: 1n,
    buildinfo: buildInfoReply(traits),
  });
  const document = new StoredDocument(start);
  // Where the clock was set back, or a process ended at once, a start may have been entered under this name.
  if (engine.collection(STARTUP_LOG)?.findById(document.idKey) !== undefined) return;
  writes.unreplicated(() => {
    if (!engine.collection(STARTUP_LOG)) {
      writes.createCollection(STARTUP_LOG, encodeDocument({ capped: true, size: SIZE_BYTES }), UUID);
    }
    writes.insert(STARTUP_LOG, [document]);
    const collection = engine.collection(STARTUP_LOG);
    const excess = collection ? excessRecords(collection) : [];
    if (collection && excess.length > 0) writes.delete(collection, excess, { grouped: false });
  });
}

/** As C's `ctime` has it, of UTC and without the year: `Wed Jan  1 00:00:00.000`. Upstream: time_support.cpp, dateToCtimeString. */
function ctime(wallMs: number): string {
  const date = new Date(wallMs);
  // `Wed, 01 Jan 2025 00:00:00 GMT`
  const [weekday, , month] = date.toUTCString().split(/,? /);
  return `${weekday} ${month} ${String(date.getUTCDate()).padStart(2)} ${date.toISOString().slice(-13, -1)}`;
}
